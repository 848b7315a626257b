import { randomUUID } from "node:crypto";
import type {
  Actor,
  Command,
  Instant,
  JsonObject,
  Lifecycle,
  Moved,
  Refusal,
  Task,
} from "../../core/index.ts";
import type { RowIdentity } from "../sql/task-columns.ts";

/** A task with what is needed to decide about it; the identity of its row, unless that was written since it was read. */
export type LoadedTask = { [Part in keyof RowIdentity]: string | null } & {
  lifecycle: Lifecycle;
  task: Task;
  settings: JsonObject;
  /** Another task waits, or has waited, for this one. */
  awaited: boolean;
};

/** A command that has been admitted, with the task it is for. */
export type Work = LoadedTask & {
  actor: Actor;
  command: Command;
  facts: JsonObject;
  client_event_id: string | null;
};

/** Field by field: spreading the task's part cost more than deciding. */
export function workOn(
  { lifecycle, task, place, writer, settings, awaited }: LoadedTask,
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
    awaited,
    actor,
    command,
    facts: {},
    client_event_id,
  };
}

/** A client_event_id of the engine's own, where the caller gave none. */
export function newMark(): string {
  return `pawl:${randomUUID()}`;
}

/** A command by the system on a task: nobody is asked for anything. */
export function systemCommand(action: string, input: JsonObject = {}): Command {
  return { action, input, comment: null, expected_row_version: null, lease_token: null };
}

/** Idempotency record of a request. */
export type KeyRecord = { fingerprint: string; answer: JsonObject };

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
  /** Results of its side effects, by kind; null without side effects. */
  made: JsonObject | null;
  /** Idempotency record that is written with the move. */
  record: KeyRecord | null;
};
