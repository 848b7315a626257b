import { PawlError } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";
import { Failed } from "./batch.ts";
import type { DEFERRED } from "./batch.ts";
import type { Sql } from "./database/connect.ts";
import { isUnstorable, violationOf } from "./fault.ts";
import { refusalOfData, refusalOfViolation } from "./refusals.ts";
import { transact } from "./transact.ts";
import type { Patience } from "./transact.ts";
import type { Tx } from "./transaction.ts";

/** One transaction for all. Where one of them fails, they go on in halves until it is alone: it never fails its neighbours. */
export async function settleBatch<Item, Answer>(
  sql: Sql,
  patience: Patience,
  items: readonly Item[],
  work: (tx: Tx, items: readonly Item[]) => Promise<(Answer | typeof DEFERRED)[]>,
): Promise<(Answer | Refusal | typeof DEFERRED | Failed)[]> {
  let tried = items;
  const onCut = () => (tried = tried.map((item) => ({ ...item, uncertain: true })));
  const settle = () => transact(sql, patience, (tx) => work(tx, tried), onCut);
  try {
    return await settle();
  } catch (error) {
    if (error instanceof PawlError && error.code === "UNAVAILABLE") throw error;
    if (items.length > 1) {
      const middle = Math.ceil(items.length / 2);
      const half = (some: readonly Item[]) =>
        settleBatch(sql, patience, some, work).catch((fault: unknown) => some.map(() => new Failed(fault)));
      const first = await half(tried.slice(0, middle));
      return [...first, ...(await half(tried.slice(middle)))];
    }
    if (violationOf(error) === null) return [refusalOrFailure(error)];
  }
  // The neighbour that was first has committed by now, so that rules and keys see it; what the database still refuses is refused.
  return settle().catch((error: unknown) => [refusalOrFailure(error)]);
}

/** What the database would not take is a refusal; everything else is a fault. */
export function refusalOrFailure(error: unknown): Refusal | Failed {
  const constraint = violationOf(error);
  if (constraint !== null) return refusalOfViolation(constraint);
  return isUnstorable(error) ? refusalOfData(error) : new Failed(error);
}
