import type { Instant, JsonObject, Lease, Refusal } from "../../core/index.ts";
import type { PublicTask } from "../read/public-task.ts";
import { usedForSomethingElse } from "../refusals.ts";
import { changeAnswer, findSharedRequests } from "../sql/find-requests.ts";
import type { RequestRow } from "../sql/find-requests.ts";
import { entryOfRow, readJournals } from "../sql/read-journal.ts";
import type { EventRow } from "../sql/read-journal.ts";
import { initialFields } from "../task-row.ts";
import type { Queryable, Tx } from "../transaction.ts";
import type { JournalEntry } from "./work.ts";

/** A task of a stored answer: its version, and the fields of the answer that are not in the journal. */
export type StoredTask = {
  id: string;
  row_version: number;
  lifecycle_version: number;
  /** The version of the journal row in the answer, if the task moved on in the same transaction. */
  event_version?: number;
  due_at?: Instant;
  due_action?: string;
  open_blockers?: number;
  open_holds?: number;
  lease?: Omit<Lease, "token">;
  lease_token?: string;
  /** The task and its journal row, stored here because the journal was deleted. */
  told?: Pick<RestoredTask, "task" | "event">;
};

/** The tasks of a stored answer; `all` has the fields that are the same for all of them. */
export type StoredTasks = { at: StoredTask[]; all?: Partial<StoredTask> };

/** Lists the tasks of a stored answer, each with all its fields. */
export function storedTasks({ at, all }: StoredTasks): StoredTask[] {
  return all === undefined ? at : at.map((one) => ({ ...all, ...one }));
}

/** Returns the stored form of a task in an answer; replays read the rest from the journal. */
export function storedTask(
  task: PublicTask,
  { lease_token = null, event = null }: { lease_token?: string | null; event?: JournalEntry | null } = {},
): StoredTask {
  const at: StoredTask = {
    id: task.id,
    row_version: task.row_version,
    lifecycle_version: task.lifecycle_version,
  };
  if (event !== null && event.row_version !== task.row_version) at.event_version = event.row_version;
  if (task.due_at !== null) at.due_at = task.due_at;
  if (task.due_action !== null) at.due_action = task.due_action;
  if (task.open_blockers !== 0) at.open_blockers = task.open_blockers;
  if (task.open_holds !== 0) at.open_holds = task.open_holds;
  if (task.lease !== null) {
    const { holder, until, heartbeat_at } = task.lease;
    at.lease = { holder, until, heartbeat_at };
  }
  if (lease_token !== null) at.lease_token = lease_token;
  return at;
}

/** A task of an earlier answer, with the journal row that led to it. */
export type RestoredTask = { task: PublicTask; event: JournalEntry; lease_token: string | null };

/** Restores tasks of an earlier answer from their journals. Leaves out tasks whose journal was deleted. */
export async function restoreTasks(
  tx: Queryable,
  org_id: string,
  stored: readonly StoredTask[],
): Promise<Map<string, RestoredTask>> {
  const restored = new Map<string, RestoredTask>();
  const journaled = stored.filter((one) => one.told === undefined);
  for (const { id, told: copy, lease_token = null } of stored)
    if (copy) restored.set(id, { ...copy, lease_token });
  if (journaled.length === 0) return restored;
  const rows = await readJournals(
    tx,
    org_id,
    journaled.map(({ id }) => id),
  );
  for (const one of journaled) {
    const journal = rows(one.id).filter((row) => Number(row.row_version) <= one.row_version);
    const [first, last] = [journal[0], journal.at(-1)];
    if (first && last) restored.set(one.id, restoreTask(org_id, one, journal, first, last));
  }
  return restored;
}

/** Runs before journals are deleted: copies their tasks into stored answers that also contain tasks that are kept. */
export async function keepAnswers(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  const deleted = new Set(ids);
  for (const { client_event_id, answer } of await findSharedRequests(tx, org_id, ids)) {
    const tasks = storedTasks(answer as StoredTasks);
    const restored = await restoreTasks(
      tx,
      org_id,
      tasks.filter(({ id }) => deleted.has(id)),
    );
    const at = tasks.map((one) => {
      const { task, event } = restored.get(one.id) ?? {};
      return task && event ? { ...one, told: { task, event } } : one;
    });
    const { all: _, ...rest } = answer as JsonObject;
    await changeAnswer(tx, org_id, client_event_id, { ...rest, at });
  }
}

function restoreTask(
  org_id: string,
  stored: StoredTask,
  journal: readonly EventRow[],
  first: EventRow,
  last: EventRow,
): RestoredTask {
  const entered = journal.findLast((row) => row.from_status !== row.to_status) ?? first;
  const task = {
    id: stored.id,
    org_id,
    project_id: last.project_id,
    lifecycle: last.lifecycle,
    lifecycle_version: stored.lifecycle_version,
    row_version: stored.row_version,
    ...(fold(journal) as Pick<PublicTask, "status" | "title" | "data">),
    open_blockers: stored.open_blockers ?? 0,
    open_holds: stored.open_holds ?? 0,
    due_at: stored.due_at ?? null,
    due_action: stored.due_action ?? null,
    lease: stored.lease ?? null,
    created_at: first.created_at,
    updated_at: last.created_at,
    entered_at: entered.created_at,
  } as PublicTask;
  const event = journal.find((row) => Number(row.row_version) === stored.event_version) ?? last;
  return { task, event: entryOfRow(event), lease_token: stored.lease_token ?? null };
}

/** Folds the patches of a journal into the fields of a task. */
export function fold(journal: readonly { patch: JsonObject }[]): JsonObject {
  const folded = initialFields();
  for (const { patch } of journal) {
    const { data, ...columns } = patch;
    Object.assign(folded, columns);
    Object.assign(folded.data as JsonObject, data);
  }
  return folded;
}

/** Refuses a key that was used for another request; null if it was used for the same one. */
export function keyConflict(use: RequestRow, fingerprint: string): Refusal | null {
  return use.fingerprint === fingerprint ? null : usedForSomethingElse(use.client_event_id);
}
