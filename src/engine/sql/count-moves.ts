import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import type { Scope } from "./count-open.ts";
import { eventVisibleTo } from "./visible-to.ts";

const COUNT_MOVES = `
  select e.lifecycle, e.from_status, e.to_status, e.action,
    floor((extract(epoch from e.created_at) * 1000 - $6::float8) / $7::float8)::integer as bucket,
    count(*)::float8 as moves
  from pawl.event e
  where e.org_id = $1 and e.position > $2
    and e.from_status is distinct from e.to_status
    and e.created_at >= to_timestamp($6::float8 / 1000.0)
    and ($3::text is null or e.lifecycle = $3)
    and ($4::text[] is null or e.project_id = any($4))
    and ${eventVisibleTo("$5")}
  group by 1, 2, 3, 4, 5`;

export type MovesRow = {
  lifecycle: string;
  /** null for a creation. */
  from_status: string | null;
  to_status: string;
  action: string;
  bucket: number;
  moves: number;
};

/** Counts the status changes of tasks by transition and time bucket. */
export function countMoves(
  tx: Tx,
  org_id: string,
  { lifecycle, projects, reader }: Scope,
  { after, since, bucket_ms }: { after: number; since: Instant; bucket_ms: number },
): Promise<MovesRow[]> {
  return query<MovesRow>(tx, COUNT_MOVES, [org_id, after, lifecycle, projects, reader, since, bucket_ms]);
}

const READ_EVENT_TIME = `
  select e.created_at from pawl.event e where e.org_id = $1 and e.position > $2 order by e.position limit 1`;

/** Returns the time of the first event after a position. */
export async function readEventTime(tx: Tx, org_id: string, after: number): Promise<Instant | null> {
  const [row] = await query<{ created_at: Instant }>(tx, READ_EVENT_TIME, [org_id, after]);
  return row?.created_at ?? null;
}
