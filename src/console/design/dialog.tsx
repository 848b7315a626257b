import { useId, useLayoutEffect, useRef } from "react";
import type { ReactNode, SubmitEvent } from "react";
import { useI18n } from "../texts/i18n.tsx";
import { IconButton } from "./button.tsx";

const FIRST = ".body :is(input, textarea, select, button):not(.note *), .foot .main";

/** A modal dialog; the browser traps the focus and restores it on close. */
export function Dialog({
  title,
  lead,
  wide = false,
  foot,
  onClose,
  onSubmit,
  children,
}: {
  title: ReactNode;
  lead?: ReactNode;
  wide?: boolean;
  foot?: ReactNode;
  onClose: () => void;
  onSubmit?: () => void;
  children: ReactNode;
}) {
  const { t } = useI18n();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect: the browser restores the focus only if the dialog is closed before it leaves the document.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) dialog.showModal();
    // Focus the first field; by default the browser would focus the close button.
    dialog?.querySelector<HTMLElement>(FIRST)?.focus();
    return () => {
      dialog?.close();
      // The element that opened the dialog may be gone.
      if (document.activeElement === document.body) document.querySelector("main")?.focus();
    };
  }, []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const inside = (
    <>
      <header className="head">
        <div className="stack tight">
          <h2 id={id}>{title}</h2>
          {lead && <p className="soft small">{lead}</p>}
        </div>
        <span className="push" />
        <IconButton icon="close" label={t.common.close} small onClick={onClose} />
      </header>
      <div className="body">{children}</div>
      {foot && <footer className="foot">{foot}</footer>}
    </>
  );
  return (
    <dialog
      ref={ref}
      className={`dialog${wide ? " wide" : ""}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {onSubmit ? (
        <form className="dialog-form" noValidate onSubmit={submit}>
          {inside}
        </form>
      ) : (
        inside
      )}
    </dialog>
  );
}
