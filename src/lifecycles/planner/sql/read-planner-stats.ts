import type { Instant } from "../../../core/index.ts";
import { findPosition, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

/** Events that are read at most, counted from the end of the feed. */
const MAX_EVENTS = 500_000;

// Both statements read only events that left `submitted` or `in_progress`, along an index of them, from a feed position shortly before
// `from`, and compare the time again. Each is looked up by subqueries along the journal's key, not by joins: PostgreSQL cached rows
// of joins that occur once. A rejection adds at least two rows, so a task approved as its sixth row or earlier was never rejected.
export const READ_REVIEWS = `
  with reviewed as materialized (
    select e.task_id, e.action, e.created_at,
      (select s.actor_id from pawl.event s
        where s.org_id = $1 and s.task_id = e.task_id and s.row_version < e.row_version and s.action = 'submit'
        order by s.row_version desc limit 1) as owner,
      (select k.data ->> 'required_trade' from pawl.task k where k.org_id = $1 and k.id = e.task_id) as trade,
      case when e.action = 'review_approve' then date_part('epoch', e.created_at - (
        select b.created_at from pawl.event b where b.org_id = $1 and b.task_id = e.task_id and b.row_version = 1)) end as lead_seconds,
      e.row_version <= 6 or not exists (
        select from pawl.event x
        where x.org_id = $1 and x.task_id = e.task_id and x.row_version < e.row_version and x.action = 'review_reject') as first_pass
    from pawl.event e
    where e.org_id = $1 and e.from_status = 'submitted' and e.position > $5::bigint
      and e.lifecycle = 'planner' and e.from_status in ('in_progress', 'submitted') and e.to_status <> e.from_status
      and e.action in ('review_approve', 'review_reject')
      and e.created_at >= to_timestamp($3::float8 / 1000.0) and e.created_at < to_timestamp($4::float8 / 1000.0)
      and ($2::text[] is null or e.project_id = any($2))
  )
  select f.*, d.days, p.people, t.trades
  from (
    select count(*) filter (where r.action = 'review_approve')::integer as approved,
      count(*) filter (where r.action = 'review_reject')::integer as rejected,
      count(*) filter (where r.action = 'review_approve' and r.first_pass)::integer as first_pass,
      percentile_cont(0.5) within group (order by r.lead_seconds) as lead_p50_seconds,
      percentile_cont(0.9) within group (order by r.lead_seconds) as lead_p90_seconds
    from reviewed r
  ) as f, (
    select coalesce(json_agg(c order by c.day), '[]') as days from (
      select width_bucket(date_part('epoch', r.created_at) * 1000, $6::float8[]) - 1 as day, count(*)::integer as done
      from reviewed r where r.action = 'review_approve' group by 1) as c
  ) as d, (
    select coalesce(json_agg(c), '[]') as people from (
      select r.owner as name, count(*) filter (where r.action = 'review_approve')::integer as done,
        count(*) filter (where r.action = 'review_reject')::integer as rejected
      from reviewed r group by r.owner) as c
  ) as p, (
    select coalesce(json_agg(c), '[]') as trades from (
      select r.trade as name, count(*) filter (where r.action = 'review_approve')::integer as done,
        count(*) filter (where r.action = 'review_reject')::integer as rejected
      from reviewed r group by r.trade) as c
  ) as t`;

// A period of work begins when a task enters in_progress, and counts when it leaves it within the range. The owner is the actor
// of the last start or submission.
export const READ_WORK = `
  with left_work as materialized (
    select
      date_part('epoch', e.created_at - (
        select b.created_at from pawl.event b
        where b.org_id = $1 and b.task_id = e.task_id and b.row_version < e.row_version
          and b.to_status = 'in_progress' and b.from_status <> 'in_progress'
        order by b.row_version desc limit 1)) as worked_seconds,
      case when e.action = 'submit' then e.actor_id else (
        select o.actor_id from pawl.event o
        where o.org_id = $1 and o.task_id = e.task_id and o.row_version < e.row_version and o.action in ('start', 'submit')
        order by o.row_version desc limit 1) end as owner,
      (select k.data ->> 'required_trade' from pawl.task k where k.org_id = $1 and k.id = e.task_id) as trade
    from pawl.event e
    where e.org_id = $1 and e.from_status = 'in_progress' and e.position > $5::bigint
      and e.lifecycle = 'planner' and e.from_status in ('in_progress', 'submitted') and e.to_status <> e.from_status
      and e.created_at >= to_timestamp($3::float8 / 1000.0) and e.created_at < to_timestamp($4::float8 / 1000.0)
      and ($2::text[] is null or e.project_id = any($2))
  )
  select 'person' as per, w.owner as name, sum(w.worked_seconds) / 60 as minutes from left_work w group by w.owner
  union all
  select 'trade', w.trade, sum(w.worked_seconds) / 60 from left_work w group by w.trade`;

// The load at the time of the answer, along the index of unfinished tasks.
const READ_LOAD = `
  select 'person' as per, t.assigned_to as name, count(*)::integer as open from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'planner' and not t.final and t.assigned_to is not null
    and ($2::text[] is null or t.project_id = any($2))
  group by t.assigned_to
  union all
  select 'trade', t.data ->> 'required_trade', count(*)::integer from pawl.task t
  where t.org_id = $1 and t.lifecycle = 'planner' and not t.final and ($2::text[] is null or t.project_id = any($2))
  group by t.data ->> 'required_trade'`;

export type ReviewCount = { name: string | null; done: number; rejected: number };

export type ReviewFigures = {
  approved: number;
  rejected: number;
  first_pass: number;
  lead_p50_seconds: number | null;
  lead_p90_seconds: number | null;
  days: { day: number; done: number }[];
  people: ReviewCount[];
  trades: ReviewCount[];
};

type Per = "person" | "trade";
export type WorkRow = { per: Per; name: string | null; minutes: number };
export type LoadRow = { per: Per; name: string | null; open: number };

export type StatsRange = {
  projects: readonly string[] | null;
  from: Instant;
  to: Instant;
  /** The moments at which its days begin; the first is `from`. */
  days: readonly Instant[];
};

/** Reads the figures of a range; `cut` if it has more events than are read. */
export async function readPlannerStats(
  tx: Tx,
  org_id: string,
  { projects, from, to, days }: StatsRange,
): Promise<{ reviews: ReviewFigures; work: WorkRow[]; load: LoadRow[]; cut: boolean }> {
  const { position, cut } = await findPosition(tx, org_id, { since: from, most: MAX_EVENTS });
  const range = [org_id, projects, from, to, position];
  const [reviews, work, load] = await Promise.all([
    query<ReviewFigures>(tx, READ_REVIEWS, [...range, days]),
    query<WorkRow>(tx, READ_WORK, range),
    query<LoadRow>(tx, READ_LOAD, [org_id, projects]),
  ]);
  const [figures] = reviews;
  if (!figures) throw new Error("the statistics have no row");
  return { reviews: figures, work, load, cut };
}
