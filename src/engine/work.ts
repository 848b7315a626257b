import type { Actor, Command, Instant, JsonObject, Lifecycle, Moved, Refusal, Task } from "../core/index.ts";

/** A locked task with what is needed to decide about it. */
export type Locked = {
  lifecycle: Lifecycle;
  task: Task;
  /** Where its row lies, if it is not known to have been written since it was locked. */
  place: string | null;
  /** Who wrote it, where it was only looked at: it may be written as long as it is that row. */
  writer: string | null;
  settings: JsonObject;
  hasDependents: boolean;
  /** A row beside it tells of the last one. */
  hasHeartbeat: boolean;
};

/** A command that has been admitted, with the locked task it is for. */
export type Work = Locked & {
  actor: Actor;
  command: Command;
  facts: JsonObject;
  client_event_id: string | null;
};

/** Field by field: spreading the task's part cost more than deciding. */
export function workOn(
  { lifecycle, task, place, writer, settings, hasDependents, hasHeartbeat }: Locked,
  actor: Actor,
  command: Command,
  client_event_id: string | null,
): Work {
  return {
    lifecycle,
    task,
    place,
    writer,
    settings,
    hasDependents,
    hasHeartbeat,
    actor,
    command,
    facts: {},
    client_event_id,
  };
}

/** A journal row as it is told. */
export type JournalEntry = {
  id: string;
  task_id: string;
  row_version: number;
  type: string;
  action: string;
  from_status: string | null;
  to_status: string | null;
  actor_id: string | null;
  comment: string | null;
  payload: JsonObject | null;
  created_at: Instant;
};

export type Settled =
  | { kind: "moved"; task: Task; event: JournalEntry; lease_token: string | null; made: JsonObject | null }
  | { kind: "touched" | "absorbed"; task: Task }
  | { kind: "deferred" }
  | Refusal;

export type Move = {
  work: Work;
  decision: Moved;
  after: Task;
  /** The task's row is not as `work` has it: counters fell in this very transaction. */
  stale: boolean;
  /** What its side effects have made, by their kind; null where it has none. */
  made: JsonObject | null;
};
