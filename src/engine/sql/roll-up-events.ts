import { BIN_BOUNDS_MS } from "../read/histogram.ts";
import type { Tx } from "../transaction.ts";
import { query } from "../transaction.ts";
import { statement } from "./statement.ts";
import type { Write } from "./statement.ts";

/** Periods of the figures in seconds, and how long they are kept. `INSIGHT_WINDOWS` reads at most half of that. */
export const GRAINS = [
  { seconds: 60, kept: 3 * 3_600 },
  { seconds: 3_600, kept: 16 * 86_400 },
  { seconds: 86_400, kept: 200 * 86_400 },
  { seconds: 7 * 86_400, kept: 800 * 86_400 },
  { seconds: 28 * 86_400, kept: 800 * 86_400 },
] as const;

/** Weeks begin on Monday: the first one of 1970 is this many seconds after the epoch. */
export const FIRST_MONDAY = 4 * 86_400;

/** Maximum journal rows that are searched backwards for the assignee at the time of a move. */
const MAX_ASSIGNEE_ROWS = 500;

// Events after a position, without those of hidden tasks.
const OF_RANGE = `
  with chosen as materialized (
    select e.org_id, e.task_id, e.row_version, e.lifecycle, e.project_id, e.type, e.from_status, e.to_status, e.private,
      e.created_at
    from pawl.event e
    where e.org_id = :org_id and e.position > :after and e.position <= :until and e.row_version > 0
      and not exists (select from pawl.insight_hidden h where h.org_id = e.org_id and h.task_id = e.task_id)`;

// All events of some tasks up to a position.
const OF_TASKS = `
  with chosen as materialized (
    select e.org_id, e.task_id, e.row_version, e.lifecycle, e.project_id, e.type, e.from_status, e.to_status, e.private,
      e.created_at
    from pawl.event e
    where e.org_id = :org_id and e.task_id = any(:tasks::uuid[]) and e.position <= :until`;

