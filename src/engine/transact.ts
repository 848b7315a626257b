import { retry } from "../std/retry.ts";
import { timerDelay } from "../std/timer-delay.ts";
import { withTimeout } from "../std/with-timeout.ts";
import {
  hasOwnSessions,
  isCollision,
  isConnectionLoss,
  isEnded,
  isOverload,
  SESSION_SETTINGS,
  STATEMENT_TIMEOUT_MS,
  unavailable,
} from "../postgres/index.ts";
import type { Sql } from "../postgres/index.ts";
import { reconnectDelayMs } from "./ask.ts";
import { statement } from "./sql/statement.ts";
import { SentWrites } from "./transaction.ts";
import type { Tx } from "./transaction.ts";

export type Patience = {
  /** How long a lost database is waited for before callers are told. */
  patienceMs: number;
  /** How long one statement may take. */
  statementTimeoutMs: number;
};

const MOST_COLLISIONS = 20;

// For a client whose sessions are not its own: behind a pooler they would be somebody else's.
const SET_LOCALS = statement(`
  select set_config('statement_timeout', :timeout, true), set_config('idle_in_transaction_session_timeout', :idle, true),
    set_config('enable_seqscan', :seqscan, true), set_config('plan_cache_mode', :plans, true),
    set_config('max_parallel_workers_per_gather', :workers, true)`);

/** Work in a transaction; what it sends without waiting goes ahead of the commit. */
type InTransaction<T> = (tx: Tx, writes: SentWrites) => Promise<T>;

/**
 * Runs work in a transaction. Collisions and lost connections are tried again; `onCut` hears of a cut before the next
 * try, because nobody knows whether a commit that was under way went through.
 */
export async function transact<T>(
  sql: Sql,
  patience: Patience,
  work: InTransaction<T>,
  onCut: () => void = () => undefined,
): Promise<T> {
  const deadline = Date.now() + patience.patienceMs;
  let [collisions, cuts] = [0, 0];
  return retry(() => attempt(sql, patience, deadline, work), {
    delayAfter: (error) => {
      if (isCollision(error) && ++collisions <= MOST_COLLISIONS) return Math.random() * 5 * collisions;
      if (isCollision(error) || isOverload(error) || isEnded(error)) throw unavailable(error);
      if (!isConnectionLoss(error)) return null;
      onCut();
      return reconnectDelayMs(error, cuts++, deadline);
    },
  });
}

/** Whether the sessions of a client have the settings that statements need, and no transaction has to make them. */
export function hasSettings(sql: Sql, { statementTimeoutMs }: Patience): boolean {
  return hasOwnSessions(sql) && statementTimeoutMs === STATEMENT_TIMEOUT_MS;
}

/** One try. A connection that cannot be had in time, because all are busy or the server lets none in, is given up. */
async function attempt<T>(
  sql: Sql,
  patience: Patience,
  deadline: number,
  work: InTransaction<T>,
): Promise<T> {
  let isGivenUp = false;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const done = sql.begin(async (tx) => {
    if (isGivenUp) throw new Error("nobody waits for this transaction any more");
    begin();
    const writes = new SentWrites(tx);
    if (!hasSettings(sql, patience)) writes.send(localSettings(patience));
    const result = await work(tx, writes);
    // The commit travels behind the writes, and is a rollback if one of them failed.
    const saved = writes.done();
    saved.catch(() => undefined);
    return { result, saved };
  }) as Promise<{ result: T; saved: Promise<void> }>;
  await withTimeout(Promise.race([begun, done]), Math.max(deadline - Date.now(), 1_000), () => {
    isGivenUp = true;
    throw unavailable(new Error("no connection could be had in time"));
  });
  const { result, saved } = await done;
  await saved;
  return result;
}

function localSettings({ statementTimeoutMs }: Patience) {
  const { enable_seqscan, plan_cache_mode, max_parallel_workers_per_gather } = SESSION_SETTINGS;
  return SET_LOCALS({
    // PostgreSQL would round half a millisecond to 0, which disables the timeout.
    timeout: String(timerDelay(statementTimeoutMs)),
    idle: String(SESSION_SETTINGS.idle_in_transaction_session_timeout),
    seqscan: enable_seqscan,
    plans: plan_cache_mode,
    workers: String(max_parallel_workers_per_gather),
  });
}
