import type { Instant, Lifecycle, Task } from "../../core/index.ts";
import { column, jsonColumn, Dictionary, sparseColumn } from "../columns.ts";
import { creationPatch, isFinal, isPooled } from "../task-row.ts";
import type { KeyRecord } from "../write/work.ts";
import { sealOf, eventHeader } from "../upkeep/seal.ts";
import { statement } from "./statement.ts";
import type { Write } from "./statement.ts";

// Writes tasks, journal, feed and idempotency records in one statement, the last one before the commit, as with moves. Values
// shared by many tasks are sent once, in a dictionary (`kind`).
const SAVE_CREATIONS = statement(`
  with kind as materialized (
    select :lifecycles::text::text[] as lifecycle, :versions::text::integer[] as version,
      :projects::text::text[] as project_id, :statuses::text::text[] as status, :pooled::text::boolean[] as pooled,
      :final::text::boolean[] as final, :creators::text::text[] as created_by, :header::text::text[] as header,
      to_timestamp(:now::float8 / 1000.0) as now
  ), born as materialized (
    select b.id, k.lifecycle[b.kind] as lifecycle, k.version[b.kind] as lifecycle_version,
      k.project_id[b.kind] as project_id, k.status[b.kind] as status, k.pooled[b.kind] as pooled,
      k.final[b.kind] as final, k.created_by[b.kind] as created_by, k.now, b.title, b.data::jsonb as data,
      b.assigned_to, coalesce(b.private, false) as private, b.readers::text[] as readers,
      coalesce(b.priority, 0) as priority,
      coalesce(b.open_blockers, 0) as open_blockers, to_timestamp(b.due_at / 1000.0) as due_at, b.due_action,
      to_timestamp(b.available_at / 1000.0) as available_at, b.exclusive_key, b.dedupe_key, b.client_event_id,
      coalesce(b.needs_attention, false) as needs_attention, coalesce(b.awaited, false) as awaited,
      b.patch::json as patch, b.fingerprint, b.answer, b.n,
      ${sealOf({
        previous: "''::bytea",
        id: "b.id",
        row_version: "1",
        now: "k.now",
        header: "k.header[b.kind]",
        comment: "null",
        payload: "null",
        patch: "b.patch",
      })} as hash
    from kind k, unnest(:ids::text::uuid[], :kinds::text::integer[], :titles::text::text[],
        string_to_array(:datas::text, e'\\x1e', ''), string_to_array(:patches::text, e'\\x1e', ''),
        :assignees::text::text[], :privates::text::boolean[], :readers::text::text[], :priorities::text::integer[],
        :open_blockers::text::integer[], :due_ats::text::float8[], :due_actions::text::text[],
        :available_ats::text::float8[], :exclusive_keys::text::text[], :dedupe_keys::text::text[], :keys::text::text[],
        :needs_attentions::text::boolean[], :awaited::text::boolean[], :fingerprints::text::text[],
        string_to_array(:answers::text, e'\\x1e', ''))
      with ordinality as b(id, kind, title, data, patch, assigned_to, private, readers, priority, open_blockers, due_at,
        due_action, available_at, exclusive_key, dedupe_key, client_event_id, needs_attention, awaited, fingerprint,
        answer, n)
    where (:settings_version::integer is null
           or :settings_version = (select o.settings_version from pawl.org o where o.id = :org_id))
  ), created as (
    insert into pawl.task (org_id, id, lifecycle, lifecycle_version, project_id, status, row_version, title, data,
      created_by, assigned_to, private, readers, priority, attempt, open_blockers, open_holds, due_at, due_action, available_at,
      exclusive_key, dedupe_key, needs_attention, pooled, final, awaited, journal_hash, created_at, updated_at,
      entered_at)
    select :org_id, b.id, b.lifecycle, b.lifecycle_version, b.project_id, b.status, 1, b.title, b.data, b.created_by,
      b.assigned_to, b.private, b.readers, b.priority, 0, b.open_blockers, 0, b.due_at, b.due_action, b.available_at,
      b.exclusive_key, b.dedupe_key, b.needs_attention, b.pooled, b.final, b.awaited, b.hash, b.now, b.now, b.now
    from born b
    returning id
  ), feed as (
    update pawl.org o set feed_position = o.feed_position + made.tasks
    from (select count(*) as tasks from created) as made
    where o.id = :org_id and made.tasks > 0
    returning o.feed_position - made.tasks as base
  ), events as (
    insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, from_status,
      to_status, actor_id, comment, payload, patch, private, client_event_id, expected_row_version, hash, created_at)
    select :org_id, b.id, 1, feed.base + b.n, b.lifecycle, b.project_id, 'created', 'create',
      null, b.status, b.created_by, null, null, b.patch, b.private, b.client_event_id, null, b.hash, b.now
    from born b cross join feed
  ), requests as (
    insert into pawl.request (org_id, client_event_id, actor_id, fingerprint, answer, created_at)
    select :org_id, b.client_event_id, b.created_by, decode(b.fingerprint, 'hex'), b.answer::json, b.now
    from born b where b.fingerprint is not null
  )
  select b.n::integer, clock_timestamp() from born b`);

