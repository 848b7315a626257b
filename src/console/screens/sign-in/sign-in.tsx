import { useId, useState } from "react";
import type { SubmitEvent } from "react";
import { PawlProblem, signIn } from "../../data/client.ts";
import type { Me } from "../../data/client.ts";
import { Button, Segments } from "../../design/button.tsx";
import { isUnanswered, ProblemNote } from "../../design/states.tsx";
import { useWhenReachable } from "../../loading/use-when-reachable.ts";
import { Logo } from "../../shell/logo.tsx";
import { usePreference } from "../../preferences.ts";
import { LANGUAGES, useI18n } from "../../texts/i18n.tsx";
import type { Language } from "../../texts/i18n.tsx";
import "./sign-in.css";

const LANGUAGE_OPTIONS = Object.entries(LANGUAGES).map(([value, { name }]) => ({
  value: value as Language,
  label: name,
}));

export function SignIn({ ended, onSignedIn }: { ended: boolean; onSignedIn: (me: Me) => void }) {
  const { t, language } = useI18n();
  const [, setLanguage] = usePreference("language");
  const [token, setToken] = useState("");
  const [remember, setRemember] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const id = useId();
  const submit = async () => {
    setBusy(true);
    setProblem(null);
    try {
      onSignedIn(await signIn(token.trim(), remember));
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  useWhenReachable(isUnanswered(problem) && token.trim() !== "", () => void submit());
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    void submit();
  };
  return (
    <main className="sign-in">
      <form className="card" onSubmit={onSubmit}>
        <Logo />
        <div className="stack tight">
          <h1>{t.signIn.title}</h1>
          <p className="soft">{t.signIn.lead}</p>
        </div>
        {ended && problem === null && <p className="note">{t.signIn.ended}</p>}
        {problem !== null && <SignInProblem problem={problem} />}
        <div className="field">
          <label className="label" htmlFor={id}>
            {t.signIn.token}
          </label>
          <input
            id={id}
            className="input mono"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            aria-describedby={`${id}-hint`}
            value={token}
            onChange={(event) => {
              setToken(event.target.value);
            }}
          />
          <span className="hint" id={`${id}-hint`}>
            {t.signIn.tokenHint}
          </span>
        </div>
        <label className="check">
          <input
            type="checkbox"
            checked={remember}
            onChange={(event) => {
              setRemember(event.target.checked);
            }}
          />
          {t.signIn.remember}
        </label>
        <Button look="main" type="submit" disabled={busy || token.trim() === ""}>
          {t.signIn.submit}
        </Button>
        <Segments
          label={t.shell.language}
          value={language}
          options={LANGUAGE_OPTIONS}
          onChange={setLanguage}
        />
      </form>
    </main>
  );
}

function SignInProblem({ problem }: { problem: unknown }) {
  const { t } = useI18n();
  const code = problem instanceof PawlProblem ? problem.code : "";
  if (code === "INVALID_TOKEN" || code === "VALIDATION_ERROR")
    return (
      <p className="note" data-tone="bad" role="alert">
        {t.signIn.wrong}
      </p>
    );
  if (code === "MEMBER_INACTIVE")
    return (
      <p className="note" data-tone="bad" role="alert">
        {t.signIn.inactive}
      </p>
    );
  return <ProblemNote problem={problem} />;
}
