import type { JournalEntry, Lifecycle } from "../../data/api-types.ts";

/** The parts of a definition and of a journal entry that are needed here. */
type Declared = Pick<Lifecycle, "statuses" | "creation" | "pool"> & {
  rules: readonly Pick<Lifecycle["rules"][number], "action" | "from" | "effects">[];
};
type Entry = Pick<JournalEntry, "action" | "from_status" | "to_status" | "actor_id" | "created_at">;

export type Attempt<Item extends Entry = Entry> = { number: number; started: Item; ended: Item | null };

/**
 * Finds the attempts in a journal. An attempt begins when a task leaves its first status or the pool, or when another member takes it over; it ends when the
 * task returns there, is taken over, or is finished. All of this comes from the definition; nothing is guessed from names.
 */
export function findAttempts<Item extends Entry>(
  declared: Declared,
  journal: readonly Item[],
): Attempt<Item>[] {
  const free = new Set([...(declared.creation.to ?? []).map(({ status }) => status), declared.pool?.from]);
  const final = new Set(declared.statuses.filter((status) => status.final).map(({ name }) => name));
  const isInWork = (status: string | null) => status !== null && !free.has(status) && !final.has(status);
  const changesHands = ({ action, from_status }: Item) =>
    declared.rules.some(
      (rule) =>
        rule.action === action &&
        rule.from.includes(from_status ?? "") &&
        rule.effects.includes("assign_actor"),
    );
  const isTaken =
    declared.pool != null || declared.rules.some(({ effects }) => effects.includes("assign_actor"));
  if (!isTaken) return [];
  const attempts: Attempt<Item>[] = [];
  for (const entry of journal) {
    const [before, after] = [isInWork(entry.from_status), isInWork(entry.to_status ?? entry.from_status)];
    const last = attempts.at(-1);
    const takenOver = before && after && changesHands(entry);
    if (last && before && (!after || takenOver)) last.ended = entry;
    if ((!before && after) || takenOver)
      attempts.push({ number: attempts.length + 1, started: entry, ended: null });
  }
  return attempts;
}
