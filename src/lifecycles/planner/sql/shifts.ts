import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

export type Shift = {
  id: string;
  project_id: string;
  starts_at: Instant;
  ends_at: Instant;
  members: string[];
  /** It has ended, and all tasks that it should release are released. */
  settled: boolean;
  created_by: string | null;
  created_at: Instant;
  row_version: number;
  /** The pattern that made it; null: planned by hand. */
  pattern_id: string | null;
  canceled_at: Instant | null;
  canceled_by: string | null;
  cancel_reason: string | null;
};

const ADD_SHIFT = `
  with shift as (
    insert into pawl.planner_shift (org_id, id, project_id, starts_at, ends_at, settled, created_by, created_at)
    values ($1, $2, $3, to_timestamp($4::float8 / 1000.0), to_timestamp($5::float8 / 1000.0), false, $6,
      to_timestamp($7::float8 / 1000.0))
  )
  insert into pawl.planner_shift_member (org_id, shift_id, member_id) select $1, $2, m.id from unnest($8::text[]) as m(id)`;

export async function addShift(tx: Tx, org_id: string, shift: Shift): Promise<void> {
  const { id, project_id, starts_at, ends_at, created_by, created_at, members } = shift;
  await query(tx, ADD_SHIFT, [org_id, id, project_id, starts_at, ends_at, created_by, created_at, members]);
}

const LIST_SHIFTS = `
  select s.id, s.project_id, s.starts_at, s.ends_at, s.created_by, s.created_at, s.row_version, s.pattern_id,
    s.canceled_at, s.canceled_by, s.cancel_reason,
    s.settled or (s.ends_at <= statement_timestamp() and not exists (
      select from pawl.planner_work_of_shift w where w.org_id = $1 and w.shift_id = s.id and w.in_hand)) as settled,
    coalesce(s.canceled_members, array(select m.member_id from pawl.planner_shift_member m
      where m.org_id = $1 and m.shift_id = s.id order by m.member_id)) as members
  from pawl.planner_shift s
  where s.org_id = $1
    and ($2::uuid is null or s.id > $2)
    and ($3::text[] is null or s.project_id = any($3))
    and ($4::uuid is null or s.id = $4)
    and ($5::boolean is null
      or (s.starts_at <= statement_timestamp() and s.ends_at > statement_timestamp()) = $5)
    and ($7::boolean or s.canceled_at is null)
    and ($8::float8 is null or s.ends_at > to_timestamp($8::float8 / 1000.0))
    and ($9::float8 is null or s.starts_at < to_timestamp($9::float8 / 1000.0))
    and ($10::text is null or $10 = any(s.canceled_members) or exists (
      select from pawl.planner_shift_member m where m.org_id = $1 and m.shift_id = s.id and m.member_id = $10))
  order by s.id
  limit $6`;

export type ShiftFilter = {
  cursor?: string | undefined;
  projects: readonly string[] | null;
  id?: string;
  running?: boolean | undefined;
  /** Also canceled shifts. */
  canceled?: boolean | undefined;
  /** Only shifts that overlap this time. */
  from?: Instant | undefined;
  to?: Instant | undefined;
  member?: string | undefined;
  limit: number;
};

/** Shifts, in the order in which they were planned. */
export function listShifts(tx: Tx, org_id: string, filter: ShiftFilter): Promise<Shift[]> {
  const { cursor = null, projects, id = null, running = null, limit } = filter;
  const { canceled = false, from = null, to = null, member = null } = filter;
  const more = [canceled, from, to, member];
  return query(tx, LIST_SHIFTS, [org_id, cursor, projects, id, running, limit, ...more]);
}

const END_SHIFT = `
  update pawl.planner_shift s set starts_at = least(s.starts_at, c.now), ends_at = least(s.ends_at, c.now),
    row_version = s.row_version + 1
  from (select date_trunc('milliseconds', clock_timestamp()) as now) as c
  where s.org_id = $1 and s.id = $2 and s.ends_at > c.now`;

/** Ends a shift now; does not change one that has ended. */
export async function endShift(tx: Tx, org_id: string, id: string): Promise<void> {
  await query(tx, END_SHIFT, [org_id, id]);
}

// One probe of the index of unsettled shifts per org.
const ORGS_WITH_ENDED_SHIFTS = `
  select o.id as org_id from pawl.org o
  where exists (
    select from pawl.planner_shift s
    where s.org_id = o.id and not s.settled and s.ends_at <= statement_timestamp())
  order by o.id`;

/** Finds orgs with ended shifts that are not settled. */
export function orgsWithEndedShifts(tx: Tx): Promise<{ org_id: string }[]> {
  return query(tx, ORGS_WITH_ENDED_SHIFTS, []);
}

const READ_LEFT_IN_HAND = `
  select distinct w.task_id as id from pawl.planner_shift s
  join pawl.planner_work_of_shift w on w.org_id = s.org_id and w.shift_id = s.id
  where s.org_id = $1 and not s.settled and s.ends_at <= statement_timestamp() and w.in_hand
    and ($2::uuid is null or s.id = $2)
    and ($3::uuid is null or w.task_id > $3)
  order by w.task_id
  limit $4`;

export type LeftInHand = {
  /** One shift; null: all ended shifts. */
  shift_id: string | null;
  after: string | null;
  limit: number;
};

/** Reads the tasks that members of ended shifts got before the end and still own. */
export async function readLeftInHand(
  tx: Tx,
  org_id: string,
  { shift_id, after, limit }: LeftInHand,
): Promise<string[]> {
  const rows = await query<{ id: string }>(tx, READ_LEFT_IN_HAND, [org_id, shift_id, after, limit]);
  return rows.map(({ id }) => id);
}

// A move that was decided before the end may commit after it, and a submitted task may still be rejected and return to its
// owner. So a shift stays unsettled for five minutes, and until all tasks of its members are reviewed.
const SETTLE_SHIFTS = `
  update pawl.planner_shift s set settled = true
  where s.org_id = $1 and not s.settled and s.ends_at <= statement_timestamp() - interval '5 minutes'
    and not exists (select from pawl.planner_work_of_shift w where w.org_id = s.org_id and w.shift_id = s.id)`;

/** Marks the shifts that no sweep needs to check again. */
export async function settleShifts(tx: Tx, org_id: string): Promise<void> {
  await query(tx, SETTLE_SHIFTS, [org_id]);
}
