import { useEffect, useRef, useState } from "react";
import { signInWithCode } from "../../data/client.ts";
import type { Me } from "../../data/client.ts";
import { Button } from "../../design/button.tsx";
import { isUnanswered, ProblemNote, Skeleton } from "../../design/states.tsx";
import { useWhenReachable } from "../../loading/use-when-reachable.ts";
import { Logo } from "../../shell/logo.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { LINK_TEXTS } from "./link-texts.ts";
import "./sign-in.css";

/** Signs in with the code of a link; asks first if a member is signed in. */
export function SignInByLink({
  code,
  me,
  onSignedIn,
  onCancel,
}: {
  code: string;
  /** The member that is signed in now. */
  me: Me | null;
  onSignedIn: (me: Me) => void;
  onCancel: () => void;
}) {
  const texts = useTexts(LINK_TEXTS);
  const [busy, setBusy] = useState(me === null);
  const [problem, setProblem] = useState<unknown>(null);
  const isStarted = useRef(false);
  const submit = async () => {
    setBusy(true);
    setProblem(null);
    try {
      onSignedIn(await signInWithCode(code));
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  useEffect(() => {
    if (me !== null || isStarted.current) return;
    isStarted.current = true;
    void submit();
  });
  useWhenReachable(isUnanswered(problem), () => void submit());
  return (
    <main className="sign-in">
      <div className="card">
        <Logo />
        <h1>{texts.title}</h1>
        {problem !== null && <ProblemNote problem={problem} />}
        {busy && <Skeleton lines={2} />}
        {!busy && problem === null && me && (
          <>
            <p>{texts.signedInAs(me.name)}</p>
            <Button look="main" onClick={() => void submit()}>
              {texts.signIn}
            </Button>
          </>
        )}
        {!busy && <Button onClick={onCancel}>{me ? texts.stay(me.name) : texts.otherWay}</Button>}
      </div>
    </main>
  );
}
