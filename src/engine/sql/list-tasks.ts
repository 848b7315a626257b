import type { TaskRow } from "../task-row.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { Write } from "./statement.ts";
import type { StatusPairs } from "./count-open.ts";
import { visibleTo } from "./visible-to.ts";

/** Adds a value to a statement's parameters and returns its placeholder, such as `$3`. */
export type Bind = (value: unknown) => string;

export type TaskFilter = {
  /** A known lifecycle, whose name is kebab-case, is written into the text, so that indexes of its tasks alone can be used. */
  lifecycle: { known: string } | { asked: string } | null;
  statuses: readonly string[] | null;
  /** Whether the lifecycle is known and none of the statuses is final. */
  unfinished: boolean;
  projects: readonly string[] | null;
  assigned_to: string | null;
  /** Part of a title, ignoring case. */
  text: string | null;
  /** Labels that a task must have, all of them, in the field `labels` of its data. */
  labels?: readonly string[] | null;
  /** The member that an unfinished task is assigned to, or that holds its lease. */
  held_by?: string | null;
  /** Tasks that need attention: flagged, overdue, or in one of these statuses. */
  attention?: StatusPairs | null;
  /** null: the system, which sees private tasks too. */
  reader: string | null;
  /** Conditions of the caller's own on the task `t`. */
  more?: (bind: Bind) => readonly string[];
};

/** A page in the order of ids, which is that of age: it costs the same wherever it is. */
export type TaskWalk = {
  /** The last id of the page before. */
  cursor: string | null;
  newestFirst: boolean;
  limit: number;
};

/** Returns a page of tasks, ordered by age. The statement contains only the conditions that the filter sets. */
export function listTasks(tx: Tx, org_id: string, filter: TaskFilter, walk: TaskWalk): Promise<TaskRow[]> {
  const { text, params } = listStatement(org_id, filter, walk);
  return query<TaskRow>(tx, text, params);
}

export function listStatement(org_id: string, filter: TaskFilter, walk: TaskWalk): Write {
  const { params, bind } = parametersOf(org_id);
  const { cursor, newestFirst, limit } = walk;
  const conditions = conditionsOf(filter, bind);
  if (cursor !== null) conditions.push(`t.id ${newestFirst ? "<" : ">"} ${bind(cursor)}::uuid`);
  const [order, most] = [newestFirst ? "id desc" : "id", bind(limit)];
  const select = (more: readonly string[]) => `
    select t.* from pawl.task t
    where t.org_id = $1 ${and([...conditions, ...more])}
    order by t.${order}
    limit ${most}`;
  const statuses = filter.statuses && `${bind([...new Set(filter.statuses)])}::text[]`;
  if (!statuses || !filter.unfinished)
    return { text: select(statuses ? [`t.status = any(${statuses})`] : []), params };
  // One walk along the index of unfinished tasks for each status, no longer than a page: finished tasks, of which there may be
  // millions, are not read.
  return {
    text: `
      select p.* from unnest(${statuses}) as s(status)
      cross join lateral (${select(["t.status = s.status", "not t.final"])}) as p
      order by p.${order}
      limit ${most}`,
    params,
  };
}

export type TaskSort = "created" | "updated" | "entered" | "due" | "priority";

// Smaller is earlier; a task without the moment comes last either way.
const SORT_KEYS: Record<Exclude<TaskSort, "created">, string> = {
  updated: "extract(epoch from t.updated_at)::float8",
  entered: "extract(epoch from t.entered_at)::float8",
  due: "extract(epoch from t.due_at)::float8",
  priority: "t.priority::float8",
};

/** Tasks by another key than their age, each with its key. All that fit are read, and the first of them kept. */
export function listSorted(
  tx: Tx,
  org_id: string,
  filter: TaskFilter,
  walk: { sort: keyof typeof SORT_KEYS; descending: boolean; after: string | null } & Omit<
    TaskWalk,
    "newestFirst"
  >,
): Promise<(TaskRow & { sort_key: string })[]> {
  const { params, bind } = parametersOf(org_id);
  const { cursor, limit, sort, descending, after } = walk;
  const conditions = conditionsOf({ ...filter, unfinished: false }, bind);
  if (filter.statuses) conditions.push(`t.status = any(${bind(filter.statuses)}::text[])`);
  const beyond = cursor && `where (s.sort_key, s.id) > (${bind(after)}::text::float8, ${bind(cursor)}::uuid)`;
  const text = `
    select s.*, s.sort_key::text as sort_key from (
      select t.*, coalesce(${descending ? "-" : ""}${SORT_KEYS[sort]}, 'Infinity') as sort_key
      from pawl.task t
      where t.org_id = $1 ${and(conditions)}
    ) as s
    ${beyond ?? ""}
    order by s.sort_key, s.id
    limit ${bind(limit)}`;
  return query(tx, text, params);
}

/** Counts the tasks of a filter, at most `max` of them. */
export async function countListed(tx: Tx, org_id: string, filter: TaskFilter, max: number): Promise<number> {
  const { params, bind } = parametersOf(org_id);
  const conditions = conditionsOf(filter, bind);
  if (filter.statuses) conditions.push(`t.status = any(${bind(filter.statuses)}::text[])`);
  // Allows the index of unfinished tasks.
  if (filter.unfinished) conditions.push("not t.final");
  const text = `
    select count(*)::float8 as tasks from (
      select from pawl.task t where t.org_id = $1 ${and(conditions)} limit ${bind(max)}
    ) as listed`;
  const [row] = await query<{ tasks: number }>(tx, text, params);
  return row?.tasks ?? 0;
}

/** The first parameter is the org. */
function parametersOf(org_id: string): { params: unknown[]; bind: Bind } {
  const params: unknown[] = [org_id];
  return { params, bind: (value) => `$${params.push(value)}` };
}

function and(conditions: readonly string[]): string {
  return conditions.map((condition) => `and ${condition}`).join(" ");
}

/** All conditions but those of the org and the status. */
function conditionsOf(filter: TaskFilter, bind: Bind): string[] {
  const { lifecycle, unfinished, projects, assigned_to, text, labels, held_by, attention, reader, more } =
    filter;
  const conditions: string[] = [];
  if (lifecycle) {
    const name = "known" in lifecycle ? lifecycle.known : lifecycle.asked;
    // An index of the lifecycle's tasks alone must not take the place of that of unfinished tasks.
    const written = "known" in lifecycle && !unfinished;
    conditions.push(`t.lifecycle = ${written ? `'${name}'` : bind(name)}`);
  }
  if (projects) conditions.push(`t.project_id = any(${bind(projects)}::text[])`);
  if (assigned_to !== null) conditions.push(`t.assigned_to = ${bind(assigned_to)}`);
  if (text !== null) conditions.push(`position(lower(${bind(text)}::text) in lower(t.title)) > 0`);
  if (labels) conditions.push(`t.data -> 'labels' @> to_jsonb(${bind(labels)}::text[])`);
  if (held_by != null)
    conditions.push(`not t.final and coalesce(t.lease_holder, t.assigned_to) = ${bind(held_by)}`);
  if (attention) conditions.push(needsAttention(attention, bind));
  if (reader !== null) conditions.push(visibleTo(bind(reader)));
  return [...conditions, ...(more?.(bind) ?? [])];
}

function needsAttention({ lifecycles, statuses }: StatusPairs, bind: Bind): string {
  return `not t.final and (t.needs_attention or t.due_at <= statement_timestamp() or exists (
    select from unnest(${bind(lifecycles)}::text[], ${bind(statuses)}::text[]) as s(lifecycle, status)
    where s.lifecycle = t.lifecycle and s.status = t.status))`;
}
