import type { Instant, MemberKind } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { Scope } from "./count-open.ts";

// Whose hands work is in: by the index of assigned tasks, and by leases, which are as many as there is work under way.
const LIST_WORKERS = `
  with held as (
    select t.assigned_to as member_id, count(*)::float8 as tasks, 0::float8 as leases, null::timestamptz as heartbeat_at,
      null::timestamptz as lease_until, max(t.updated_at) as last_act_at
    from pawl.task t
    where t.org_id = $1 and t.assigned_to is not null and not t.final
      and ($2::text is null or t.lifecycle = $2)
      and ($3::text[] is null or t.project_id = any($3))
      and (not t.private or $4::text is null or t.created_by = $4 or t.assigned_to = $4)
    group by t.assigned_to
    union all
    select l.holder, 0, count(*)::float8, max(l.heartbeat_at), min(l.until), max(t.updated_at)
    from pawl.lease l join pawl.task t on t.org_id = l.org_id and t.id = l.task_id
    where l.org_id = $1
      and ($2::text is null or t.lifecycle = $2)
      and ($3::text[] is null or t.project_id = any($3))
      and (not t.private or $4::text is null or t.created_by = $4 or t.assigned_to = $4)
    group by l.holder
  )
  select h.member_id, coalesce(m.name, h.member_id) as name, m.kind, sum(h.tasks)::float8 as tasks,
    sum(h.leases)::float8 as leases, max(h.heartbeat_at) as heartbeat_at, min(h.lease_until) as lease_until,
    max(h.last_act_at) as last_act_at
  from held h left join pawl.member m on m.org_id = $1 and m.id = h.member_id
  group by h.member_id, m.name, m.kind
  order by max(h.last_act_at) desc, h.member_id
  limit $5`;

export type WorkerRow = {
  member_id: string;
  name: string;
  kind: MemberKind | null;
  tasks: number;
  leases: number;
  heartbeat_at: Instant | null;
  lease_until: Instant | null;
  last_act_at: Instant | null;
};

/** Who has unfinished work in his hands. */
export function listWorkers(
  tx: Tx,
  org_id: string,
  { lifecycle, projects, reader }: Scope,
  limit: number,
): Promise<WorkerRow[]> {
  return query<WorkerRow>(tx, LIST_WORKERS, [org_id, lifecycle, projects, reader, limit]);
}
