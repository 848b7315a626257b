import { query } from "../../../plugin/index.ts";
import type { OldRows, Tx } from "../../../plugin/index.ts";

// Ids are by age, so the primary key leads to the oldest. With a message go its row in the feed and the answer that was kept
// for its key, which holds its text as well.
const PRUNE_MESSAGES = `
  with old as (
    select m.id from pawl.bot_actions_message m
    where m.org_id = $1 and m.id < $2::uuid and m.created_at < to_timestamp($3::float8 / 1000.0)
    order by m.id
    limit $4
    for update skip locked
  ), messages as (
    delete from pawl.bot_actions_message m where m.org_id = $1 and m.id in (select o.id from old o)
    returning m.id, m.client_event_id
  ), events as (
    delete from pawl.event e where e.org_id = $1 and e.task_id in (select g.id from messages g) and e.row_version = 0
  ), requests as (
    delete from pawl.request r
    where r.org_id = $1
      and r.client_event_id in (select g.client_event_id from messages g where g.client_event_id is not null)
  )
  select count(*)::integer as gone from messages`;

/** Deletes messages that are too old; says how many. */
export async function pruneMessages(
  tx: Tx,
  org_id: string,
  { below, before, limit }: OldRows,
): Promise<number> {
  const [row] = await query<{ gone: number }>(tx, PRUNE_MESSAGES, [org_id, below, before, limit]);
  return row?.gone ?? 0;
}
