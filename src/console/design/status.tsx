import { useQuery } from "@tanstack/react-query";
import type { Lifecycle } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { useUi } from "../plugins/lifecycle-ui.ts";
import { labelOf } from "../texts/names.ts";
import { useI18n } from "../texts/i18n.tsx";

export type Tone = "good" | "warn" | "bad" | "blue" | "violet" | "cyan" | "slate" | "accent";

const WORDS: readonly [RegExp, Tone][] = [
  [/stuck|fail|error|expired|lost|reject/i, "bad"],
  [/block|hold|wait|pause|suspend/i, "warn"],
  [/review|submit|approv|check|test/i, "violet"],
];
const ACTIVE: readonly Tone[] = ["blue", "cyan", "violet", "accent"];

/** The tone that a status is shown in: by what the lifecycle says of it, then by what its name says. */
export function toneOf(lifecycle: Lifecycle | undefined, status: string): Tone {
  const spec = lifecycle?.statuses.find(({ name }) => name === status);
  if (spec?.final && spec.success) return "good";
  const spoken = WORDS.find(([pattern]) => pattern.test(status))?.[1];
  if (spec?.final) return spoken === "bad" ? "bad" : "slate";
  if (spoken) return spoken;
  const isIdle = (name: string) =>
    lifecycle?.pool?.from === name || (lifecycle?.creation.to?.some((row) => row.status === name) ?? false);
  if (!spec || isIdle(status)) return "slate";
  const active = lifecycle?.statuses.filter(
    ({ name, final }) => !final && !isIdle(name) && toneByName(name) === null,
  );
  return ACTIVE[(active ?? []).findIndex(({ name }) => name === status) % ACTIVE.length] ?? "blue";
}

function toneByName(status: string): Tone | null {
  return WORDS.find(([pattern]) => pattern.test(status))?.[1] ?? null;
}

/** Statuses as people write them; a lifecycle's screens may know better words. */
export function useStatusLabel(lifecycle: string): (status: string) => string {
  const { language } = useI18n();
  const names = useUi()(lifecycle).texts[language]?.statuses;
  return (status) => names?.[status] ?? labelOf(status);
}

export function StatusChip({ lifecycle, status }: { lifecycle: string; status: string }) {
  const { data } = useQuery(queries.lifecycle(lifecycle));
  const label = useStatusLabel(lifecycle);
  return (
    <span className="chip" data-tone={toneOf(data, status)} title={status}>
      <span className="cut">{label(status)}</span>
    </span>
  );
}
