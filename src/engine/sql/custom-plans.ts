import { query } from "../transaction.ts";
import type { Tx } from "../transaction.ts";

const PLAN_ANEW = `select set_config('plan_cache_mode', 'force_custom_plan', true)`;

/**
 * Plans each statement for its parameters for the rest of the transaction. For lists with many optional filters: planning
 * costs less than a millisecond, while a generic plan for all filters would use the index of none.
 */
export async function useCustomPlans(tx: Tx): Promise<void> {
  await query(tx, PLAN_ANEW, []);
}
