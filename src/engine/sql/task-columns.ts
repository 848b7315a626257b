import type { Instant, JsonObject, Lease, Task } from "../../core/index.ts";

/**
 * The columns of a task `t` that decisions need, in the order of TaskCells. Common values (false, zero, a time equal to the one
 * before it) are sent as null, which costs nothing.
 */
const COLUMNS = {
  id: "t.id",
  // As text, because Prisma cannot read the types `tid` and `xid`.
  place: "t.ctid::text",
  writer: "t.xmin::text",
  lifecycle: "t.lifecycle",
  lifecycle_version: "t.lifecycle_version",
  project_id: "t.project_id",
  status: "t.status",
  row_version: "t.row_version",
  title: "t.title",
  data: "t.data",
  created_by: "t.created_by",
  assigned_to: "t.assigned_to",
  private: "nullif(t.private, false)",
  priority: "nullif(t.priority, 0)",
  attempt: "nullif(t.attempt, 0)",
  open_blockers: "nullif(t.open_blockers, 0)",
  open_holds: "nullif(t.open_holds, 0)",
  due_at: "t.due_at",
  due_action: "t.due_action",
  available_at: "t.available_at",
  exclusive_key: "t.exclusive_key",
  needs_attention: "nullif(t.needs_attention, false)",
  created_at: "t.created_at",
  updated_at: "nullif(t.updated_at, t.created_at)",
  entered_at: "nullif(t.entered_at, t.updated_at)",
  lease_token: "t.lease_token",
  lease_holder: "t.lease_holder",
  leased_at: "nullif(t.leased_at, t.updated_at)",
  lease_until: "t.lease_until",
  awaited: "nullif(t.awaited, false)",
  readers: "t.readers",
};

/**
 * Lists the columns of a task for a statement; `others` are expressions that replace some of them. Each has its own name, because
 * some drivers return rows as objects.
 */
export function taskColumns(others: Partial<typeof COLUMNS> = {}): string {
  return Object.entries({ ...COLUMNS, ...others })
    .map(([name, expression]) => `${expression} as ${name}`)
    .join(", ");
}

export const TASK_COLUMNS = taskColumns();

/** Identifies one version of a row: PostgreSQL gives every write of a row another pair. */
export type RowIdentity = { ctid: string; xmin: string };

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
  readers: string[] | null,
];

/** The last heartbeat of a task. */
export type Beat = { token: string; beat_at: Instant; until: Instant };

/** Reads a task from its cells. */
export function taskOfCells(
  org_id: string,
  cells: readonly [...task: TaskCells, ...others: unknown[]],
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
    ...(cells[30] === null ? undefined : { readers: cells[30] }),
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

/** Returns a task's lease, renewed by its heartbeat if that has the same token; another token is that of an earlier lease. */
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
