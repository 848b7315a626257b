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
import { reconnectDelayMs } from "./query-outside-transaction.ts";
import { statement } from "./sql/statement.ts";
import { EngineTransaction, SentWrites } from "./transaction.ts";
import type { Tx } from "./transaction.ts";

export type Timeouts = {
  /** How long a lost connection is retried before the call fails. */
  retryTimeoutMs: number;
  /** Maximum time of one statement. */
  statementTimeoutMs: number;
};

const MAX_COLLISIONS = 20;

// For clients that share their sessions with others, behind a pooler: the settings apply to the transaction only.
const SET_LOCALS = statement(`
  select set_config('statement_timeout', :timeout, true), set_config('idle_in_transaction_session_timeout', :idle, true),
    set_config('enable_seqscan', :seqscan, true), set_config('plan_cache_mode', :plans, true),
    set_config('max_parallel_workers_per_gather', :workers, true)`);

/** Work in a transaction; `writes` are sent without waiting, before the commit. */
type InTransaction<T> = (tx: Tx, writes: SentWrites) => Promise<T>;

/**
 * Runs work in a transaction. Retries after deadlocks, serialization failures, lock timeouts and lost connections.
 * `onConnectionLost` is called first, because the lost transaction may have been committed.
 */
export async function transact<T>(
  sql: Sql,
  timeouts: Timeouts,
  work: InTransaction<T>,
  onConnectionLost: () => void = () => undefined,
): Promise<T> {
  const deadline = Date.now() + timeouts.retryTimeoutMs;
  let [collisions, cuts] = [0, 0];
  return retry(() => attempt(sql, timeouts, deadline, work), {
    delayAfter: (error) => {
      if (isCollision(error) && ++collisions <= MAX_COLLISIONS) return Math.random() * 5 * collisions;
      if (isCollision(error) || isOverload(error) || isEnded(error)) throw unavailable(error);
      if (!isConnectionLoss(error)) return null;
      onConnectionLost();
      return reconnectDelayMs(error, cuts++, deadline);
    },
  });
}

/** Whether the client's sessions already have the settings that statements need, so that no transaction has to set them. */
export function hasSettings(sql: Sql, { statementTimeoutMs }: Timeouts): boolean {
  return hasOwnSessions(sql) && statementTimeoutMs === STATEMENT_TIMEOUT_MS;
}

/** Runs the work once. Fails if no connection is free in time: all are busy, or the server accepts no more. */
async function attempt<T>(
  sql: Sql,
  timeouts: Timeouts,
  deadline: number,
  work: InTransaction<T>,
): Promise<T> {
  let isGivenUp = false;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const done = sql.begin(async (opened) => {
    if (isGivenUp) throw new Error("the caller has stopped waiting for this transaction");
    begin();
    const tx = new EngineTransaction(opened);
    const writes = new SentWrites(tx);
    if (!hasSettings(sql, timeouts)) writes.send(localSettings(timeouts));
    const result = await work(tx, writes);
    // The commit is sent after the writes; PostgreSQL rolls back instead if one of them failed.
    const saved = writes.done();
    saved.catch(() => undefined);
    return { result, saved };
  }) as Promise<{ result: T; saved: Promise<void> }>;
  await withTimeout(Promise.race([begun, done]), Math.max(deadline - Date.now(), 1_000), () => {
    isGivenUp = true;
    throw unavailable(new Error("no database connection was free in time"));
  });
  const { result, saved } = await done;
  await saved;
  return result;
}

function localSettings({ statementTimeoutMs }: Timeouts) {
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
