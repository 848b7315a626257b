import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { Scope } from "./count-open.ts";
import { eventVisibleTo } from "./visible-to.ts";

// Reads only the latest moves, with one probe each for the event that entered the status, so the cost is bounded.
const READ_STAYS = `
  select m.lifecycle, m.from_status as status, count(*)::float8 as moves,
    percentile_cont(0.5) within group (order by m.seconds)::float8 as median_seconds,
    percentile_cont(0.9) within group (order by m.seconds)::float8 as slow_seconds
  from (
    select e.lifecycle, e.from_status, extract(epoch from e.created_at - entry.created_at) as seconds
    from (
      select l.lifecycle, l.from_status, l.task_id, l.row_version, l.created_at
      from pawl.event l
      where l.org_id = $1 and l.position > $2
        and l.from_status is not null and l.from_status <> l.to_status
        and l.created_at >= to_timestamp($6::float8 / 1000.0)
        and ($3::text is null or l.lifecycle = $3)
        and ($4::text[] is null or l.project_id = any($4))
        and ${eventVisibleTo("$5", "l")}
      order by l.position desc
      limit $7
    ) as e
    cross join lateral (
      select b.created_at from pawl.event b
      where b.org_id = $1 and b.task_id = e.task_id and b.row_version < e.row_version
        and b.to_status = e.from_status and b.from_status is distinct from b.to_status
      order by b.row_version desc limit 1
    ) as entry
  ) as m
  group by m.lifecycle, m.from_status`;

export type StayRow = {
  lifecycle: string;
  status: string;
  moves: number;
  median_seconds: number;
  slow_seconds: number;
};

/** Measures how long tasks stayed in the statuses that they left recently. */
export function readStays(
  tx: Tx,
  org_id: string,
  { lifecycle, projects, reader }: Scope,
  { after, since, max }: { after: number; since: Instant; max: number },
): Promise<StayRow[]> {
  return query<StayRow>(tx, READ_STAYS, [org_id, after, lifecycle, projects, reader, since, max]);
}
