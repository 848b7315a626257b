import type postgres from "postgres";
import { retry } from "../std/retry.ts";
import { withTimeout } from "../std/with-timeout.ts";
import { isConnectionLoss, isEnded, isOverload, unavailable } from "../postgres/index.ts";
import type { Sql } from "../postgres/index.ts";

/**
 * One statement that only reads, outside any transaction: one round trip where a transaction would take three. There is
 * no session to set a timeout in, so an answer that takes too long is no longer waited for.
 */
export async function ask<Row extends object>(
  sql: Sql,
  patienceMs: number,
  text: string,
  params: readonly unknown[],
): Promise<Row[]> {
  const deadline = Date.now() + patienceMs;
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
  const asked = sql.unsafe<Row[]>(text, params as postgres.ParameterOrJSON<never>[], { prepare: true });
  return answerBy(deadline, asked);
}

/**
 * Waits for an answer until the deadline. A statement that is late is not cancelled: the driver's request for that fails where
 * nobody can catch it, and may hit another statement.
 */
export function answerBy<T>(deadline: number, asked: Promise<T>): Promise<T> {
  return withTimeout(asked, Math.max(deadline - Date.now(), 1), () => {
    throw unavailable(new Error("no answer in time"));
  });
}