// The figures are a function of the events alone, so that those of a task can be subtracted again (:sign is -1). Two probes of
// the journal's key for each move: the event before it, and the one that entered the status that it left. Periods that would
// be deleted at once are left out.
const ADD_FIGURES = `
  ), grain as (
    select g.seconds, statement_timestamp() - make_interval(secs => g.kept) as since
    from unnest(:grains::integer[], :kept::integer[]) as g(seconds, kept)
  ), final as (
    select distinct l.name as lifecycle, s.value ->> 'name' as status
    from pawl.lifecycle l cross join lateral jsonb_array_elements(l.definition -> 'statuses') as s
    where (s.value ->> 'final')::boolean
  ), move as materialized (
    select c.*, case when c.row_version = 1 then '+' when earlier.private then '-' else c.from_status end as came,
      case when c.private or (c.type = 'deleted' and c.from_status = c.to_status) then '-' else c.to_status end as went
    from chosen c
    left join lateral (
      select b.private from pawl.event b
      where b.org_id = :org_id and b.task_id = c.task_id and b.row_version = c.row_version - 1
      offset 0
    ) as earlier on true
    where not (c.private and (c.row_version = 1 or earlier.private))
  ), flow as materialized (
    select m.*, (m.came not in ('+', '-') and m.went <> '-') as is_stay,
      (m.came <> '-' and exists (select from final f where f.lifecycle = m.lifecycle and f.status = m.went)
        and not exists (select from final f where f.lifecycle = m.lifecycle and f.status = m.came)) as is_finish
    from move m
    where m.came <> m.went
  ), timed as materialized (
    select f.*, holder.person,
      width_bucket(extract(epoch from f.created_at - entry.created_at)::float8 * 1000, :bounds::float8[]) as stay_bin,
      width_bucket(extract(epoch from f.created_at - birth.created_at)::float8 * 1000, :bounds::float8[]) as life_bin
    from flow f
    left join lateral (
      select b.created_at from pawl.event b
      where f.is_stay and b.org_id = :org_id and b.task_id = f.task_id and b.row_version < f.row_version
        and b.to_status = f.from_status and b.from_status is distinct from b.to_status
      order by b.row_version desc
      limit 1
    ) as entry on true
    left join lateral (
      select b.created_at from pawl.event b
      where f.is_finish and b.org_id = :org_id and b.task_id = f.task_id and b.row_version = 1
      offset 0
    ) as birth on true
    left join lateral (
      select b.patch ->> 'assigned_to' as person from pawl.event b
      where b.org_id = :org_id and b.task_id = f.task_id and b.row_version < f.row_version
        and b.row_version >= f.row_version - :assignee_rows::integer
        and (b.patch -> 'assigned_to') is not null
      order by b.row_version desc
      limit 1
    ) as holder on true
    where f.is_stay or f.is_finish
  ), flows as (
    insert into pawl.insight_flow as i (org_id, lifecycle, grain, start, project_id, from_status, to_status, moves)
    select :org_id, f.lifecycle, g.seconds, p.start, f.project_id, f.came, f.went, :sign::integer * count(*)
    from flow f cross join grain g
    cross join lateral (
      select to_timestamp(floor((extract(epoch from f.created_at)::float8 - :first_monday::integer) / g.seconds) * g.seconds
        + :first_monday::integer) as start
    ) as p
    where g.seconds <= 604800 and p.start >= g.since
    group by f.lifecycle, g.seconds, p.start, f.project_id, f.came, f.went
    on conflict on constraint insight_flow_pkey do update set moves = i.moves + excluded.moves
  ), stays as (
    insert into pawl.insight_stay as i (org_id, lifecycle, grain, person, start, project_id, status, bin, stays)
    select :org_id, t.lifecycle, g.seconds, w.person, p.start, t.project_id, t.from_status, t.stay_bin,
      :sign::integer * count(*)
    from timed t cross join grain g
    cross join lateral (
      select to_timestamp(floor((extract(epoch from t.created_at)::float8 - :first_monday::integer) / g.seconds) * g.seconds
        + :first_monday::integer) as start
    ) as p
    cross join lateral unnest(case when coalesce(t.person, '') = '' then array[''] else array['', t.person] end) as w(person)
    where t.is_stay and t.stay_bin is not null and p.start >= g.since
    group by t.lifecycle, g.seconds, w.person, p.start, t.project_id, t.from_status, t.stay_bin
    on conflict on constraint insight_stay_pkey do update set stays = i.stays + excluded.stays
  ), finishes as (
    insert into pawl.insight_finish as i (org_id, lifecycle, grain, start, project_id, person, bin, tasks)
    select :org_id, t.lifecycle, g.seconds, p.start, t.project_id, coalesce(t.person, ''), coalesce(t.life_bin, 0),
      :sign::integer * count(*)
    from timed t cross join grain g
    cross join lateral (
      select to_timestamp(floor((extract(epoch from t.created_at)::float8 - :first_monday::integer) / g.seconds) * g.seconds
        + :first_monday::integer) as start
    ) as p
    where t.is_finish and p.start >= g.since
    group by t.lifecycle, g.seconds, p.start, t.project_id, coalesce(t.person, ''), coalesce(t.life_bin, 0)
    on conflict on constraint insight_finish_pkey do update set tasks = i.tasks + excluded.tasks
  )
  insert into pawl.insight_level as i (org_id, lifecycle, project_id, status, tasks)
  select :org_id, f.lifecycle, f.project_id, c.status, :sign::integer * sum(c.change)
  from flow f cross join lateral (values (f.came, -1), (f.went, 1)) as c(status, change)
  where c.status not in ('+', '-')
  group by f.lifecycle, f.project_id, c.status
  having sum(c.change) <> 0
  on conflict on constraint insight_level_pkey do update set tasks = i.tasks + excluded.tasks`;

const ADD_RANGE = statement(`${OF_RANGE} ${ADD_FIGURES}`);
const ADD_TASKS = statement(`${OF_TASKS} ${ADD_FIGURES}`);

const CONSTANTS = {
  grains: GRAINS.map(({ seconds }) => seconds),
  kept: GRAINS.map(({ kept }) => kept),
  bounds: BIN_BOUNDS_MS,
  first_monday: FIRST_MONDAY,
  assignee_rows: MAX_ASSIGNEE_ROWS,
};

/** Adds the events after a position, up to another one, to the figures. */
export async function addRange(
  tx: Tx,
  org_id: string,
  { after, until }: { after: number; until: number },
): Promise<void> {
  await run(tx, ADD_RANGE({ ...CONSTANTS, org_id, after, until, sign: 1 }));
}

/** Adds or subtracts the figures of some tasks, as far as their events were counted. */
export async function addTasks(
  tx: Tx,
  org_id: string,
  { tasks, until, sign }: { tasks: readonly string[]; until: number; sign: 1 | -1 },
): Promise<void> {
  await run(tx, ADD_TASKS({ ...CONSTANTS, org_id, tasks, until, sign }));
}

async function run(tx: Tx, { text, params }: Write): Promise<void> {
  await query(tx, text, params);
}
