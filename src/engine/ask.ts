import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import { timerDelay } from "../std/timer-delay.ts";
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
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    try {
      return await askOnce<Row>(sql, deadline, text, params);
    } catch (error) {
      if (isEnded(error) || isOverload(error)) throw unavailable(error);
      if (!isConnectionLoss(error)) throw error;
      if (Date.now() + wait > deadline) throw unavailable(error);
      await pause(wait);
    }
  }
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

/** Waits for an answer, and no longer than that. */
export async function answerBy<T>(deadline: number, asked: Promise<T>): Promise<T> {
  let waiting: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // Not cancelled: the driver's request for that fails where nobody can catch it, and may hit another statement.
    const tellLate = () => {
      reject(unavailable(new Error("no answer in time")));
    };
    waiting = setTimeout(tellLate, timerDelay(Math.max(deadline - Date.now(), 1)));
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(waiting);
    // What becomes of one that came too late has been told.
    asked.catch(() => undefined);
  }
}
