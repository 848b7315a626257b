import type { Instant } from "../../../core/index.ts";
import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";
import type { Recurrence } from "../shift-calendar.ts";

export type ShiftPattern = Recurrence & {
  id: string;
  project_id: string;
  name: string;
  members: string[];
  /** Shifts are made this many days ahead. */
  ahead_days: number;
  expanded_through: string;
  row_version: number;
  created_by: string | null;
  created_at: Instant;
  ended_at: Instant | null;
};

const SAVE_PATTERN = `
  insert into pawl.planner_shift_pattern (org_id, id, project_id, name, starts, ends, time_zone, weekdays, every_weeks,
    days_on, days_off, from_date, until_date, except_dates, members, ahead_days, expanded_through, row_version,
    created_by, created_at, ended_at)
  select $1, p.id, p.project_id, p.name, p.starts, p.ends, p.time_zone, p.weekdays, p.every_weeks, p.days_on, p.days_off,
    p.from_date, p.until_date, p.except_dates, p.members, p.ahead_days, p.expanded_through, p.row_version,
    p.created_by, to_timestamp(p.created_at / 1000.0), to_timestamp(p.ended_at / 1000.0)
  from json_to_recordset($2::text::json) as p(id uuid, project_id text, name text, starts text, ends text,
    time_zone text, weekdays text[], every_weeks integer, days_on integer, days_off integer, from_date date,
    until_date date, except_dates date[], members text[], ahead_days integer, expanded_through date,
    row_version integer, created_by text, created_at float8, ended_at float8)
  on conflict (org_id, id) do update set name = excluded.name, starts = excluded.starts, ends = excluded.ends,
    time_zone = excluded.time_zone, weekdays = excluded.weekdays, every_weeks = excluded.every_weeks,
    days_on = excluded.days_on, days_off = excluded.days_off, from_date = excluded.from_date,
    until_date = excluded.until_date, except_dates = excluded.except_dates, members = excluded.members,
    ahead_days = excluded.ahead_days, expanded_through = excluded.expanded_through,
    row_version = excluded.row_version, ended_at = excluded.ended_at`;

/** Saves a new or changed pattern. */
export async function savePattern(tx: Tx, org_id: string, pattern: ShiftPattern): Promise<void> {
  await query(tx, SAVE_PATTERN, [org_id, asRows([pattern])]);
}

const LIST_PATTERNS = `
  select p.id, p.project_id, p.name, p.starts, p.ends, p.time_zone, p.weekdays, p.every_weeks, p.days_on, p.days_off,
    p.from_date::text, p.until_date::text, p.except_dates::text[], p.members, p.ahead_days, p.expanded_through::text,
    p.row_version, p.created_by, p.created_at, p.ended_at
  from pawl.planner_shift_pattern p
  where p.org_id = $1
    and ($2::uuid is null or p.id > $2)
    and ($3::text[] is null or p.project_id = any($3))
    and ($4::uuid is null or p.id = $4)
    and ($5::boolean or p.ended_at is null)
  order by p.id
  limit $6`;

export type PatternFilter = {
  cursor?: string | undefined;
  projects: readonly string[] | null;
  id?: string;
  /** Also patterns that were ended. */
  ended?: boolean | undefined;
  limit: number;
};

export function listPatterns(tx: Tx, org_id: string, filter: PatternFilter): Promise<ShiftPattern[]> {
  const { cursor = null, projects, id = null, ended = false, limit } = filter;
  return query(tx, LIST_PATTERNS, [org_id, cursor, projects, id, ended, limit]);
}

const LOCK_PATTERN = `select p.id from pawl.planner_shift_pattern p where p.org_id = $1 and p.id = $2::uuid for update`;

/** Locks a pattern until the transaction ends; then no other node expands it. */
export async function lockPattern(tx: Tx, org_id: string, id: string): Promise<void> {
  await query(tx, LOCK_PATTERN, [org_id, id]);
}

// The date in the pattern's time zone is at most a day away from that of UTC, so one day is left over.
const ORGS_WITH_DUE_PATTERNS = `
  select o.id as org_id from pawl.org o
  where exists (
    select from pawl.planner_shift_pattern p
    where p.org_id = o.id and p.ended_at is null
      and p.expanded_through < (statement_timestamp() at time zone 'UTC')::date + p.ahead_days - 1
      and (p.until_date is null or p.expanded_through < p.until_date))
  order by o.id`;

/** Finds orgs with patterns that need more shifts. */
export function orgsWithDuePatterns(tx: Tx): Promise<{ org_id: string }[]> {
  return query(tx, ORGS_WITH_DUE_PATTERNS, []);
}

const LOCK_DUE_PATTERN = `
  select p.id from pawl.planner_shift_pattern p
  where p.org_id = $1 and p.ended_at is null and ($2::uuid is null or p.id > $2)
    and p.expanded_through < (statement_timestamp() at time zone 'UTC')::date + p.ahead_days - 1
    and (p.until_date is null or p.expanded_through < p.until_date)
  order by p.id
  limit 1
  for update skip locked`;

/** Locks the next pattern that needs more shifts and that no other node expands. */
export async function lockDuePattern(tx: Tx, org_id: string, after: string | null): Promise<string | null> {
  const [row] = await query<{ id: string }>(tx, LOCK_DUE_PATTERN, [org_id, after]);
  return row?.id ?? null;
}

// The index of pattern and date lets each date have one shift, also if it was canceled.
const ADD_SHIFTS_OF_PATTERN = `
  with shifts as (
    insert into pawl.planner_shift (org_id, id, project_id, starts_at, ends_at, settled, created_by, created_at,
      pattern_id, pattern_date)
    select $1, s.id, $3, to_timestamp(s.starts_at / 1000.0), to_timestamp(s.ends_at / 1000.0), false, $4,
      to_timestamp($5::float8 / 1000.0), $2::uuid, s.date
    from json_to_recordset($6::text::json) as s(id uuid, date date, starts_at float8, ends_at float8)
    on conflict do nothing
    returning id
  ), crew as (
    insert into pawl.planner_shift_member (org_id, shift_id, member_id)
    select $1, s.id, m.id from shifts s cross join unnest($7::text[]) as m(id)
  )
  select s.id from shifts s`;

export type ShiftsOfPattern = {
  pattern: ShiftPattern;
  now: Instant;
  shifts: readonly { id: string; date: string; starts_at: Instant; ends_at: Instant }[];
  members: readonly string[];
};

/** Adds the shifts of dates that have none yet; returns how many. */
export async function addShiftsOfPattern(tx: Tx, org_id: string, given: ShiftsOfPattern): Promise<number> {
  const { pattern, now, shifts, members } = given;
  const { id, project_id, created_by } = pattern;
  const params = [org_id, id, project_id, created_by, now, asRows(shifts), members];
  return (await query(tx, ADD_SHIFTS_OF_PATTERN, params)).length;
}

const REMOVE_UPCOMING = `
  delete from pawl.planner_shift s
  where s.org_id = $1 and s.pattern_id = $2::uuid and not s.edited and s.canceled_at is null
    and s.starts_at > to_timestamp($3::float8 / 1000.0)
  returning s.id`;

/** Removes the shifts of a pattern that have not begun, except edited and canceled ones; returns how many. */
export async function removeUpcoming(tx: Tx, org_id: string, id: string, now: Instant): Promise<number> {
  return (await query(tx, REMOVE_UPCOMING, [org_id, id, now])).length;
}
