import type postgres from "postgres";
import { retry } from "../std/retry.ts";
import { withTimeout } from "../std/with-timeout.ts";
import { isConnectionLoss, isEnded, isOverload, unavailable } from "../postgres/index.ts";
import type { Sql } from "../postgres/index.ts";

/**
 * Runs one statement that changes no data outside any transaction: one round trip instead of three. Retries lost connections. No
 * statement timeout can be set without a transaction, so the caller stops waiting after `retryTimeoutMs`.
 */
export async function queryOutsideTransaction<Row extends object>(
  sql: Sql,
  retryTimeoutMs: number,
  text: string,
  params: readonly unknown[],
): Promise<Row[]> {
  const deadline = Date.now() + retryTimeoutMs;
  return retry(() => askOnce<Row>(sql, deadline, text, params), {
    delayAfter: (error, failures) => {
      if (isEnded(error) || isOverload(error)) throw unavailable(error);
      return isConnectionLoss(error) ? reconnectDelayMs(error, failures, deadline) : null;
    },
  });
}

/** Milliseconds until a lost database is asked again; throws UNAVAILABLE if the deadline is before that. */
export function reconnectDelayMs(error: unknown, failures: number, deadline: number): number {
  const delay = Math.min(10 * 2 ** failures, 500);
  if (Date.now() + delay > deadline) throw unavailable(error);
  return delay;
}

async function askOnce<Row extends object>(
  sql: Sql,
  deadline: number,
  text: string,
  params: readonly unknown[],
): Promise<Row[]> {
  const pending = sql.unsafe<Row[]>(text, params as postgres.ParameterOrJSON<never>[], { prepare: true });
  return answerBy(deadline, pending);
}

/**
 * Waits for an answer until the deadline, then throws UNAVAILABLE. The statement is not cancelled: the driver's cancel request can
 * fail uncaught, and may hit another statement.
 */
export function answerBy<T>(deadline: number, pending: Promise<T>): Promise<T> {
  return withTimeout(pending, Math.max(deadline - Date.now(), 1), () => {
    throw unavailable(new Error("no answer from the database in time"));
  });
}
