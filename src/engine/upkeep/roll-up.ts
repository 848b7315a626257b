import { addRange, addTasks } from "../sql/roll-up-events.ts";
import {
  hideNewTasks,
  hideRestricted,
  lockProgress,
  readRange,
  saveProgress,
  showUnrestricted,
} from "../sql/roll-up-progress.ts";
import type { Tx } from "../transaction.ts";

/** Events per transaction: about a tenth of a second. */
const BATCH = 5_000;
/** Tasks per transaction whose figures are added or subtracted because their readers have changed. */
const MAX_CHANGED_TASKS = 500;

/**
 * Adds an org's new events to its figures, in transactions that each store the position that they have reached, so that every
 * event is counted once. Ends after a batch that is not full, or when another node is doing the same: events that arrive
 * meanwhile are left for the next run, so that a busy org delays neither the other orgs nor retention. Returns the number of events.
 */
export async function rollUpOrg(
  runIn: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  org_id: string,
  { batch = BATCH }: { batch?: number } = {},
): Promise<number> {
  for (let total = 0; ;) {
    const { events, ended } = await runIn((tx) => rollUpBatch(tx, org_id, batch));
    total += events;
    if (ended) return total;
  }
}

/** Adds one batch; `ended` if it was not full. */
async function rollUpBatch(
  tx: Tx,
  org_id: string,
  limit: number,
): Promise<{ events: number; ended: boolean }> {
  const after = await lockProgress(tx, org_id);
  if (after === null) return { events: 0, ended: true };
  const range = await readRange(tx, org_id, { after, limit });
  if (range.until <= after) return { events: 0, ended: true };
  if (range.restricts && (await followReaders(tx, org_id, after))) return { events: 0, ended: false };
  await hideNewTasks(tx, org_id, after, range.until);
  await addRange(tx, org_id, { after, until: range.until });
  await saveProgress(tx, org_id, range);
  return { events: range.events, ended: range.events < limit };
}

/** Hides and shows tasks whose readers have changed; true if there may be more of them. */
async function followReaders(tx: Tx, org_id: string, until: number): Promise<boolean> {
  const hidden = await hideRestricted(tx, org_id, MAX_CHANGED_TASKS);
  if (hidden.length > 0) await addTasks(tx, org_id, { tasks: hidden, until, sign: -1 });
  const shown = await showUnrestricted(tx, org_id, MAX_CHANGED_TASKS);
  if (shown.length > 0) await addTasks(tx, org_id, { tasks: shown, until, sign: 1 });
  return hidden.length + shown.length > 0;
}
