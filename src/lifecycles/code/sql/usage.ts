import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const SAVE_USAGE = `
  insert into pawl.code_usage
    (org_id, task_id, run, project_id, day, agent, model, input_tokens, cached_tokens, output_tokens, cost_usd)
  select $1, r.task_id, r.run, r.project_id, (to_timestamp($3::double precision / 1000) at time zone 'utc')::date, r.agent,
    r.model, r.input_tokens, r.cached_tokens, r.output_tokens, r.cost_usd
  from json_to_recordset($2::text::json) as r(task_id uuid, run integer, project_id text, agent text, model text,
    input_tokens bigint, cached_tokens bigint, output_tokens bigint, cost_usd double precision)
  on conflict (org_id, task_id, run) do update set day = excluded.day, agent = excluded.agent, model = excluded.model,
    input_tokens = excluded.input_tokens, cached_tokens = excluded.cached_tokens, output_tokens = excluded.output_tokens,
    cost_usd = excluded.cost_usd`;

export type UsageRow = {
  task_id: string;
  run: number;
  project_id: string;
  agent: string;
  model: string | null;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
};

/** Saves the usage of attempts, in place of their earlier reports. */
export async function saveUsage(
  tx: Tx,
  org_id: string,
  rows: readonly UsageRow[],
  now: number,
): Promise<void> {
  await query(tx, SAVE_USAGE, [org_id, asRows(rows), now]);
}

const READ_SPENT_TODAY = `
  select u.project_id, coalesce(sum(u.cost_usd), 0)::double precision as cost_usd,
    sum(u.input_tokens + u.output_tokens)::double precision as tokens
  from pawl.code_usage u
  where u.org_id = $1 and u.project_id = any($2::text[]) and u.day = (now() at time zone 'utc')::date
  group by u.project_id`;

export type Spent = { cost_usd: number; tokens: number };

/** Reads the usage of projects on the current day, in UTC. */
export async function readSpentToday(
  tx: Tx,
  org_id: string,
  projects: readonly string[],
): Promise<Map<string, Spent>> {
  const rows = await query<Spent & { project_id: string }>(tx, READ_SPENT_TODAY, [org_id, projects]);
  return new Map(rows.map(({ project_id, cost_usd, tokens }) => [project_id, { cost_usd, tokens }]));
}

const READ_RUN_USAGE = `
  select u.run, u.agent, u.model, u.input_tokens::double precision as input_tokens,
    u.cached_tokens::double precision as cached_tokens, u.output_tokens::double precision as output_tokens, u.cost_usd
  from pawl.code_usage u
  where u.org_id = $1 and u.task_id = $2`;

export type RunUsage = Omit<UsageRow, "task_id" | "project_id">;

/** Reads the usage of a task's attempts. */
export function readRunUsage(tx: Tx, org_id: string, task_id: string): Promise<RunUsage[]> {
  return query<RunUsage>(tx, READ_RUN_USAGE, [org_id, task_id]);
}

const SUM_USAGE = `
  select case $4 when 'day' then u.day::text when 'agent' then u.agent else u.task_id::text end as key,
    max(t.title) as title, count(*)::integer as runs, count(distinct u.task_id)::integer as tasks,
    sum(u.input_tokens)::double precision as input_tokens, sum(u.cached_tokens)::double precision as cached_tokens,
    sum(u.output_tokens)::double precision as output_tokens, sum(u.cost_usd) as cost_usd
  from pawl.code_usage u
  join pawl.task t on t.org_id = u.org_id and t.id = u.task_id
  where u.org_id = $1 and u.project_id = $2 and (not t.private or $3 in (t.created_by, t.assigned_to))
    and u.day > (now() at time zone 'utc')::date - $5::integer
  group by 1
  order by case when $4 = 'day' then null else coalesce(sum(u.cost_usd), 0) end desc,
    case when $4 = 'day' then null else sum(u.input_tokens + u.output_tokens) end desc, 1 desc
  limit $6`;

export type UsageSum = {
  key: string;
  title: string;
  runs: number;
  tasks: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
};

/** Sums the usage of a project's last days by day, agent or task; days are in order, others by cost. */
export function sumUsage(
  tx: Tx,
  org_id: string,
  filter: {
    project_id: string;
    reader: string | null;
    by: "day" | "agent" | "task";
    days: number;
    limit: number;
  },
): Promise<UsageSum[]> {
  const { project_id, reader, by, days, limit } = filter;
  return query<UsageSum>(tx, SUM_USAGE, [org_id, project_id, reader, by, days, limit]);
}

const DELETE_USAGE = `delete from pawl.code_usage u where u.org_id = $1 and u.task_id = any($2::uuid[])`;

/** Deletes the usage of deleted tasks. */
export async function deleteUsage(tx: Tx, org_id: string, ids: readonly string[]): Promise<void> {
  await query(tx, DELETE_USAGE, [org_id, ids]);
}
