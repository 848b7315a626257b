import { useStatusLabel } from "../design/status.tsx";
import { useI18n } from "../texts/i18n.tsx";
import type { Target } from "./targets.ts";

/** Why a task cannot be brought from one status to another: every reason, each once. */
export function useReasons(lifecycle: string): (from: string, target: Target) => string[] {
  const { t, n } = useI18n();
  const label = useStatusLabel(lifecycle);
  return (from, { status, refusals }) =>
    refusals.length === 0
      ? [t.board.noWay(label(from), label(status))]
      : [...new Set(refusals.map((refusal) => n.refusal(refusal, label)))];
}
