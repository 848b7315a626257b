import type { Instant, JsonObject } from "../../../core/index.ts";
import { asRows, query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

type DeliverableStatus = "open" | "submitted_to_qc" | "qc_approved" | "qc_rejected";

export type Deliverable = {
  id: string;
  project_id: string;
  type: string;
  serial: string;
  status: DeliverableStatus;
  created_by: string | null;
  created_at: Instant;
  updated_at: Instant;
  /** When, by whom and for which task it was last reopened after its approval. */
  reopened_at: Instant | null;
  reopened_by: string | null;
  reopened_for: string | null;
};

const COLUMNS = `d.id, d.project_id, d.type, d.serial, d.status, d.created_by, d.created_at, d.updated_at, d.reopened_at,
    d.reopened_by, d.reopened_for`;

const ADD_DELIVERABLE = `
  insert into pawl.planner_deliverable (org_id, id, project_id, type, serial, status, created_by, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8::float8 / 1000.0), to_timestamp($8::float8 / 1000.0))
  on conflict do nothing
  returning id`;

/** Adds a deliverable; returns false if the project already has one of this type and serial. */
export async function addDeliverable(tx: Tx, org_id: string, deliverable: Deliverable): Promise<boolean> {
  const { id, project_id, type, serial, status, created_by, created_at } = deliverable;
  const params = [org_id, id, project_id, type, serial, status, created_by, created_at];
  return (await query(tx, ADD_DELIVERABLE, params)).length > 0;
}

const LIST_DELIVERABLES = `
  select ${COLUMNS}
  from pawl.planner_deliverable d
  where d.org_id = $1
    and ($2::uuid is null or d.id > $2)
    and ($3::text[] is null or d.project_id = any($3))
    and ($4::text[] is null or d.status = any($4))
    and ($5::text is null or d.type = $5)
    and ($6::text is null or d.serial = $6)
    and ($7::uuid is null or d.id = $7)
  order by d.id
  limit $8`;

export type DeliverableFilter = {
  cursor?: string | undefined;
  projects: readonly string[] | null;
  status?: readonly string[] | undefined;
  type?: string | undefined;
  serial?: string | undefined;
  id?: string;
  limit: number;
};

/** Deliverables, oldest first. */
export function listDeliverables(tx: Tx, org_id: string, filter: DeliverableFilter): Promise<Deliverable[]> {
  const { cursor = null, projects, status = null, type = null, serial = null, id = null } = filter;
  return query(tx, LIST_DELIVERABLES, [org_id, cursor, projects, status, type, serial, id, filter.limit]);
}

const FIND_DELIVERABLES_BY_SERIAL = `
  select d.id, d.serial from pawl.planner_deliverable d
  where d.org_id = $1 and d.project_id = $2 and (d.serial = any($3::text[]) or d.id::text = any($3::text[]))
  order by d.id`;

/** Finds the deliverables of a project by serial numbers or ids. */
export async function findDeliverablesBySerial(
  tx: Tx,
  org_id: string,
  { project_id, serials }: { project_id: string; serials: readonly string[] },
): Promise<{ id: string; serial: string }[]> {
  return serials.length === 0 ? [] : query(tx, FIND_DELIVERABLES_BY_SERIAL, [org_id, project_id, serials]);
}

// The lock keeps a deliverable from being submitted or approved while a task is added to it. It is not shared, because the task
// may reopen the deliverable.
const LOCK_NAMED_DELIVERABLES = `
  select d.id, d.project_id from pawl.planner_deliverable d
  where d.org_id = $1 and d.id = any($2::uuid[])
  order by d.id
  for no key update`;

export async function lockNamedDeliverables(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, { id: string; project_id: string }>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: string; project_id: string }>(tx, LOCK_NAMED_DELIVERABLES, [org_id, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

const LOCK_DELIVERABLE = `
  select ${COLUMNS}
  from pawl.planner_deliverable d
  where d.org_id = $1 and d.id = $2 and ($3::text[] is null or d.project_id = any($3))
  for update`;

export async function lockDeliverable(
  tx: Tx,
  org_id: string,
  id: string,
  projects: readonly string[] | null,
): Promise<Deliverable | null> {
  const [row] = await query<Deliverable>(tx, LOCK_DELIVERABLE, [org_id, id, projects]);
  return row ?? null;
}

const CHANGE_DELIVERABLE = `
  update pawl.planner_deliverable d
  set type = $3, serial = $4, status = $5, updated_at = to_timestamp($6::float8 / 1000.0)
  where d.org_id = $1 and d.id = $2`;

export async function changeDeliverable(
  tx: Tx,
  org_id: string,
  { id, type, serial, status, updated_at }: Deliverable,
): Promise<void> {
  await query(tx, CHANGE_DELIVERABLE, [org_id, id, type, serial, status, updated_at]);
}

const REOPEN_DELIVERABLES = `
  update pawl.planner_deliverable d
  set status = 'open', updated_at = to_timestamp($3::float8 / 1000.0), reopened_at = to_timestamp($3::float8 / 1000.0),
    reopened_by = l.actor_id, reopened_for = l.task_id
  from (
    select distinct on (l.target) l.target, l.task_id, l.actor_id
    from json_to_recordset($2::text::json) as l(target uuid, task_id uuid, actor_id text)
    order by l.target, l.task_id
  ) as l
  where d.org_id = $1 and d.id = l.target and d.status = 'qc_approved'`;

export type AddedWork = { target: string; task_id: string; actor_id: string | null };

/** Reopens approved deliverables to which unfinished work was added, so that they are inspected again. */
export async function reopenDeliverables(
  tx: Tx,
  org_id: string,
  added: readonly AddedWork[],
  now: Instant,
): Promise<void> {
  if (added.length === 0) return;
  await lockNamedDeliverables(
    tx,
    org_id,
    added.map(({ target }) => target),
  );
  await query(tx, REOPEN_DELIVERABLES, [org_id, asRows(added), now]);
}

const READ_TASKS_OF = `
  select t.id, t.title, t.status, t.final from pawl.planner_link l
  join pawl.task t on t.org_id = l.org_id and t.id = l.task_id
  where l.org_id = $1 and l.kind = 'deliverable' and l.target = $2
  order by t.id`;

/** Reads the tasks of a deliverable. */
export function readTasksOf(
  tx: Tx,
  org_id: string,
  deliverable_id: string,
): Promise<{ id: string; title: string; status: string; final: boolean }[]> {
  return query(tx, READ_TASKS_OF, [org_id, deliverable_id]);
}

export type Inspection = {
  id: string;
  deliverable_id: string;
  result: "approved" | "rejected";
  measurements: JsonObject;
  act: string | null;
  inspector: string | null;
  defect_id: string | null;
  fix_task_id: string | null;
  created_at: Instant;
};

const ADD_INSPECTION = `
  insert into pawl.planner_inspection (org_id, id, deliverable_id, result, measurements, act, inspector, defect_id,
    fix_task_id, created_at)
  values ($1, $2, $3, $4, $5::text::jsonb, $6, $7, $8, $9, to_timestamp($10::float8 / 1000.0))`;

export async function addInspection(tx: Tx, org_id: string, inspection: Inspection): Promise<void> {
  const { id, deliverable_id, result, measurements, act, inspector, defect_id, fix_task_id, created_at } =
    inspection;
  await query(tx, ADD_INSPECTION, [
    org_id,
    id,
    deliverable_id,
    result,
    JSON.stringify(measurements),
    act,
    inspector,
    defect_id,
    fix_task_id,
    created_at,
  ]);
}

const LIST_INSPECTIONS = `
  select i.id, i.deliverable_id, i.result, i.measurements, i.act, i.inspector, i.defect_id, i.fix_task_id, i.created_at
  from pawl.planner_inspection i
  where i.org_id = $1 and i.deliverable_id = $2
  order by i.id
  limit 1000`;

/** Reads the inspections of a deliverable, oldest first. */
export function listInspections(tx: Tx, org_id: string, deliverable_id: string): Promise<Inspection[]> {
  return query(tx, LIST_INSPECTIONS, [org_id, deliverable_id]);
}
