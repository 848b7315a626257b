import { addresses } from "../addresses.ts";
import type { Lifecycle } from "../data/client.ts";
import { useMe } from "../data/queries.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { navigate } from "../router.tsx";
import { useI18n } from "../texts/i18n.tsx";

/** Shows why a member cannot create a task, and which roles can. */
export function CreationRefusal({ lifecycle, onClose }: { lifecycle: Lifecycle; onClose: () => void }) {
  const { t } = useI18n();
  const me = useMe();
  const { roles } = lifecycle.creation;
  const isAdmin = me.roles.includes("admin");
  return (
    <Dialog
      title={t.board.newTaskIn(lifecycle.name)}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t.common.close}</Button>
          {isAdmin && (
            <Button
              look="main"
              onClick={() => {
                navigate(`${addresses.members}?edit=${encodeURIComponent(me.id)}`);
              }}
            >
              {t.board.giveRole}
            </Button>
          )}
        </>
      }
    >
      <p>{t.board.creationNeeds(lifecycle.name, roles === "anyone" ? "" : roles.join(", "))}</p>
      <p>
        {t.board.yourRoles(me.roles.join(", "))} {isAdmin ? t.board.giveRoleHint : t.board.askAdmin}
      </p>
    </Dialog>
  );
}
