import { setTimeout as pause } from "node:timers/promises";
import { timerDelay } from "../std/timer-delay.ts";
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
  let collisions = 0;
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    try {
      return await attempt(sql, patience, deadline, work);
    } catch (error) {
      if (isCollision(error) && ++collisions <= MOST_COLLISIONS) {
        await pause(Math.random() * 5 * collisions);
        continue;
      }
      if (isCollision(error) || isOverload(error) || isEnded(error)) throw unavailable(error);
      if (!isConnectionLoss(error)) throw error;
      onCut();
      if (Date.now() + wait > deadline) throw unavailable(error);
      await pause(wait);
    }
  }
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
  let waiting: NodeJS.Timeout | undefined;
  const givenUp = new Promise<never>((_, reject) => {
    const late = () => {
      waiting = undefined;
      reject(unavailable(new Error("no connection could be had in time")));
    };
    waiting = setTimeout(late, timerDelay(Math.max(deadline - Date.now(), 1_000)));
  });
  const done = sql.begin(async (tx) => {
    if (waiting === undefined) throw new Error("nobody waits for this transaction any more");
    clearTimeout(waiting);
    const writes = new SentWrites(tx);
    if (!hasSettings(sql, patience)) writes.send(localSettings(patience));
    const result = await work(tx, writes);
    // The commit travels behind the writes, and is a rollback if one of them failed.
    const saved = writes.done();
    saved.catch(() => undefined);
    return { result, saved };
  }) as Promise<{ result: T; saved: Promise<void> }>;
  try {
    const { result, saved } = await Promise.race([done, givenUp]);
    await saved;
    return result;
  } finally {
    clearTimeout(waiting);
  }
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
