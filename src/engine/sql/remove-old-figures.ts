import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";
import { GRAINS } from "./roll-up-events.ts";

const REMOVE_OLD_FIGURES = `
  with old as materialized (
    select g.seconds as grain, statement_timestamp() - make_interval(secs => g.kept) as before
    from unnest($2::integer[], $3::integer[]) as g(seconds, kept)
  ), flows as (
    delete from pawl.insight_flow f using old where f.org_id = $1 and f.grain = old.grain and f.start < old.before
  ), stays as (
    delete from pawl.insight_stay s using old where s.org_id = $1 and s.grain = old.grain and s.start < old.before
  )
  delete from pawl.insight_finish f using old where f.org_id = $1 and f.grain = old.grain and f.start < old.before`;

/** Deletes the figures of periods that no window reads any more: minutes after hours, weeks after years. */
export async function removeOldFigures(tx: Tx, org_id: string): Promise<void> {
  const lengths = GRAINS.map(({ seconds }) => seconds);
  const kept = GRAINS.map(({ kept: seconds }) => seconds);
  await query(tx, REMOVE_OLD_FIGURES, [org_id, lengths, kept]);
}
