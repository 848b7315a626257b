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

/** A task with everything needed to decide about it. ctid and xmin are null once this transaction has written the row. */
export type LoadedTask = { [Part in keyof RowIdentity]: string | null } & {
  lifecycle: Lifecycle;
  task: Task;
  settings: JsonObject;
  /** Another task waits, or has waited, for this one. */
  awaited: boolean;
};

/** An admitted command with its task. */
export type Work = LoadedTask & {
  actor: Actor;
  command: Command;
  facts: JsonObject;
  client_event_id: string | null;
};

/** Combines a loaded task and a command. Field by field, because spreading the task cost more than deciding. */
export function workOn(
  { lifecycle, task, ctid, xmin, settings, awaited }: LoadedTask,
  actor: Actor,
  command: Command,
  client_event_id: string | null,
): Work {
  return {
    lifecycle,
    task,
    ctid,
    xmin,
    settings,
    awaited,
    actor,
    command,
    facts: {},
    client_event_id,
  };
}

/** Makes a client_event_id for the journal if the caller sent none. */
export function newInternalKey(): string {
  return `pawl:${randomUUID()}`;
}

/** A command of the system: no comment, version or lease token is required. */
export function systemCommand(action: string, input: JsonObject = {}): Command {
  return { action, input, comment: null, expected_row_version: null, lease_token: null };
}

/** Idempotency record of a request. */
export type KeyRecord = { fingerprint: string; answer: JsonObject };

/**
 * The idempotency key of a call with several commands. One record has the answers of those that one statement wrote; it exists
 * as soon as any command of the call has been carried out, so a repeated call can never take the fast path again.
 */
export type CallKey = { client_event_id: string; actor_id: string | null; fingerprint: string };

/** A journal row as callers see it. */
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

/** The result of one command inside a unit of work. "deferred": retry in the next transaction. */
export type CommandResult =
  | { kind: "moved"; task: Task; event: JournalEntry; lease_token: string | null; made: JsonObject | null }
  | { kind: "touched" | "absorbed"; task: Task }
  | { kind: "deferred" }
  | Refusal;

/** A decided move that is ready to be written. */
export type Move = {
  work: Work;
  decision: Moved;
  after: Task;
  /** The row differs from `work.task`: its counters changed earlier in this transaction. */
  stale: boolean;
  /** Results of its side effects, by kind; null without side effects. */
  made: JsonObject | null;
  /** Idempotency record that is written with the move. */
  record: KeyRecord | null;
  /** For a command of a call with a key: its part of the call's record. */
  entry: { call: CallKey; answer: JsonObject } | null;
};
