import type { JournalEntry, Lifecycle } from "../../data/told.ts";

/** What is read of a definition and of a journal to know. */
type Declared = Pick<Lifecycle, "statuses" | "creation" | "pool"> & {
  rules: readonly Pick<Lifecycle["rules"][number], "action" | "from" | "effects">[];
};
type Entry = Pick<JournalEntry, "action" | "from_status" | "to_status" | "actor_id" | "created_at">;

export type Attempt<Told extends Entry = Entry> = { number: number; begun: Told; ended: Told | null };

/**
 * Where members take tasks, an attempt begins when a task leaves where it was born or lies in the pool, or when another takes it over; it ends where it
 * comes back there, is taken over, or is finished. All of this is declared: nothing is guessed from names.
 */
export function attemptsIn<Told extends Entry>(
  declared: Declared,
  journal: readonly Told[],
): Attempt<Told>[] {
  const free = new Set([...(declared.creation.to ?? []).map(({ status }) => status), declared.pool?.from]);
  const final = new Set(declared.statuses.filter((status) => status.final).map(({ name }) => name));
  const inHand = (status: string | null) => status !== null && !free.has(status) && !final.has(status);
  const changesHands = ({ action, from_status }: Told) =>
    declared.rules.some(
      (rule) =>
        rule.action === action &&
        rule.from.includes(from_status ?? "") &&
        rule.effects.includes("assign_actor"),
    );
  const isTaken =
    declared.pool != null || declared.rules.some(({ effects }) => effects.includes("assign_actor"));
  if (!isTaken) return [];
  const attempts: Attempt<Told>[] = [];
  for (const entry of journal) {
    const [before, after] = [inHand(entry.from_status), inHand(entry.to_status ?? entry.from_status)];
    const last = attempts.at(-1);
    const takenOver = before && after && changesHands(entry);
    if (last && before && (!after || takenOver)) last.ended = entry;
    if ((!before && after) || takenOver)
      attempts.push({ number: attempts.length + 1, begun: entry, ended: null });
  }
  return attempts;
}