/** The number of a task that was written (from 1), and the time. */
export type CreatedCells = [n: number, now: Instant];

/** A task at version 1, with the columns that are not part of a task. */
export type NewTaskRow = {
  lifecycle: Lifecycle;
  task: Task;
  dedupe_key: string | null;
  client_event_id: string | null;
  awaited: boolean;
  /** Idempotency record, with the first task of a request; null if another statement writes it. */
  record: KeyRecord | null;
};

export type SaveCreations = {
  org_id: string;
  now: Instant;
  rows: readonly NewTaskRow[];
  /** The version of the settings that the tasks were created with; null if they were read in the same transaction. */
  settings_version: number | null;
};

/** Saves new tasks with their first journal rows, which appear in the feed in this order. */
export function saveCreations({ org_id, now, rows, settings_version }: SaveCreations): Write {
  const kinds = new Dictionary<CreationKind>();
  const kindOf = ({ lifecycle, task: { project_id, status, created_by } }: NewTaskRow) =>
    kinds.indexOf(
      lifecycle.name,
      lifecycle.version,
      project_id,
      status,
      isPooled(lifecycle, status),
      isFinal(lifecycle, status),
      created_by,
    );
  const places = column(rows.map(kindOf));
  const [lifecycles, versions, projects, statuses, pooled, final, creators] = kinds.columns();
  return SAVE_CREATIONS({
    org_id,
    now,
    settings_version,
    ids: column(rows.map(({ task }) => task.id)),
    kinds: places,
    lifecycles,
    versions,
    projects,
    statuses,
    pooled,
    final,
    creators,
    header: column(
      kinds.entries.map(([, , , status, , , creator]) =>
        eventHeader("created", "create", null, status, creator),
      ),
    ),
    titles: column(rows.map(({ task }) => task.title)),
    datas: jsonColumn(rows.map(({ task }) => task.data)),
    patches: jsonColumn(rows.map(({ task }) => creationPatch(task))),
    assignees: sparseColumn(rows.map(({ task }) => task.assigned_to)),
    privates: sparseColumn(rows.map(({ task }) => task.private || null)),
    readers: sparseColumn(rows.map(({ task }) => (task.readers ? column(task.readers) : null))),
    priorities: sparseColumn(rows.map(({ task }) => task.priority || null)),
    open_blockers: sparseColumn(rows.map(({ task }) => task.open_blockers || null)),
    due_ats: sparseColumn(rows.map(({ task }) => task.due_at)),
    due_actions: sparseColumn(rows.map(({ task }) => task.due_action)),
    available_ats: sparseColumn(rows.map(({ task }) => task.available_at)),
    exclusive_keys: sparseColumn(rows.map(({ task }) => task.exclusive_key)),
    dedupe_keys: sparseColumn(rows.map(({ dedupe_key }) => dedupe_key)),
    keys: sparseColumn(rows.map(({ client_event_id }) => client_event_id)),
    needs_attentions: sparseColumn(rows.map(({ task }) => task.needs_attention || null)),
    awaited: sparseColumn(rows.map((row) => row.awaited || null)),
    fingerprints: sparseColumn(rows.map(({ record }) => record?.fingerprint ?? null)),
    answers: jsonColumn(rows.map(({ record }) => record?.answer ?? null)),
  });
}

type CreationKind = [
  lifecycle: string,
  version: number,
  project_id: string,
  status: string,
  pooled: boolean,
  final: boolean,
  created_by: string | null,
];
