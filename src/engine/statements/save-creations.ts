import type { Instant, Lifecycle, Task } from "../../core/index.ts";
import { column, jsonColumn, Kinds, sparseColumn } from "../columns.ts";
import { birthPatch, isFinal, isPooled } from "../task-row.ts";
import { post } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Tasks, journal and feed in one statement, the last before the commit, as with moves. What many new tasks share comes
// once, as their kind.
const SAVE_CREATIONS = `
  with kind as materialized (
    select $6::text::text[] as lifecycle, $7::text::integer[] as version, $8::text::text[] as project_id,
      $9::text::text[] as status, $10::text::boolean[] as pooled, $11::text::boolean[] as final,
      $12::text::text[] as created_by, to_timestamp($3::float8 / 1000.0) as now,
      array(select json_build_array('created', 'create', null, o.status, o.created_by)::text
            from unnest($9::text::text[], $12::text::text[]) as o(status, created_by)) as told
  ), born as materialized (
    select b.id, k.lifecycle[b.kind] as lifecycle, k.version[b.kind] as lifecycle_version,
      k.project_id[b.kind] as project_id, k.status[b.kind] as status, k.pooled[b.kind] as pooled,
      k.final[b.kind] as final, k.created_by[b.kind] as created_by, k.now, b.title, b.data::jsonb as data,
      b.assigned_to, coalesce(b.private, false) as private, coalesce(b.priority, 0) as priority,
      coalesce(b.open_blockers, 0) as open_blockers, to_timestamp(b.due_at / 1000.0) as due_at, b.due_action,
      to_timestamp(b.available_at / 1000.0) as available_at, b.exclusive_key, b.dedupe_key, b.client_event_id,
      coalesce(b.needs_attention, false) as needs_attention,
      b.patch::json as patch, b.n,
      pawl.seal(''::bytea, b.id, 1, k.now, k.told[b.kind], null, null, b.patch) as hash
    from kind k, unnest($4::text::uuid[], $5::text::integer[], $13::text::text[],
        string_to_array($14::text, e'\\x1e', ''), string_to_array($15::text, e'\\x1e', ''), $16::text::text[],
        $17::text::boolean[], $18::text::integer[], $19::text::integer[], $20::text::float8[], $21::text::text[],
        $22::text::float8[], $23::text::text[], $24::text::text[], $25::text::text[], $26::text::boolean[])
      with ordinality as b(id, kind, title, data, patch, assigned_to, private, priority, open_blockers, due_at,
        due_action, available_at, exclusive_key, dedupe_key, client_event_id, needs_attention, n)
  ), created as (
    insert into pawl.task (org_id, id, lifecycle, lifecycle_version, project_id, status, row_version, title, data,
      created_by, assigned_to, private, priority, attempt, open_blockers, open_holds, due_at, due_action, available_at,
      exclusive_key, dedupe_key, needs_attention, pooled, final, journal_hash, created_at, updated_at, entered_at)
    select $1, b.id, b.lifecycle, b.lifecycle_version, b.project_id, b.status, 1, b.title, b.data, b.created_by,
      b.assigned_to, b.private, b.priority, 0, b.open_blockers, 0, b.due_at, b.due_action, b.available_at,
      b.exclusive_key, b.dedupe_key, b.needs_attention, b.pooled, b.final, b.hash, b.now, b.now, b.now
    from born b
    returning id
  ), feed as (
    update pawl.org set feed_position = feed_position + $2 where id = $1 and (select count(*) from created) > 0
    returning feed_position - $2 as base
  )
  insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, from_status,
    to_status, actor_id, comment, payload, patch, private, client_event_id, expected_row_version, hash, created_at)
  select $1, b.id, 1, feed.base + b.n, b.lifecycle, b.project_id, 'created', 'create', null, b.status, b.created_by,
    null, null, b.patch, b.private, b.client_event_id, null, b.hash, b.now
  from born b cross join feed`;

/** A task at version 1, with what only its row knows. */
export type NewTaskRow = {
  lifecycle: Lifecycle;
  task: Task;
  dedupe_key: string | null;
  client_event_id: string | null;
};

/** Saves new tasks with their first journal rows, which the feed tells in this order. */
export function saveCreations(tx: Tx, org_id: string, rows: readonly NewTaskRow[], now: Instant): void {
  if (rows.length === 0) return;
  const kinds = new Kinds<KindOfBirth>();
  const kindOf = ({ lifecycle, task: { project_id, status, created_by } }: NewTaskRow) =>
    kinds.placeOf(
      lifecycle.name,
      lifecycle.version,
      project_id,
      status,
      isPooled(lifecycle, status),
      isFinal(lifecycle, status),
      created_by,
    );
  const places = column(rows.map(kindOf));
  const ids = column(rows.map(({ task }) => task.id));
  post(tx, SAVE_CREATIONS, [
    org_id,
    rows.length,
    now,
    ids,
    places,
    ...kinds.columns(),
    column(rows.map(({ task }) => task.title)),
    jsonColumn(rows.map(({ task }) => task.data)),
    jsonColumn(rows.map(({ task }) => birthPatch(task))),
    sparseColumn(rows.map(({ task }) => task.assigned_to)),
    sparseColumn(rows.map(({ task }) => task.private || null)),
    sparseColumn(rows.map(({ task }) => task.priority || null)),
    sparseColumn(rows.map(({ task }) => task.open_blockers || null)),
    sparseColumn(rows.map(({ task }) => task.due_at)),
    sparseColumn(rows.map(({ task }) => task.due_action)),
    sparseColumn(rows.map(({ task }) => task.available_at)),
    sparseColumn(rows.map(({ task }) => task.exclusive_key)),
    sparseColumn(rows.map(({ dedupe_key }) => dedupe_key)),
    sparseColumn(rows.map(({ client_event_id }) => client_event_id)),
    sparseColumn(rows.map(({ task }) => task.needs_attention || null)),
  ]);
}

type KindOfBirth = [
  lifecycle: string,
  version: number,
  project_id: string,
  status: string,
  pooled: boolean,
  final: boolean,
  created_by: string | null,
];
