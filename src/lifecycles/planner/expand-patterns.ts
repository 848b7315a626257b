import { v7 as uuidv7 } from "uuid";
import type { Instant } from "../../core/index.ts";
import { readClock } from "../../plugin/index.ts";
import type { SweepTools, Tx } from "../../plugin/index.ts";
import { activeMembers } from "./sql/read-people.ts";
import {
  addShiftsOfPattern,
  listPatterns,
  lockDuePattern,
  orgsWithDuePatterns,
  savePattern,
} from "./sql/shift-patterns.ts";
import type { ShiftPattern } from "./sql/shift-patterns.ts";

/** Makes the next shifts of all patterns, at every sweep of every node. A locked pattern is expanded by another node. */
export async function expandDuePatterns({ transaction }: Pick<SweepTools, "transaction">): Promise<void> {
  for (const { org_id } of await transaction(orgsWithDuePatterns)) {
    let after: string | null = null;
    do {
      const last: string | null = after;
      after = await transaction((tx) => expandNext(tx, org_id, last));
    } while (after !== null);
  }
}

async function expandNext(tx: Tx, org_id: string, after: string | null): Promise<string | null> {
  const id = await lockDuePattern(tx, org_id, after);
  if (id === null) return null;
  const [pattern] = await listPatterns(tx, org_id, { projects: null, id, limit: 1 });
  if (pattern) await expandPattern(tx, org_id, pattern, await readClock(tx));
  return id;
}

/** Makes the shifts of a locked pattern up to its horizon, with the members who are active; returns how many are new. */
export async function expandPattern(
  tx: Tx,
  org_id: string,
  pattern: ShiftPattern,
  now: Instant,
): Promise<number> {
  const { addDays, dateAt, occurrencesOf } = await loadCalendar();
  const today = dateAt(now, pattern.time_zone);
  const expanded_through = addDays(today, pattern.ahead_days);
  // A night shift that began yesterday may still be running.
  const coming = occurrencesOf(pattern, addDays(today, -1), expanded_through).filter(
    ({ ends_at }) => ends_at > now,
  );
  const members = await activeMembers(tx, org_id, pattern.project_id, pattern.members);
  await savePattern(tx, org_id, { ...pattern, expanded_through });
  if (members.length === 0) return 0;
  const shifts = coming.map((one) => ({ id: uuidv7(), ...one }));
  return addShiftsOfPattern(tx, org_id, { pattern, now, shifts, members });
}

/** Loads the calendar on demand, because of its library. */
export function loadCalendar() {
  return import("./shift-calendar.ts");
}
