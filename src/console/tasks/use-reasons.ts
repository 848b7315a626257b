import { useStatusLabel } from "../design/status.tsx";
import { useWords } from "../texts/words.tsx";
import type { Target } from "./targets.ts";

/** Why a task cannot be brought from one status to another: every reason, each once. */
export function useReasons(lifecycle: string): (from: string, target: Target) => string[] {
  const { t, n } = useWords();
  const label = useStatusLabel(lifecycle);
  return (from, { status, refusals }) =>
    refusals.length === 0
      ? [t.board.noWay(label(from), label(status))]
      : [...new Set(refusals.map((refusal) => n.refusal(refusal, label)))];
}
