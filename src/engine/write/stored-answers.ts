import type { Instant, JsonObject, Lease, Refusal } from "../../core/index.ts";
import type { PublicTask } from "../read/public-task.ts";
import { usedForSomethingElse } from "../refusals.ts";
import { changeAnswer, findSharedRequests } from "../sql/find-requests.ts";
import type { RequestRow } from "../sql/find-requests.ts";
import { entryOfRow, readJournals } from "../sql/read-journal.ts";
import type { EventRow } from "../sql/read-journal.ts";
import { unwritten } from "../task-row.ts";
import type { Runs, Tx } from "../transaction.ts";
import type { JournalEntry } from "./work.ts";

/** A task at one version, as an answer told it: what the journal does not know. */
export type TaskAt = {
  id: string;
  row_version: number;
  lifecycle_version: number;
  /** The version of the journal row that the answer told, where the task has moved on since. */
  event_version?: number;
  due_at?: Instant;
  due_action?: string;
  open_blockers?: number;
  open_holds?: number;
  lease?: Omit<Lease, "token">;
  lease_token?: string;
  /** The task and its journal row, where the journal is gone. */
  told?: Pick<Retold, "task" | "event">;
};

/** The tasks of a stored answer; what is the same for all of them is stored once, as `all`. */
export type StoredTasks = { at: TaskAt[]; all?: Partial<TaskAt> };

export function tasksAt({ at, all }: StoredTasks): TaskAt[] {
  return all === undefined ? at : at.map((one) => ({ ...all, ...one }));
}

/** Names a task of an answer by its version; the rest of it is in the journal. */
export function taskAt(
  task: PublicTask,
  { lease_token = null, event = null }: { lease_token?: string | null; event?: JournalEntry | null } = {},
): TaskAt {
  const at: TaskAt = {
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
export type Retold = { task: PublicTask; event: JournalEntry; lease_token: string | null };

/** Tells tasks again as they were, from their journals. Those whose journal is gone are left out. */
export async function retell(tx: Runs, org_id: string, ats: readonly TaskAt[]): Promise<Map<string, Retold>> {
  const told = new Map<string, Retold>();
  const journalled = ats.filter((at) => at.told === undefined);
  for (const { id, told: kept, lease_token = null } of ats) if (kept) told.set(id, { ...kept, lease_token });
  if (journalled.length === 0) return told;
  const rows = await readJournals(
    tx,
    org_id,
    journalled.map(({ id }) => id),
  );
  for (const at of journalled) {
    const journal = rows(at.id).filter((row) => Number(row.row_version) <= at.row_version);
    const [first, last] = [journal[0], journal.at(-1)];
    if (first && last) told.set(at.id, retold(org_id, at, journal, first, last));
  }
  return told;
}

/** Before journals go: answers that tell of their tasks and of others that stay keep what they tell. */
export async function keepAnswers(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  const gone = new Set(ids);
  for (const { client_event_id, answer } of await findSharedRequests(tx, org_id, ids)) {
    const ats = tasksAt(answer as StoredTasks);
    const told = await retell(
      tx,
      org_id,
      ats.filter(({ id }) => gone.has(id)),
    );
    const kept = ats.map((at) => {
      const { task, event } = told.get(at.id) ?? {};
      return task && event ? { ...at, told: { task, event } } : at;
    });
    const { all: _, ...rest } = answer as JsonObject;
    await changeAnswer(tx, org_id, client_event_id, { ...rest, at: kept });
  }
}

function retold(
  org_id: string,
  at: TaskAt,
  journal: readonly EventRow[],
  first: EventRow,
  last: EventRow,
): Retold {
  const entered = journal.findLast((row) => row.from_status !== row.to_status) ?? first;
  const task = {
    id: at.id,
    org_id,
    project_id: last.project_id,
    lifecycle: last.lifecycle,
    lifecycle_version: at.lifecycle_version,
    row_version: at.row_version,
    ...(fold(journal) as Pick<PublicTask, "status" | "title" | "data">),
    open_blockers: at.open_blockers ?? 0,
    open_holds: at.open_holds ?? 0,
    due_at: at.due_at ?? null,
    due_action: at.due_action ?? null,
    lease: at.lease ?? null,
    created_at: first.created_at,
    updated_at: last.created_at,
    entered_at: entered.created_at,
  } as PublicTask;
  const told = journal.find((row) => Number(row.row_version) === at.event_version) ?? last;
  return { task, event: entryOfRow(told), lease_token: at.lease_token ?? null };
}

/** Folds the patches of a journal into the fields of a task. */
export function fold(journal: readonly { patch: JsonObject }[]): JsonObject {
  const folded = unwritten();
  for (const { patch } of journal) {
    const { data, ...columns } = patch;
    Object.assign(folded, columns);
    Object.assign(folded.data as JsonObject, data);
  }
  return folded;
}

/** Null where a key was used for just this; otherwise the refusal. */
export function otherMeaning(use: RequestRow, fingerprint: string): Refusal | null {
  return use.fingerprint === fingerprint ? null : usedForSomethingElse(use.client_event_id);
}
