import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "./database/connect.ts";
import { isCollision, isConnectionLoss, unavailable } from "./fault.ts";
import type { Tx } from "./transaction.ts";

export type Patience = {
  /** How long a lost database is waited for before callers are told. */
  patienceMs: number;
  /** How long one statement may take. */
  statementTimeoutMs: number;
};

const MOST_COLLISIONS = 20;

/**
 * Runs work in a transaction. Collisions and lost connections are tried again; `onCut` hears of a cut before the next
 * try, because nobody knows whether a commit that was under way went through.
 */
export async function transact<T>(
  sql: Sql,
  { patienceMs, statementTimeoutMs }: Patience,
  work: (tx: Tx) => Promise<T>,
  onCut: () => void = () => undefined,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  let collisions = 0;
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    try {
      return (await sql.begin(async (tx) => {
        // Not of the session: behind a pooler it would be somebody else's.
        const timeout = tx`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true)`;
        const [, result] = await Promise.all([timeout, work(tx)]);
        return result;
      })) as T;
    } catch (error) {
      if (isCollision(error) && ++collisions <= MOST_COLLISIONS) {
        await pause(Math.random() * 5 * collisions);
        continue;
      }
      if (!isConnectionLoss(error)) throw error;
      onCut();
      if (Date.now() + wait > deadline) throw unavailable(error);
      await pause(wait);
    }
  }
}
