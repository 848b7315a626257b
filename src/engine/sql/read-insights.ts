import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

/** Selects figures: those of a lifecycle, in some projects (null: all), since a time. */
export type InsightScope = { lifecycle: string; projects: readonly string[] | null; since: Instant };

/** The periods of a window: coarse ones from `coarse_since`, and short ones from `since` up to there. */
export type Periods = { grain: number; since: Instant; coarse_grain: number; coarse_since: Instant };

// One snapshot: flows and levels have to match, because earlier levels are computed from both. `bucket` is null for the rows
// by project; `moves` is the number of tasks in the rows of the level, whose from_status is null. A year with
// 1,000,000 events in 10 projects has 2,000 rows.
const READ_FLOWS = `
  with flow as materialized (
    select f.start, f.project_id, f.from_status, f.to_status, f.moves from pawl.insight_flow f
    where f.org_id = $1 and f.lifecycle = $2 and f.grain = $4 and f.start >= to_timestamp($5::float8 / 1000.0)
      and ($3::text[] is null or f.project_id = any($3))
  )
  select floor((extract(epoch from f.start) * 1000 - $5::float8) / $6::float8)::integer as bucket, f.project_id,
    f.from_status, f.to_status, sum(f.moves)::float8 as moves
  from flow f
  group by grouping sets ((1, f.from_status, f.to_status), (f.project_id, f.from_status, f.to_status))
  union all
  select null, null, null, l.status, sum(l.tasks)::float8 from pawl.insight_level l
  where l.org_id = $1 and l.lifecycle = $2 and ($3::text[] is null or l.project_id = any($3))
  group by l.status`;

export type FlowRow = {
  bucket: number | null;
  project_id: string | null;
  from_status: string | null;
  to_status: string;
  moves: number;
};

/** Reads the moves by transition, once by bucket and once by project, and the present level of each status. */
export function readFlows(
  tx: Tx,
  org_id: string,
  { lifecycle, projects, since }: InsightScope,
  { grain, bucket_ms }: { grain: number; bucket_ms: number },
): Promise<FlowRow[]> {
  return query<FlowRow>(tx, READ_FLOWS, [org_id, lifecycle, projects, grain, since, bucket_ms]);
}

const READ_STAY_BINS = `
  select s.status, s.bin::integer as bin, sum(s.stays)::float8 as count
  from pawl.insight_stay s
  where s.org_id = $1 and s.lifecycle = $2 and s.person = $4 and ($3::text[] is null or s.project_id = any($3))
    and s.grain = $5 and s.start >= to_timestamp($6::float8 / 1000.0)
    and s.start < to_timestamp($8::float8 / 1000.0)
  group by s.status, s.bin
  union all
  select s.status, s.bin::integer, sum(s.stays)::float8
  from pawl.insight_stay s
  where s.org_id = $1 and s.lifecycle = $2 and s.person = $4 and ($3::text[] is null or s.project_id = any($3))
    and s.grain = $7 and s.start >= to_timestamp($8::float8 / 1000.0)
  group by s.status, s.bin`;

export type StayBin = { status: string; bin: number; count: number };

/** Reads the histograms of the time in each status; person '' counts all tasks. */
export function readStayBins(
  tx: Tx,
  org_id: string,
  { lifecycle, projects }: InsightScope,
  person: string,
  periods: Periods,
): Promise<StayBin[]> {
  return query<StayBin>(tx, READ_STAY_BINS, [
    org_id,
    lifecycle,
    projects,
    person,
    ...periodParameters(periods),
  ]);
}

const READ_FINISH_BINS = `
  with finish as materialized (
    select f.project_id, f.person, f.bin, f.tasks from pawl.insight_finish f
    where f.org_id = $1 and f.lifecycle = $2 and ($3::text[] is null or f.project_id = any($3))
      and ($4::text is null or f.person = $4)
      and f.grain = $5 and f.start >= to_timestamp($6::float8 / 1000.0)
      and f.start < to_timestamp($8::float8 / 1000.0)
    union all
    select f.project_id, f.person, f.bin, f.tasks from pawl.insight_finish f
    where f.org_id = $1 and f.lifecycle = $2 and ($3::text[] is null or f.project_id = any($3))
      and ($4::text is null or f.person = $4)
      and f.grain = $7 and f.start >= to_timestamp($8::float8 / 1000.0)
  )
  select f.project_id, f.person, f.bin::integer as bin, sum(f.tasks)::float8 as count
  from finish f
  group by grouping sets ((f.project_id, f.bin), (f.person, f.bin))`;

export type FinishBin = { project_id: string | null; person: string | null; bin: number; count: number };

/** Reads the histograms of the time from creation to the end, once by project and once by person. */
export function readFinishBins(
  tx: Tx,
  org_id: string,
  { lifecycle, projects }: InsightScope,
  person: string | null,
  periods: Periods,
): Promise<FinishBin[]> {
  return query<FinishBin>(tx, READ_FINISH_BINS, [
    org_id,
    lifecycle,
    projects,
    person,
    ...periodParameters(periods),
  ]);
}

function periodParameters({ grain, since, coarse_grain, coarse_since }: Periods): number[] {
  return [grain, since, coarse_grain, coarse_since];
}

const READ_FINISHED_OF_PERSON = `
  select floor((extract(epoch from f.start) * 1000 - $6::float8) / $7::float8)::integer as bucket,
    sum(f.tasks)::float8 as tasks
  from pawl.insight_finish f
  where f.org_id = $1 and f.lifecycle = $2 and ($3::text[] is null or f.project_id = any($3)) and f.person = $4
    and f.grain = $5 and f.start >= to_timestamp($6::float8 / 1000.0)
  group by 1`;

/** Counts the tasks that a member finished, by bucket. */
export function readFinishedOfPerson(
  tx: Tx,
  org_id: string,
  { lifecycle, projects, since }: InsightScope,
  { person, grain, bucket_ms }: { person: string; grain: number; bucket_ms: number },
): Promise<{ bucket: number; tasks: number }[]> {
  return query(tx, READ_FINISHED_OF_PERSON, [org_id, lifecycle, projects, person, grain, since, bucket_ms]);
}

const READ_PROGRESS = `
  select (o.feed_position - coalesce(p.position, 0))::float8 as behind, p.counted_until from pawl.org o
  left join pawl.insight_progress p on p.org_id = o.id
  where o.id = $1`;

/** Returns how many events are not counted yet, and the time of the last one that is. */
export async function readProgress(
  tx: Tx,
  org_id: string,
): Promise<{ behind: number; counted_until: Instant | null }> {
  const [row] = await query<{ behind: number; counted_until: Instant | null }>(tx, READ_PROGRESS, [org_id]);
  return row ?? { behind: 0, counted_until: null };
}
