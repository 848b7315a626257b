import { timerDelay } from "../std/timer-delay.ts";
import type { Connection } from "./connection.ts";
import { followSignals } from "../std/follow-signals.ts";
import { retry, retryDelayMs } from "../std/retry.ts";
import { isTransient, noAnswer, problemOfAnswer, unexpectedAnswer } from "./problem.ts";
import { requestOf } from "./request.ts";
import type { Outgoing, RouteMeta } from "./request.ts";

export type CallOptions = { signal?: AbortSignal | undefined };

/** Sends a request and returns the answer; throws a PawlProblem on any failure. */
export type Send = (row: RouteMeta, sent: unknown, options?: CallOptions) => Promise<unknown>;

export type RetryOptions = {
  /** How often a call is repeated without an answer, or after a 502, 503 or 504; default 5. */
  retries?: number | undefined;
  /** Timeout of one attempt; default 30 s. */
  timeoutMs?: number | undefined;
};

const RETRIES = 5;
const TIMEOUT_MS = 30_000;
/** If the server asks for a longer wait than this, the call throws instead of waiting. */
const MAX_RETRY_AFTER_SECONDS = 30;

/**
 * Creates the function that sends calls. It retries calls that change nothing and calls with an idempotency key, with the same
 * key. A refusal is an answer and is never retried.
 */
export function senderOn(
  connection: Connection,
  { retries = RETRIES, timeoutMs = TIMEOUT_MS }: RetryOptions = {},
): Send {
  return async (row, sent, { signal } = {}) => {
    const request = requestOf(row, sent);
    const maxRetries = row.method === "GET" || row.idempotent ? retries : 0;
    const attemptMs = timeoutMs + waitMsOf(sent);
    const caller = followSignals([connection.signal, signal]);
    try {
      return await retry(() => sendOnce(connection, row, request, attemptMs, caller.signal), {
        signal: caller.signal,
        delayAfter: (error, failures) => {
          if (!isTransient(error) || failures >= maxRetries) return null;
          const { retryAfter } = error;
          return (retryAfter ?? 0) > MAX_RETRY_AFTER_SECONDS ? null : retryDelayMs(failures, { retryAfter });
        },
      });
    } finally {
      caller.release();
    }
  };
}

async function sendOnce(
  connection: Connection,
  { answers }: RouteMeta,
  { method, path, headers, body }: Outgoing,
  attemptMs: number,
  caller: AbortSignal,
): Promise<unknown> {
  const target = `${method} ${connection.url}${path.replace(/\?.*/, "")}`;
  const { signal, abort, release } = followSignals([caller]);
  const timer = setTimeout(() => {
    abort(new Error(`timeout after ${attemptMs / 1_000} s`));
  }, timerDelay(attemptMs));
  let response: Response;
  let text: string;
  try {
    response = await connection.fetch(connection.url + path, {
      method,
      headers: { ...connection.headers, ...headers },
      ...(body === undefined ? {} : { body }),
      signal,
    });
    // Inside the same timeout and `try`: an incomplete answer counts as none.
    text = await response.text();
  } catch (error) {
    // If the caller aborted the call, throw the caller's reason.
    caller.throwIfAborted();
    throw noAnswer(target, error);
  } finally {
    clearTimeout(timer);
    release();
  }
  if (!response.ok) throw problemOfAnswer(target, response, text);
  if (response.status === 204) return undefined;
  return answers === "text" ? text : jsonOf(target, response, text);
}

/** Parses the answer. Detects a URL of some web page instead of a Pawl server: pages answer with 200 and HTML. */
function jsonOf(target: string, { status, headers }: Response, text: string): unknown {
  const type = headers.get("content-type") ?? "no content type";
  if (!/^application\/json/i.test(type))
    throw unexpectedAnswer(target, `sent ${type} instead of JSON`, status);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unexpectedAnswer(target, "sent invalid JSON", status);
  }
}

/** The time that a claim may wait for tasks, which is added to the timeout. */
function waitMsOf(sent: unknown): number {
  const { wait_seconds } = (sent ?? {}) as { wait_seconds?: unknown };
  return typeof wait_seconds === "number" && wait_seconds > 0 ? wait_seconds * 1_000 : 0;
}
