import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { ShortcutList } from "./shortcut-list.tsx";

/** The dialog that `?` opens. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const { t } = useI18n();
  return (
    <Dialog
      title={t.settings.shortcuts}
      onClose={onClose}
      foot={
        <Button look="main" onClick={onClose}>
          {t.common.close}
        </Button>
      }
    >
      <ShortcutList />
    </Dialog>
  );
}
