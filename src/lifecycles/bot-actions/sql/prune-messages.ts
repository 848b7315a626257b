import { query } from "../../../plugin/index.ts";
import type { OldRows, Tx } from "../../../plugin/index.ts";

// Ids sort by age, so the primary key finds the oldest messages. A message's row in the feed is deleted with it, and the
// answer stored for its key, which contains its text.
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
  select count(*)::integer as deleted from messages`;

/** Deletes old messages; returns how many. */
export async function pruneMessages(
  tx: Tx,
  org_id: string,
  { below, before, limit }: OldRows,
): Promise<number> {
  const [row] = await query<{ deleted: number }>(tx, PRUNE_MESSAGES, [org_id, below, before, limit]);
  return row?.deleted ?? 0;
}
