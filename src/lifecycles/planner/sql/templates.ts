import type { Instant } from "../../../core/index.ts";
import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

type TemplateTask = {
  ref: string;
  title: string;
  description: string | null;
  priority: number;
  required_trade: string | null;
  estimate_minutes: number | null;
  /** Refs of other tasks of the template. */
  depends_on: string[];
};

export type Template = {
  id: string;
  project_id: string;
  name: string;
  type: string;
  tasks: TemplateTask[];
  created_by: string | null;
  created_at: Instant;
};

const ADD_TEMPLATE = `
  insert into pawl.planner_template (org_id, id, project_id, name, type, tasks, created_by, created_at)
  values ($1, $2, $3, $4, $5, $6::text::jsonb, $7, to_timestamp($8::float8 / 1000.0))
  on conflict do nothing
  returning id`;

/** Adds a template; returns false if the project has one of this name. */
export async function addTemplate(tx: Tx, org_id: string, template: Template): Promise<boolean> {
  const { id, project_id, name, type, tasks, created_by, created_at } = template;
  const params = [org_id, id, project_id, name, type, JSON.stringify(tasks), created_by, created_at];
  return (await query(tx, ADD_TEMPLATE, params)).length > 0;
}

const LIST_TEMPLATES = `
  select t.id, t.project_id, t.name, t.type, t.tasks, t.created_by, t.created_at
  from pawl.planner_template t
  where t.org_id = $1
    and ($2::uuid is null or t.id > $2)
    and ($3::text[] is null or t.project_id = any($3))
    and ($4::uuid is null or t.id = $4)
  order by t.id
  limit $5`;

export type TemplateFilter = {
  cursor?: string | undefined;
  projects: readonly string[] | null;
  id?: string;
  limit: number;
};

export function listTemplates(tx: Tx, org_id: string, filter: TemplateFilter): Promise<Template[]> {
  const { cursor = null, projects, id = null, limit } = filter;
  return query(tx, LIST_TEMPLATES, [org_id, cursor, projects, id, limit]);
}

const DELETE_TEMPLATE = `delete from pawl.planner_template t where t.org_id = $1 and t.id = $2::uuid`;

export async function deleteTemplate(tx: Tx, org_id: string, id: string): Promise<void> {
  await query(tx, DELETE_TEMPLATE, [org_id, id]);
}
