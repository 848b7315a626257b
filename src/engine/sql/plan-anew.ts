import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const PLAN_ANEW = `select set_config('plan_cache_mode', 'force_custom_plan', true)`;

/**
 * For the rest of the transaction each statement is planned for the values that come with it: for lists with many filters, of
 * which few are given. Planning costs a part of a millisecond; a plan for all filters at once would use the index of none.
 */
export async function planAnew(tx: Tx): Promise<void> {
  await query(tx, PLAN_ANEW, []);
}
