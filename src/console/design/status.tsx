import { useQuery } from "@tanstack/react-query";
import type { Lifecycle } from "../data/client.ts";
import { queries } from "../data/queries.ts";
import { useUi } from "../plugins/lifecycle-ui.ts";
import { labelOf } from "../texts/names.ts";
import { useI18n } from "../texts/i18n.tsx";

/** A colour of the console, which depends on light or dark mode; also used as `data-tone`. */
export type Tone = "good" | "warn" | "bad" | "blue" | "violet" | "cyan" | "slate" | "accent";

const TONES_BY_WORD: readonly [RegExp, Tone][] = [
  [/stuck|fail|error|expired|lost|reject/i, "bad"],
  [/block|hold|wait|pause|suspend/i, "warn"],
  [/review|submit|approv|check|test/i, "violet"],
];
const ACTIVE: readonly Tone[] = ["blue", "cyan", "violet", "accent"];

/** The colour of a status: by its flags in the lifecycle, then by words in its name. */
export function toneOf(lifecycle: Lifecycle | undefined, status: string): Tone {
  const spec = lifecycle?.statuses.find(({ name }) => name === status);
  if (spec?.final && spec.success) return "good";
  const byName = toneByName(status);
  if (spec?.final) return byName === "bad" ? "bad" : "slate";
  if (byName) return byName;
  const isIdle = (name: string) =>
    lifecycle?.pool?.from === name || (lifecycle?.creation.to?.some((row) => row.status === name) ?? false);
  if (!spec || isIdle(status)) return "slate";
  const active = lifecycle?.statuses.filter(
    ({ name, final }) => !final && !isIdle(name) && toneByName(name) === null,
  );
  return ACTIVE[(active ?? []).findIndex(({ name }) => name === status) % ACTIVE.length] ?? "blue";
}

function toneByName(status: string): Tone | null {
  return TONES_BY_WORD.find(([pattern]) => pattern.test(status))?.[1] ?? null;
}

/** Returns a status's label: from the plugin's texts, else made from its name. */
export function useStatusLabel(lifecycle: string): (status: string) => string {
  const { language } = useI18n();
  const names = useUi()(lifecycle).texts[language]?.statuses;
  return (status) => names?.[status] ?? labelOf(status);
}

/** The label of a status, in its colour. */
export function StatusChip({ lifecycle, status }: { lifecycle: string; status: string }) {
  const { data } = useQuery(queries.lifecycle(lifecycle));
  const label = useStatusLabel(lifecycle);
  return (
    <span className="chip" data-tone={toneOf(data, status)} title={status}>
      <span className="cut">{label(status)}</span>
    </span>
  );
}
