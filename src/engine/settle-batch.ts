import { setTimeout as pause } from "node:timers/promises";
import { PawlError } from "../core/index.ts";
import type { Refusal } from "../core/index.ts";
import { answerBy } from "./ask.ts";
import { Failed } from "./batch.ts";
import type { DEFERRED } from "./batch.ts";
import { onClosing } from "./database/connect.ts";
import type { Sql } from "./database/connect.ts";
import { isConnectionLoss, isUnstorable, unavailable, violationOf } from "./fault.ts";
import { refusalOfData, refusalOfViolation } from "./refusals.ts";
import { hasSettings, transact } from "./transact.ts";
import type { Patience } from "./transact.ts";
import { atOnce } from "./transaction.ts";
import type { Tx } from "./transaction.ts";

/**
 * At once, where that is all it needs (`isPlain`); else one transaction for all. Where one of them fails, they go on in halves
 * until it is alone: it never fails its neighbours.
 */
export async function settleBatch<Item, Answer>(
  sql: Sql,
  patience: Patience,
  items: readonly Item[],
  work: (tx: Tx, items: readonly Item[]) => Promise<(Answer | typeof DEFERRED)[]>,
  isPlain: (item: Item) => boolean = () => false,
): Promise<(Answer | Refusal | typeof DEFERRED | Failed)[]> {
  let tried = items;
  if (hasSettings(sql, patience.statementTimeoutMs) && items.every(isPlain)) {
    try {
      return await unlessLost(
        sql,
        patience,
        atOnce(sql, (tx) => work(tx, items)),
      );
    } catch (error) {
      // Whatever it was, nothing is written, unless it is the answer that was lost. Now it is done under locks.
      if (isConnectionLoss(error) || isUnavailable(error)) {
        tried = items.map(asUncertain);
        await pause(PAUSE_MS);
      }
    }
  }
  const onCut = () => (tried = tried.map(asUncertain));
  const settle = () => transact(sql, patience, (tx) => work(tx, tried), onCut);
  try {
    return await settle();
  } catch (error) {
    if (isUnavailable(error)) throw error;
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

/** A connection that has failed takes statements until it is closed, and loses them. */
const PAUSE_MS = 10;

/** So long after the end of a connection, whoever still waits may have been on it. */
const ANSWERED_WITHIN_MS = 250;

/** Waits for work that is done at once, unless a connection was closed meanwhile and nothing is heard any more. */
async function unlessLost<T>(sql: Sql, { patienceMs }: Patience, work: Promise<T>): Promise<T> {
  let waiting: NodeJS.Timeout | undefined;
  let forget: () => void = () => undefined;
  const lost = new Promise<never>((_, reject) => {
    forget = onClosing(sql, () => {
      waiting ??= setTimeout(() => {
        reject(unavailable(new Error("the connection was closed")));
      }, ANSWERED_WITHIN_MS);
    });
  });
  try {
    return await answerBy(Date.now() + patienceMs, Promise.race([work, lost]));
  } finally {
    forget();
    clearTimeout(waiting);
    work.catch(() => undefined);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof PawlError && error.code === "UNAVAILABLE";
}

function asUncertain<Item>(item: Item): Item {
  return { ...item, uncertain: true };
}

/** What the database would not take is a refusal; everything else is a fault. */
export function refusalOrFailure(error: unknown): Refusal | Failed {
  const constraint = violationOf(error);
  if (constraint !== null) return refusalOfViolation(constraint);
  return isUnstorable(error) ? refusalOfData(error) : new Failed(error);
}
