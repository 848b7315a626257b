import { timerDelay } from "../std/timer-delay.ts";
import type { Line } from "./line.ts";
import { followSignals } from "../std/follow-signals.ts";
import { retry, retryDelayMs } from "../std/retry.ts";
import { isPassing, problemOfAnswer, unanswered, unexpected } from "./problem.ts";
import { requestOf } from "./request.ts";
import type { Outgoing, Row } from "./request.ts";

export type CallOptions = { signal?: AbortSignal | undefined };

/** Sends what a route's row describes and gives what is answered; what goes wrong is thrown as a PawlProblem. */
export type Send = (row: Row, sent: unknown, options?: CallOptions) => Promise<unknown>;

export type Persistence = {
  /** How often a call is repeated when there is no answer, or a 503. */
  retries?: number | undefined;
  /** How long one try may take. */
  timeoutMs?: number | undefined;
};

const RETRIES = 5;
const TIMEOUT_MS = 30_000;
/** Who is told to come back later than this wants to be told, and not to wait. */
const LONGEST_RETRY_AFTER_SECONDS = 30;

/**
 * Repeats what can be repeated: calls that change nothing, and those that carry a client_event_id, which is the same each
 * time. A refusal is an answer and never repeated.
 */
export function senderOn(line: Line, { retries = RETRIES, timeoutMs = TIMEOUT_MS }: Persistence = {}): Send {
  return async (row, sent, { signal } = {}) => {
    const request = requestOf(row, sent);
    const most = row.method === "GET" || row.idempotent ? retries : 0;
    const patienceMs = timeoutMs + waitMsOf(sent);
    const caller = followSignals([line.signal, signal]);
    try {
      return await retry(() => tryOnce(line, row, request, patienceMs, caller.signal), {
        signal: caller.signal,
        delayAfter: (error, failures) => {
          if (!isPassing(error) || failures >= most) return null;
          const { retryAfter } = error;
          return (retryAfter ?? 0) > LONGEST_RETRY_AFTER_SECONDS
            ? null
            : retryDelayMs(failures, { retryAfter });
        },
      });
    } finally {
      caller.release();
    }
  };
}

async function tryOnce(
  line: Line,
  { answers }: Row,
  { method, path, headers, body }: Outgoing,
  patienceMs: number,
  caller: AbortSignal,
): Promise<unknown> {
  const place = `${method} ${line.url}${path.replace(/\?.*/, "")}`;
  const { signal, abort, release } = followSignals([caller]);
  const timer = setTimeout(() => {
    abort(new Error(`nothing for ${patienceMs / 1_000} s`));
  }, timerDelay(patienceMs));
  let response: Response;
  let text: string;
  try {
    response = await line.fetch(line.url + path, {
      method,
      headers: { ...line.headers, ...headers },
      ...(body === undefined ? {} : { body }),
      signal,
    });
    // Within the same time and the same net: an answer that breaks off is none.
    text = await response.text();
  } catch (error) {
    // Who stopped it himself knows why.
    caller.throwIfAborted();
    throw unanswered(place, error);
  } finally {
    clearTimeout(timer);
    release();
  }
  if (!response.ok) throw problemOfAnswer(place, response, text);
  if (response.status === 204) return undefined;
  return answers === "text" ? text : jsonOf(place, response, text);
}

/** A url that leads to some page, and not to Pawl, is met here: pages are answered with 200. */
function jsonOf(place: string, { status, headers }: Response, text: string): unknown {
  const type = headers.get("content-type") ?? "no content type";
  if (!/^application\/json/i.test(type)) throw unexpected(place, `answers with ${type}`, status);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unexpected(place, "answers with JSON that cannot be read", status);
  }
}

/** A claim that waits for tasks is not late before its time is over. */
function waitMsOf(sent: unknown): number {
  const { wait_seconds } = (sent ?? {}) as { wait_seconds?: unknown };
  return typeof wait_seconds === "number" && wait_seconds > 0 ? wait_seconds * 1_000 : 0;
}
