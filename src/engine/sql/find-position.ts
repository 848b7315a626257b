import type { Instant } from "../../core/index.ts";
import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// The feed is in commit order, so a time is found by binary search: twenty probes of its index among a million events. Clocks
// are read a little before positions are assigned, so the search aims a minute early, and readers compare the time again. In a
// gap left by pruning, the next event is used.
const FIND_POSITION = `
  with recursive search as (
    select coalesce((select e.position from pawl.event e where e.org_id = $1 order by e.position limit 1), 1) - 1 as low,
      (select o.feed_position from pawl.org o where o.id = $1) + 1 as high
    union all
    select case when probe.early then s.low + (s.high - s.low) / 2 else s.low end,
      case when probe.early then s.high else s.low + (s.high - s.low) / 2 end
    from search s
    cross join lateral (
      select coalesce((
        select e.created_at < to_timestamp($2::float8 / 1000.0) - interval '1 minute' from pawl.event e
        where e.org_id = $1 and e.position >= s.low + (s.high - s.low) / 2
        order by e.position limit 1), false) as early
    ) as probe
    where s.high - s.low > 1
  )
  select greatest(max(s.low), o.feed_position - $3::bigint)::float8 as position, max(s.low) < o.feed_position - $3::bigint as cut
  from search s, pawl.org o
  where o.id = $1
  group by o.feed_position`;

/** Finds the feed position just before the first event since a time. It goes back at most `most` events; `cut` if there are more. */
export async function findPosition(
  tx: Tx,
  org_id: string,
  { since, most }: { since: Instant; most: number },
): Promise<{ position: number; cut: boolean }> {
  const [row] = await query<{ position: number; cut: boolean }>(tx, FIND_POSITION, [org_id, since, most]);
  return row ?? { position: 0, cut: false };
}
