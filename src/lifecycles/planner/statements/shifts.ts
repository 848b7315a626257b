import type { Instant } from "../../../core/index.ts";
import { query } from "../../../engine/transaction.ts";
import type { Tx } from "../../../engine/transaction.ts";

export type Shift = {
  id: string;
  project_id: string;
  starts_at: Instant;
  ends_at: Instant;
  members: string[];
  /** It has ended, and nothing is left that it should have released. */
  settled: boolean;
  created_by: string | null;
  created_at: Instant;
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
  select s.id, s.project_id, s.starts_at, s.ends_at, s.settled, s.created_by, s.created_at,
    array(select m.member_id from pawl.planner_shift_member m
          where m.org_id = $1 and m.shift_id = s.id order by m.member_id) as members
  from pawl.planner_shift s
  where s.org_id = $1
    and ($2::uuid is null or s.id > $2)
    and ($3::text[] is null or s.project_id = any($3))
    and ($4::uuid is null or s.id = $4)
    and ($5::boolean is null
      or (s.starts_at <= statement_timestamp() and s.ends_at > statement_timestamp()) = $5)
  order by s.id
  limit $6`;

export type ShiftFilter = {
  cursor?: string | undefined;
  projects: readonly string[] | null;
  id?: string;
  running?: boolean | undefined;
  limit: number;
};

/** Shifts, oldest first. */
export function listShifts(tx: Tx, org_id: string, filter: ShiftFilter): Promise<Shift[]> {
  const { cursor = null, projects, id = null, running = null, limit } = filter;
  return query(tx, LIST_SHIFTS, [org_id, cursor, projects, id, running, limit]);
}

const END_SHIFT = `
  update pawl.planner_shift s set starts_at = least(s.starts_at, c.now), ends_at = least(s.ends_at, c.now)
  from (select date_trunc('milliseconds', clock_timestamp()) as now) as c
  where s.org_id = $1 and s.id = $2`;

/** Ends a shift now; one that is over stays as it is. */
export async function endShift(tx: Tx, org_id: string, id: string): Promise<void> {
  await query(tx, END_SHIFT, [org_id, id]);
}

// Every org's: one probe of the index of what is unsettled for each.
const FIND_ENDED_SHIFTS = `
  select s.org_id, s.id from pawl.org o
  cross join lateral (
    select e.org_id, e.id, e.ends_at from pawl.planner_shift e
    where e.org_id = o.id and not e.settled and e.ends_at <= statement_timestamp()
    order by e.ends_at
    limit 200
  ) as s`;

/** Shifts that are over, and may have left something in their members' hands. */
export function findEndedShifts(tx: Tx): Promise<{ org_id: string; id: string }[]> {
  return query(tx, FIND_ENDED_SHIFTS, []);
}

const READ_LEFT_IN_HAND = `
  select t.id from pawl.planner_shift s
  join pawl.planner_shift_member m on m.org_id = s.org_id and m.shift_id = s.id
  join pawl.task t on t.org_id = s.org_id and t.assigned_to = m.member_id and not t.final
  where s.org_id = $1 and s.id = $2 and t.lifecycle = 'planner' and t.project_id = s.project_id
    and t.status in ('assigned', 'in_progress')
    and (t.data ->> 'assigned_at')::float8 < extract(epoch from s.ends_at) * 1000
  order by t.id`;

/** What the members of a shift got before its end, and still have. */
export async function readLeftInHand(tx: Tx, org_id: string, shift_id: string): Promise<string[]> {
  const rows = await query<{ id: string }>(tx, READ_LEFT_IN_HAND, [org_id, shift_id]);
  return rows.map(({ id }) => id);
}

const SETTLE_SHIFT = `
  update pawl.planner_shift s set settled = true
  where s.org_id = $1 and s.id = $2 and s.ends_at <= statement_timestamp()`;

export async function settleShift(tx: Tx, org_id: string, id: string): Promise<void> {
  await query(tx, SETTLE_SHIFT, [org_id, id]);
}
