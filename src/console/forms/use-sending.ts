import { useState } from "react";
import { PawlProblem } from "../data/client.ts";
import { mistakesIn } from "./schema.ts";
import type { Mistakes } from "./schema.ts";

/** Sends what a form holds, once at a time; what comes back wrong is kept, to be shown at the fields and above them. */
export function useSending() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const [mistakes, setMistakes] = useState<Mistakes>({});
  /** Nothing is sent while something is known to be wrong. */
  const send = async (deed: () => Promise<unknown>, known: Mistakes = {}) => {
    setMistakes(known);
    if (busy || Object.keys(known).length > 0) return;
    setBusy(true);
    setProblem(null);
    try {
      await deed();
    } catch (error) {
      setProblem(error);
      if (error instanceof PawlProblem) setMistakes(mistakesIn(error.params));
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, mistakes, send };
}
