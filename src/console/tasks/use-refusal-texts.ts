import { useStatusLabel } from "../design/status.tsx";
import { useI18n } from "../texts/i18n.tsx";
import type { MoveTarget } from "./move-targets.ts";

/** Returns the reasons why a task cannot be moved to a status, without duplicates. */
export function useRefusalTexts(lifecycle: string): (from: string, target: MoveTarget) => string[] {
  const { t, n } = useI18n();
  const label = useStatusLabel(lifecycle);
  return (from, { status, refusals }) =>
    refusals.length === 0
      ? [t.board.noAction(label(from), label(status))]
      : [...new Set(refusals.map((refusal) => n.refusal(refusal, label)))];
}
