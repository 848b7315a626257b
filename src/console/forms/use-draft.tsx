import { useState } from "react";
import { readDraft, writeDraft } from "../data/drafts.ts";
import { useMe } from "../data/queries.ts";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { LOADING_TEXTS } from "../loading/texts.ts";
import { useI18n } from "../texts/i18n.tsx";

/**
 * Form state that survives leaving the screen, reloading the page and closing the form by mistake. Call `close` when the form is
 * sent or canceled, and `dismiss` when it is only hidden (Escape, the close icon). The state stays in this tab and is shown only to
 * the member who wrote it. Do not use it for secrets.
 */
export function useDraft<Values extends object>(
  form: string,
  initial: () => Values,
  onClose: () => void = () => undefined,
) {
  const me = useMe();
  const key = `${me.org_id}/${me.id}/${form}`;
  const [stored] = useState(() => readDraft(key));
  const [isRestored, setRestored] = useState(stored !== null);
  // A form of a newer version may have fields that the draft lacks.
  const [values, setValues] = useState<Values>(() => ({ ...initial(), ...stored }));
  const change = (next: Values) => {
    setValues(next);
    writeDraft(key, next);
  };
  const close = () => {
    writeDraft(key, null);
    onClose();
  };
  const startOver = () => {
    writeDraft(key, null);
    setValues(initial());
    setRestored(false);
  };
  return {
    values,
    change,
    close,
    dismiss: onClose,
    note: isRestored ? <RestoredNote onStartOver={startOver} /> : null,
  };
}

function RestoredNote({ onStartOver }: { onStartOver: () => void }) {
  const texts = LOADING_TEXTS[useI18n().language];
  return (
    <div className="note restored" role="status">
      <Icon name="renew" />
      <span>{texts.restored}</span>
      <Button small look="quiet" className="push" onClick={onStartOver}>
        {texts.startOver}
      </Button>
    </div>
  );
}
