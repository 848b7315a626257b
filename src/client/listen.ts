import { hearStream } from "./event-stream.ts";
import type { Heard } from "./event-stream.ts";
import type { Line } from "./line.ts";
import { followSignals } from "../std/follow-signals.ts";
import { retryDelayMs, sleep } from "../std/retry.ts";
import { isPassing, PawlProblem, unexpected } from "./problem.ts";
import { requestOf } from "./request.ts";
import type { Row } from "./request.ts";

export type ListenOptions = {
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Told when a connection stands, and when it is lost; it is made again without being asked. */
  onConnection?: ((state: "open" | "lost", problem?: PawlProblem) => void) | undefined;
  /** Told how far the feed has been looked through: with every connection, and now and then where nothing happens. */
  onPosition?: ((position: number) => void) | undefined;
};

/** Each event with its position: it goes up from event to event, and `after` it another stream goes on. */
export type Feed<Event> = AsyncGenerator<Event & { position: number }, void, undefined>;

export type Listen = (row: Row, sent: unknown, options?: ListenOptions) => Feed<object>;

type Times = {
  /** The server says something every 15 seconds: who hears nothing for longer than this is listening to nobody. */
  silenceMs?: number;
  firstPauseMs?: number;
};

/**
 * Streams of events, each event once and in order. A connection that is lost or silent is made again where it broke off.
 * Only a refusal ends a stream, by being thrown, and the signal, quietly.
 */
export function listenerOn(line: Line, { silenceMs = 40_000, firstPauseMs = 1_000 }: Times = {}): Listen {
  return async function* (row, sent, { signal, onConnection, onPosition } = {}) {
    const { after: position } = (sent ?? {}) as { after?: number };
    const place: Place = { position, pauseMs: firstPauseMs, failures: 0 };
    const caller = followSignals([line.signal, signal]);
    try {
      while (!caller.signal.aborted) {
        const { path } = requestOf(row, { ...(sent as object), after: place.position });
        const heard = hearStream(line, path, { silenceMs, signal: caller.signal });
        const lost = yield* untilLost(heard, place, {
          onOpen: () => onConnection?.("open"),
          onPosition,
        });
        // Here the compiler believes what it saw before the stream.
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition
        if (caller.signal.aborted) return;
        onConnection?.("lost", lost);
        const { pauseMs: firstMs, failures } = place;
        place.failures++;
        // Stopped while it waits: the loop sees it.
        await sleep(
          retryDelayMs(failures, { firstMs, retryAfter: lost?.retryAfter ?? null }),
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

/** Where in the feed we are, and how it goes with connections. */
type Place = { position: number | undefined; pauseMs: number; failures: number };

/** Gives the events of one connection, and at last what ended it. */
async function* untilLost(
  connection: AsyncIterable<Heard>,
  place: Place,
  { onOpen, onPosition }: { onOpen: () => void; onPosition: ListenOptions["onPosition"] },
): AsyncGenerator<{ position: number }, PawlProblem | undefined, undefined> {
  let open = false;
  try {
    for await (const heard of connection) {
      place.failures = 0;
      if (heard.kind === "pause") {
        place.pauseMs = heard.ms;
        continue;
      }
      // Its word, also where it is less than we had: then the feed is not the one it was, as after a restore.
      if (heard.kind === "standing") place.position = heard.position;
      // Not before we know where we are: from here on nothing is missed.
      if (!open) onOpen();
      open = true;
      if (heard.kind === "standing") {
        onPosition?.(heard.position);
        continue;
      }
      const event = eventOf(heard);
      if (place.position !== undefined && event.position <= place.position) continue;
      place.position = event.position;
      yield event;
    }
    return undefined;
  } catch (error) {
    if (isPassing(error) || isTooOften(error)) return error;
    throw error;
  }
}

/** A reader has nothing better to do than to come again later. */
function isTooOften(error: unknown): error is PawlProblem {
  return error instanceof PawlProblem && error.code === "RATE_LIMITED";
}

function eventOf({ id, data }: Extract<Heard, { kind: "message" }>): { position: number } {
  const position = id === undefined ? NaN : Number(id);
  if (!Number.isSafeInteger(position)) throw unexpected("The stream", `numbers an event "${id ?? ""}"`, 200);
  try {
    return { ...(JSON.parse(data) as object), position };
  } catch {
    throw unexpected("The stream", "sends an event that cannot be read", 200);
  }
}
