import { readEventStream } from "./event-stream.ts";
import type { StreamItem } from "./event-stream.ts";
import type { Connection } from "./connection.ts";
import { followSignals } from "../std/follow-signals.ts";
import { retryDelayMs, sleep } from "../std/retry.ts";
import { isTransient, PawlProblem, unexpectedAnswer } from "./problem.ts";
import { requestOf } from "./request.ts";
import type { RouteMeta } from "./request.ts";

export type ListenOptions = {
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Called when a connection is open and when it is lost; the stream reconnects automatically. */
  onConnection?: ((state: "open" | "lost", problem?: PawlProblem) => void) | undefined;
  /** Called with the position up to which all events were received: on every connection, and periodically without events. */
  onPosition?: ((position: number) => void) | undefined;
};

/** Events with their positions, which increase; `after` a position another stream can continue. */
export type Feed<Event> = AsyncGenerator<Event & { position: number }, void, undefined>;

/** Opens the stream of a route. */
export type Listen = (row: RouteMeta, sent: unknown, options?: ListenOptions) => Feed<object>;

type Timing = {
  /** Reconnect after this time without data, default 40 s; the server sends a heartbeat every 15 seconds. */
  silenceMs?: number;
  /** Delay before the first reconnection until the server sends one, default 1 s. */
  firstPauseMs?: number;
};

/**
 * Creates the function that streams events, each once and in order. A lost or silent connection is reopened at the last position.
 * Only a refusal, which is thrown, or the signal ends a stream.
 */
export function listenerOn(
  connection: Connection,
  { silenceMs = 40_000, firstPauseMs = 1_000 }: Timing = {},
): Listen {
  return async function* (row, sent, { signal, onConnection, onPosition } = {}) {
    const { after: position } = (sent ?? {}) as { after?: number };
    const state: StreamState = { position, retryMs: firstPauseMs, failures: 0 };
    const caller = followSignals([connection.signal, signal]);
    try {
      while (!caller.signal.aborted) {
        const { path } = requestOf(row, { ...(sent as object), after: state.position });
        const items = readEventStream(connection, path, { silenceMs, signal: caller.signal });
        const problem = yield* untilLost(items, state, {
          onOpen: () => onConnection?.("open"),
          onPosition,
        });
        // The compiler assumes that the flag has not changed since the loop's condition.
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition
        if (caller.signal.aborted) return;
        onConnection?.("lost", problem);
        const { retryMs: firstMs, failures } = state;
        state.failures++;
        // If aborted while sleeping, the loop's condition ends the stream.
        await sleep(
          retryDelayMs(failures, { firstMs, retryAfter: problem?.retryAfter ?? null }),
          caller.signal,
        ).catch(() => undefined);
      }
    } catch (error) {
      if (!caller.signal.aborted) throw error;
    } finally {
      caller.release();
    }
  };
}

/** The last position in the feed, and the state of reconnecting. */
type StreamState = { position: number | undefined; retryMs: number; failures: number };

/** Yields the events of one connection; returns the problem that ended it, if any. */
async function* untilLost(
  items: AsyncIterable<StreamItem>,
  state: StreamState,
  { onOpen, onPosition }: { onOpen: () => void; onPosition: ListenOptions["onPosition"] },
): AsyncGenerator<{ position: number }, PawlProblem | undefined, undefined> {
  let open = false;
  try {
    for await (const item of items) {
      state.failures = 0;
      if (item.kind === "retry") {
        state.retryMs = item.ms;
        continue;
      }
      // Use the server's position even if it is lower: after a restore of the database the feed is shorter.
      if (item.kind === "position") state.position = item.position;
      // Report the connection only when the position is known: from here on no event is missed.
      if (!open) onOpen();
      open = true;
      if (item.kind === "position") {
        onPosition?.(item.position);
        continue;
      }
      const event = eventOf(item);
      if (state.position !== undefined && event.position <= state.position) continue;
      state.position = event.position;
      yield event;
    }
    return undefined;
  } catch (error) {
    if (isTransient(error) || isRateLimited(error)) return error;
    throw error;
  }
}

/** A stream simply retries later; a call would throw. */
function isRateLimited(error: unknown): error is PawlProblem {
  return error instanceof PawlProblem && error.code === "RATE_LIMITED";
}

function eventOf({ id, data }: Extract<StreamItem, { kind: "message" }>): { position: number } {
  const position = id === undefined ? NaN : Number(id);
  if (!Number.isSafeInteger(position))
    throw unexpectedAnswer("The stream", `sent an event with the invalid id "${id ?? ""}"`, 200);
  try {
    return { ...(JSON.parse(data) as object), position };
  } catch {
    throw unexpectedAnswer("The stream", "sent an event that is not valid JSON", 200);
  }
}
