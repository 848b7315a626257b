import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

// Includes lifecycles and statuses that only another node or an earlier version declares: tasks of them may exist.
const READ_STATUSES = `
  select l.name as lifecycle, s.value ->> 'name' as status
  from pawl.lifecycle l cross join lateral jsonb_array_elements(l.definition -> 'statuses') as s`;

/** Reads every lifecycle and status that was ever registered in the database. */
export function readRegisteredStatuses(tx: Tx): Promise<{ lifecycle: string; status: string }[]> {
  return query<{ lifecycle: string; status: string }>(tx, READ_STATUSES, []);
}
