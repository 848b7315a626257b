import { useState } from "react";
import { PawlProblem } from "../data/client.ts";
import { useI18n } from "../texts/i18n.tsx";
import { toast } from "./toasts.tsx";

/** Returns one sentence that describes an error. */
export function useProblemText(): (problem: unknown) => string {
  const { t, n } = useI18n();
  return (problem) => {
    if (!(problem instanceof PawlProblem)) return String(problem);
    return problem.status === 0 ? t.common.unreachable : n.refusal(problem);
  };
}

/** Runs an action without a dialog: `busy` while it runs, a toast if it fails. Returns true on success. */
export function useToastOnError(): [
  busy: boolean,
  run: (action: () => Promise<unknown>) => Promise<boolean>,
] {
  const [busy, setBusy] = useState(false);
  const textOf = useProblemText();
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await action();
      return true;
    } catch (error) {
      toast(textOf(error), "bad");
      return false;
    } finally {
      setBusy(false);
    }
  };
  return [busy, run];
}
