/** Milliseconds since 1970, always from the database's clock. */
export type Instant = number;

export type JsonObject = Record<string, unknown>;

/** A claim that expires. Only the claimer knows the token. */
export type Lease = { token: string; holder: string; until: Instant; heartbeat_at: Instant };

/** A task as rules see it: its row and its lease. */
export type Task<Status extends string = string, Data = JsonObject> = {
  id: string;
  org_id: string;
  project_id: string;
  lifecycle: string;
  lifecycle_version: number;
  status: Status;
  row_version: number;
  title: string;
  data: Data;
  created_by: string | null;
  assigned_to: string | null;
  /** Visible to its creator and its assignee only. */
  private: boolean;
  /** If set, the only members that may see the task. */
  readers?: readonly string[] | null;
  priority: number;
  attempt: number;
  open_blockers: number;
  open_holds: number;
  /** The next timer: its time, and the action that the sweep then performs. */
  due_at: Instant | null;
  due_action: string | null;
  /** The task cannot be taken before this time: a delay, or the backoff of a retry. */
  available_at: Instant | null;
  /** At most one task of an org holds a given key. */
  exclusive_key: string | null;
  needs_attention: boolean;
  lease: Lease | null;
  created_at: Instant;
  updated_at: Instant;
  /** When the task entered its current status. */
  entered_at: Instant;
};

/** The columns that a rule's effects change. Absent means unchanged; `data` is merged key by key. */
export type Patch = {
  title?: string;
  data?: JsonObject;
  assigned_to?: string | null;
  private?: boolean;
  priority?: number;
  attempt?: number;
  open_blockers?: number;
  open_holds?: number;
  available_at?: Instant | null;
  exclusive_key?: string | null;
  needs_attention?: boolean;
};

/** The next timer: its time, and the action that the sweep then performs. */
export type DueTimer = { due_at: Instant; due_action: string };

export type MemberKind = "human" | "agent" | "worker" | "service";

/** A member of the org, or the system (id null). */
export type Actor = {
  id: string | null;
  name: string;
  kind: MemberKind | "system";
  roles: readonly string[];
  skill_level: number | null;
  specializations: readonly string[];
  /** null: every project of the org. */
  project_ids: readonly string[] | null;
};

/** The actor of the sweep and of everything else that Pawl does by itself. */
export const SYSTEM: Actor = Object.freeze({
  id: null,
  name: "system",
  kind: "system",
  roles: Object.freeze(["system"]),
  skill_level: null,
  specializations: Object.freeze([]),
  project_ids: null,
});

/** The fields of a task, or of a row or event of it, that decide which members may see it. */
type Visibility = Pick<Task, "project_id" | "private" | "readers" | "created_by" | "assigned_to">;

/** Checks whether a task is visible to an actor: in one of its projects, not private to others, and not restricted to others. */
export function canSee(actor: Actor, task: Visibility): boolean {
  if (actor.id === null) return true;
  if (actor.project_ids !== null && !actor.project_ids.includes(task.project_id)) return false;
  if (task.readers && !task.readers.includes(actor.id)) return false;
  return !task.private || task.created_by === actor.id || task.assigned_to === actor.id;
}
