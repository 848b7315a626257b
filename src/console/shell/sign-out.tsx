import { createContext, useContext, useState } from "react";
import type { ReactNode } from "react";
import { signOut } from "../data/client.ts";
import { useOutbox } from "../data/use-outbox.tsx";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { useToastOnError } from "../design/use-toast-on-error.ts";
import { useTexts } from "../texts/use-texts.ts";
import { OUTBOX_TEXTS } from "./outbox-texts.ts";

const SignOutContext = createContext<(() => void) | null>(null);

/** Signs out; asks first if some actions are not sent yet. */
export function useSignOut(): () => void {
  const start = useContext(SignOutContext);
  if (!start) throw new Error("useSignOut needs a <SignOutProvider> above");
  return start;
}

export function SignOutProvider({ children }: { children: ReactNode }) {
  const { entries } = useOutbox();
  const [asking, setAsking] = useState(false);
  const [, attempt] = useToastOnError();
  const close = () => {
    setAsking(false);
  };
  const start = () => {
    if (entries.length > 0) setAsking(true);
    else void attempt(signOut);
  };
  return (
    <SignOutContext.Provider value={start}>
      {children}
      {asking && <UnsentDialog count={entries.length} onClose={close} onSignOut={() => attempt(signOut)} />}
    </SignOutContext.Provider>
  );
}

function UnsentDialog({
  count,
  onClose,
  onSignOut,
}: {
  count: number;
  onClose: () => void;
  onSignOut: () => Promise<unknown>;
}) {
  const texts = useTexts(OUTBOX_TEXTS);
  const { entries, isVolatile } = useOutbox();
  return (
    <Dialog
      title={texts.unsent(count)}
      onClose={onClose}
      foot={
        <>
          <Button className="main" onClick={onClose}>
            {texts.stay}
          </Button>
          <Button look="danger" onClick={() => void onSignOut()}>
            {texts.signOutAnyway}
          </Button>
        </>
      }
    >
      <p>{isVolatile ? texts.lostOnSignOut : texts.keptOnSignOut}</p>
      <ul className="stack tight">
        {entries.map(({ key, title, text }) => (
          <li key={key}>
            <b>{title}</b>
            {text !== null && <p className="soft written">{text}</p>}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
