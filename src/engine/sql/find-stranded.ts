import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Reads every unfinished task of the lifecycle in all orgs, once per start.
const FIND_STRANDED = `
  select 'status' as kind, t.status as name, count(*)::int as tasks from pawl.task t
  where t.lifecycle = $1 and not t.final and t.status <> all($2::text[]) and t.status <> all($3::text[])
  group by t.status
  union all
  select 'action', t.due_action, count(*)::int from pawl.task t
  where t.lifecycle = $1 and not t.final and t.status = any($2::text[]) and t.due_action <> all($4::text[])
  group by t.due_action
  order by kind desc, name`;

export type Stranded = { kind: "status" | "action"; name: string; tasks: number };

/** Finds statuses and timer actions of unfinished tasks that the lifecycle does not declare. */
export function findStranded(
  tx: Tx,
  lifecycle: string,
  known: {
    statuses: readonly string[];
    mappedStatuses: readonly string[];
    /** Including the mapped ones. */
    actions: readonly string[];
  },
): Promise<Stranded[]> {
  return query<Stranded>(tx, FIND_STRANDED, [lifecycle, known.statuses, known.mappedStatuses, known.actions]);
}
