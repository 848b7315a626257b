import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const LOCK_SHIFT = `
  select s.id from pawl.planner_shift s
  where s.org_id = $1 and s.id = $2::uuid and ($3::text[] is null or s.project_id = any($3))
  for update`;

/** Locks a shift of these projects until the transaction ends; returns whether there is one. */
export async function lockShift(
  tx: Tx,
  org_id: string,
  id: string,
  projects: readonly string[] | null,
): Promise<boolean> {
  return (await query(tx, LOCK_SHIFT, [org_id, id, projects])).length > 0;
}

// A shift that a pattern made is marked as edited: a change of the pattern leaves it as it is.
const CHANGE_SHIFT = `
  with shift as (
    update pawl.planner_shift s set starts_at = to_timestamp($3::float8 / 1000.0),
      ends_at = to_timestamp($4::float8 / 1000.0), edited = true, row_version = s.row_version + 1
    where s.org_id = $1 and s.id = $2::uuid
  ), gone as (
    delete from pawl.planner_shift_member m
    where m.org_id = $1 and m.shift_id = $2::uuid and m.member_id <> all($5::text[])
  )
  insert into pawl.planner_shift_member (org_id, shift_id, member_id)
  select $1, $2::uuid, m.id from unnest($5::text[]) as m(id)
  on conflict do nothing`;

export type ShiftChange = { id: string; starts_at: Instant; ends_at: Instant; members: readonly string[] };

export async function changeShift(tx: Tx, org_id: string, change: ShiftChange): Promise<void> {
  const { id, starts_at, ends_at, members } = change;
  await query(tx, CHANGE_SHIFT, [org_id, id, starts_at, ends_at, members]);
}

// The members move to a column of the shift, so that its end releases nothing and it counts for no rule.
const CANCEL_SHIFT = `
  with gone as (
    delete from pawl.planner_shift_member m where m.org_id = $1 and m.shift_id = $2::uuid
  )
  update pawl.planner_shift s set canceled_members = $3::text[], canceled_by = $4, cancel_reason = $5,
    canceled_at = to_timestamp($6::float8 / 1000.0), settled = true, row_version = s.row_version + 1
  where s.org_id = $1 and s.id = $2::uuid`;

export type Cancellation = {
  id: string;
  members: readonly string[];
  canceled_by: string | null;
  reason: string;
  now: Instant;
};

export async function cancelShift(tx: Tx, org_id: string, cancellation: Cancellation): Promise<void> {
  const { id, members, canceled_by, reason, now } = cancellation;
  await query(tx, CANCEL_SHIFT, [org_id, id, members, canceled_by, reason, now]);
}

const LOCK_PROJECT = `select p.id from pawl.project p where p.org_id = $1 and p.id = $2 for no key update`;

/** Makes copies of weeks in a project run one after another, so that the second finds the shifts of the first. */
export async function lockProject(tx: Tx, org_id: string, project_id: string): Promise<void> {
  await query(tx, LOCK_PROJECT, [org_id, project_id]);
}
