import type { Instant } from "../../../core/index.ts";
import { findPosition, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

/** Events that are read at most, counted from the end of the feed. */
const MAX_EVENTS = 500_000;

// Starts at a feed position shortly before `from` and compares the time again: an index by time would cost every event. The
// offset in a subquery forces one lookup per row along the journal's key.
export const READ_REVIEWS = `
  with reviewed as materialized (
    select e.task_id, e.row_version, e.action, e.created_at, s.actor_id as owner, t.trade
    from pawl.event e
    cross join lateral (
      select s.actor_id from pawl.event s
      where s.org_id = $1 and s.task_id = e.task_id and s.row_version < e.row_version and s.action = 'submit'
      order by s.row_version desc limit 1 offset 0
    ) as s
    left join lateral (
      select k.data ->> 'required_trade' as trade from pawl.task k where k.org_id = $1 and k.id = e.task_id offset 0
    ) as t on true
    where e.org_id = $1 and e.position > $5::bigint and e.lifecycle = 'planner'
      and e.action in ('review_approve', 'review_reject')
      and e.created_at >= to_timestamp($3::float8 / 1000.0) and e.created_at < to_timestamp($4::float8 / 1000.0)
      and ($2::text[] is null or e.project_id = any($2))
  ), approved as materialized (
    select r.created_at, r.owner, r.trade, extract(epoch from r.created_at - c.created_at)::float8 as lead_seconds,
      not exists (
        select from pawl.event x
        where x.org_id = $1 and x.task_id = r.task_id and x.row_version < r.row_version and x.action = 'review_reject') as first_pass
    from reviewed r
    cross join lateral (
      select b.created_at from pawl.event b where b.org_id = $1 and b.task_id = r.task_id and b.row_version = 1 offset 0
    ) as c
    where r.action = 'review_approve'
  )
  select
    (select count(*) from approved)::integer as approved,
    (select count(*) from reviewed r where r.action = 'review_reject')::integer as rejected,
    (select count(*) from approved a where a.first_pass)::integer as first_pass,
    (select percentile_cont(0.5) within group (order by a.lead_seconds) from approved a) as lead_p50_seconds,
    (select percentile_cont(0.9) within group (order by a.lead_seconds) from approved a) as lead_p90_seconds,
    (select coalesce(json_agg(d), '[]') from (
      select floor((extract(epoch from a.created_at) * 1000 - $3::float8) / 86400000)::integer as day, count(*)::integer as done
      from approved a group by 1 order by 1) as d) as days,
    (select coalesce(json_agg(p), '[]') from (
      select r.owner as name, count(*) filter (where r.action = 'review_approve')::integer as done,
        count(*) filter (where r.action = 'review_reject')::integer as rejected
      from reviewed r group by r.owner) as p) as people,
    (select coalesce(json_agg(p), '[]') from (
      select r.trade as name, count(*) filter (where r.action = 'review_approve')::integer as done,
        count(*) filter (where r.action = 'review_reject')::integer as rejected
      from reviewed r group by r.trade) as p) as trades`;

// A period of work begins when a task enters in_progress, and counts when it leaves it within the range. The owner is the actor
// of the last start or submission.
export const READ_WORK = `
  with left_work as materialized (
    select e.task_id, e.created_at - b.created_at as worked, o.actor_id as owner, t.trade
    from pawl.event e
    cross join lateral (
      select b.created_at from pawl.event b
      where b.org_id = $1 and b.task_id = e.task_id and b.row_version < e.row_version
        and b.to_status = 'in_progress' and b.from_status <> 'in_progress'
      order by b.row_version desc limit 1 offset 0
    ) as b
    cross join lateral (
      select o.actor_id from pawl.event o
      where o.org_id = $1 and o.task_id = e.task_id and o.row_version <= e.row_version and o.action in ('start', 'submit')
      order by o.row_version desc limit 1 offset 0
    ) as o
    left join lateral (
      select k.data ->> 'required_trade' as trade from pawl.task k where k.org_id = $1 and k.id = e.task_id offset 0
    ) as t on true
    where e.org_id = $1 and e.position > $5::bigint and e.lifecycle = 'planner'
      and e.from_status = 'in_progress' and e.to_status <> 'in_progress'
      and e.created_at >= to_timestamp($3::float8 / 1000.0) and e.created_at < to_timestamp($4::float8 / 1000.0)
      and ($2::text[] is null or e.project_id = any($2))
  )
  select 'person' as per, w.owner as name, (extract(epoch from sum(w.worked)) / 60)::float8 as minutes from left_work w group by w.owner
  union all
  select 'trade', w.trade, (extract(epoch from sum(w.worked)) / 60)::float8 from left_work w group by w.trade`;

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

export type StatsRange = { projects: readonly string[] | null; from: Instant; to: Instant };

/** Reads the figures of a range; `cut` if it has more events than are read. */
export async function readPlannerStats(
  tx: Tx,
  org_id: string,
  { projects, from, to }: StatsRange,
): Promise<{ reviews: ReviewFigures; work: WorkRow[]; load: LoadRow[]; cut: boolean }> {
  const { position, cut } = await findPosition(tx, org_id, { since: from, most: MAX_EVENTS });
  const range = [org_id, projects, from, to, position];
  const [reviews, work, load] = await Promise.all([
    query<ReviewFigures>(tx, READ_REVIEWS, range),
    query<WorkRow>(tx, READ_WORK, range),
    query<LoadRow>(tx, READ_LOAD, [org_id, projects]),
  ]);
  const [figures] = reviews;
  if (!figures) throw new Error("the statistics have no row");
  return { reviews: figures, work, load, cut };
}
