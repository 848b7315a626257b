import type { Refusal } from "../core/index.ts";
import { DEFERRED, Failed } from "./batch.ts";
import { checkDriver, checkShape, transactionFault } from "./check-transaction.ts";
import { refusalOrFailure } from "./settle-batch.ts";
import { behindSavepoint } from "./transaction.ts";
import type { Tx } from "./transaction.ts";

/** What is under way in each of the callers' transactions: row locks keep nobody out of his own. */
const UNDER_WAY = new WeakMap<Tx, Promise<unknown>>();

/**
 * Settles one item in a transaction of the caller's: after whatever else he has begun in it, and behind a savepoint, so
 * that what the database refuses is a refusal and the rest of his transaction lives on.
 */
export function settleInside<Item, Answer>(
  tx: Tx,
  item: Item,
  work: (tx: Tx, items: readonly Item[]) => Promise<(Answer | typeof DEFERRED)[]>,
): Promise<Answer | Refusal> {
  checkShape(tx);
  const before = UNDER_WAY.get(tx) ?? Promise.resolve();
  const mine = before.then(() => settle(tx, item, work));
  UNDER_WAY.set(
    tx,
    mine.catch(() => undefined),
  );
  return mine;
}

async function settle<Item, Answer>(
  tx: Tx,
  item: Item,
  work: (tx: Tx, items: readonly Item[]) => Promise<(Answer | typeof DEFERRED)[]>,
): Promise<Answer | Refusal> {
  for (;;) {
    const answer = await behindSavepoint(tx, async (inner) => {
      await checkDriver(tx, inner);
      return (await work(inner, [item]))[0];
    }).catch((error: unknown) => {
      const fault = transactionFault(error);
      return fault ? new Failed(fault) : refusalOrFailure(error);
    });
    if (answer instanceof Failed) throw answer.error;
    // There is no next batch here: what was deferred is tried again at once.
    if (answer !== DEFERRED) return answer as Answer | Refusal;
  }
}
