import { useState } from "react";
import { PawlProblem } from "../data/client.ts";
import { useI18n } from "../texts/i18n.tsx";
import { toast } from "./toasts.tsx";

/** What went wrong, in a sentence. */
export function useProblemText(): (problem: unknown) => string {
  const { t, n } = useI18n();
  return (problem) => {
    if (!(problem instanceof PawlProblem)) return String(problem);
    return problem.status === 0 ? t.common.noAnswer : n.refusal(problem);
  };
}

/** Does what nobody has to be asked about: `busy` meanwhile, and what goes wrong is said in passing. True where it went well. */
export function useAttempt(): [busy: boolean, attempt: (deed: () => Promise<unknown>) => Promise<boolean>] {
  const [busy, setBusy] = useState(false);
  const textOf = useProblemText();
  const attempt = async (deed: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await deed();
      return true;
    } catch (error) {
      toast(textOf(error), "bad");
      return false;
    } finally {
      setBusy(false);
    }
  };
  return [busy, attempt];
}
