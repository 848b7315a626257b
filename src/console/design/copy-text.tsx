import { useState } from "react";
import { useI18n } from "../texts/i18n.tsx";
import { IconButton } from "./button.tsx";

/** A text with a button that copies it. */
export function CopyText({ text }: { text: string }) {
  const { t } = useI18n();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    // Browsers offer no clipboard on pages without HTTPS; the text can still be selected by hand.
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
