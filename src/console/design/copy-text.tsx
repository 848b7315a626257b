import { useState } from "react";
import { useI18n } from "../texts/i18n.tsx";
import { IconButton } from "./button.tsx";

/** A text that people carry elsewhere. */
export function CopyText({ text }: { text: string }) {
  const { t } = useI18n();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    // Pages without encryption have no clipboard: there the text is selected by hand.
    const { clipboard } = navigator as { clipboard?: Clipboard };
    await clipboard?.writeText(text);
    setCopied(clipboard !== undefined);
  };
  return (
    <span className="row copy-text">
      <code className="cut">{text}</code>
      <IconButton
        icon={copied ? "check" : "copy"}
        small
        label={copied ? t.common.copied : t.common.copy}
        onClick={() => void copy()}
      />
    </span>
  );
}
