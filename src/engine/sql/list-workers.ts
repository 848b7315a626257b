import type { Instant, MemberKind } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { Scope } from "./count-open.ts";
import { visibleTo } from "./visible-to.ts";

// Heartbeats count only if their token is that of the current lease.
const LIST_WORKERS = `
  with held as (
    select coalesce(t.lease_holder, t.assigned_to) as member_id, t.updated_at, t.lease_token is not null as leased,
      coalesce(b.beat_at, t.leased_at) as heartbeat_at, coalesce(b.until, t.lease_until) as lease_until
    from pawl.task t
    left join pawl.heartbeat b on b.org_id = t.org_id and b.task_id = t.id and b.token = t.lease_token
    where t.org_id = $1 and not t.final and (t.assigned_to is not null or t.lease_holder is not null)
      and ($2::text is null or t.lifecycle = $2)
      and ($3::text[] is null or t.project_id = any($3))
      and ${visibleTo("$4")}
  )
  select h.member_id, coalesce(m.name, h.member_id) as name, m.kind, count(*)::float8 as tasks,
    count(*) filter (where h.leased)::float8 as leases, max(h.heartbeat_at) as heartbeat_at,
    min(h.lease_until) as lease_until, max(h.updated_at) as last_act_at
  from held h left join pawl.member m on m.org_id = $1 and m.id = h.member_id
  group by h.member_id, m.name, m.kind
  order by max(h.updated_at) desc, h.member_id
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

/** Lists the members who hold unfinished tasks, most recently active first. */
export function listWorkers(
  tx: Tx,
  org_id: string,
  { lifecycle, projects, reader }: Scope,
  limit: number,
): Promise<WorkerRow[]> {
  return query<WorkerRow>(tx, LIST_WORKERS, [org_id, lifecycle, projects, reader, limit]);
}
