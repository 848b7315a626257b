import type { Instant, JsonObject, Lease, Task } from "../../core/index.ts";

/**
 * The columns of a task `t` that decisions need, for every statement that loads one. A value that most tasks share is null,
 * which costs nothing to send: false, zero, and a time that equals the one before it.
 */
export const TASK_COLUMNS = `
    t.id, t.ctid, t.xmin, t.lifecycle, t.lifecycle_version, t.project_id, t.status, t.row_version, t.title, t.data,
    t.created_by, t.assigned_to, nullif(t.private, false), nullif(t.priority, 0), nullif(t.attempt, 0),
    nullif(t.open_blockers, 0), nullif(t.open_holds, 0), t.due_at, t.due_action, t.available_at, t.exclusive_key,
    nullif(t.needs_attention, false), t.created_at, nullif(t.updated_at, t.created_at),
    nullif(t.entered_at, t.updated_at), t.lease_token, t.lease_holder, nullif(t.leased_at, t.updated_at), t.lease_until,
    nullif(t.awaited, false)`;

/** Identifies one version of a row: PostgreSQL gives every write of a row another pair. */
export type RowIdentity = { place: string; writer: string };

export type TaskCells = [
  id: string,
  place: string,
  writer: string,
  lifecycle: string,
  lifecycle_version: number,
  project_id: string,
  status: string,
  row_version: number,
  title: string,
  data: JsonObject,
  created_by: string | null,
  assigned_to: string | null,
  is_private: boolean | null,
  priority: number | null,
  attempt: number | null,
  open_blockers: number | null,
  open_holds: number | null,
  due_at: Instant | null,
  due_action: string | null,
  available_at: Instant | null,
  exclusive_key: string | null,
  needs_attention: boolean | null,
  created_at: Instant,
  updated_at: Instant | null,
  entered_at: Instant | null,
  lease_token: string | null,
  lease_holder: string | null,
  leased_at: Instant | null,
  lease_until: Instant | null,
  awaited: boolean | null,
];

/** The last heartbeat for a task. */
export type Beat = { token: string; beat_at: Instant; until: Instant };

/** Reads a task from its cells. */
export function taskOfCells(
  org_id: string,
  cells: readonly [...task: TaskCells, ...beside: unknown[]],
  beat: Beat | undefined,
): Task {
  const created_at = cells[22];
  const updated_at = cells[23] ?? created_at;
  return {
    id: cells[0],
    org_id,
    project_id: cells[5],
    lifecycle: cells[3],
    lifecycle_version: cells[4],
    status: cells[6],
    row_version: cells[7],
    title: cells[8],
    data: cells[9],
    created_by: cells[10],
    assigned_to: cells[11],
    private: cells[12] ?? false,
    priority: cells[13] ?? 0,
    attempt: cells[14] ?? 0,
    open_blockers: cells[15] ?? 0,
    open_holds: cells[16] ?? 0,
    due_at: cells[17],
    due_action: cells[18],
    available_at: cells[19],
    exclusive_key: cells[20],
    needs_attention: cells[21] ?? false,
    lease: leaseOf(cells[25], cells[26] ?? "", cells[27] ?? updated_at, cells[28] ?? 0, beat),
    created_at,
    updated_at,
    entered_at: cells[24] ?? updated_at,
  };
}

/** A heartbeat for another token came too late, or was for the lease before. */
export function leaseOf(
  token: string | null,
  holder: string,
  leased_at: Instant,
  until: Instant,
  beat: Beat | undefined,
): Lease | null {
  if (token === null) return null;
  if (beat?.token !== token) return { token, holder, until, heartbeat_at: leased_at };
  return { token, holder, until: beat.until, heartbeat_at: beat.beat_at };
}
