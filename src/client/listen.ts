import { hearStream } from "./event-stream.ts";
import type { Line } from "./line.ts";
import { follow, pauseMs, rest } from "./patience.ts";
import { isPassing, unexpected } from "./problem.ts";
import type { PawlProblem } from "./problem.ts";
import { requestOf } from "./request.ts";
import type { Row } from "./request.ts";

export type ListenOptions = {
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Told when a connection stands, and when it is lost; it is made again without being asked. */
  onConnection?: ((state: "open" | "lost", problem?: PawlProblem) => void) | undefined;
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
  return async function* (row, sent, { signal, onConnection } = {}) {
    const caller = follow([line.signal, signal]);
    let { after: position } = (sent ?? {}) as { after?: number };
    let failures = 0;
    let firstMs = firstPauseMs;
    try {
      while (!caller.signal.aborted) {
        let lost: PawlProblem | undefined;
        try {
          const { path } = requestOf(row, { ...(sent as object), after: position });
          for await (const heard of hearStream(line, path, { silenceMs, signal: caller.signal })) {
            failures = 0;
            if (heard.kind === "opened") onConnection?.("open");
            else if (heard.kind === "pause") firstMs = heard.ms;
            // Its word, also where it is less than we had: then the feed is not the one it was, as after a restore.
            else if (heard.kind === "standing") position = heard.position;
            else {
              const event = { ...eventIn(row, heard.data), position: positionOf(row, heard.id) };
              if (position !== undefined && event.position <= position) continue;
              position = event.position;
              yield event;
            }
          }
        } catch (error) {
          if (caller.signal.aborted) return;
          if (!isPassing(error)) throw error;
          lost = error;
        }
        onConnection?.("lost", lost);
        const ms = pauseMs(failures++, { firstMs, retryAfter: lost?.retryAfter ?? null });
        // Stopped while it waits: the loop sees it.
        await rest(ms, caller.signal).catch(() => undefined);
      }
    } finally {
      caller.letGo();
    }
  };
}

function positionOf({ path }: Row, id: string | undefined): number {
  const position = id === undefined ? NaN : Number(id);
  if (!Number.isSafeInteger(position)) throw unexpected(path, `numbers an event "${id ?? ""}"`, 200);
  return position;
}

function eventIn({ path }: Row, data: string): object {
  try {
    return JSON.parse(data) as object;
  } catch {
    throw unexpected(path, "sends an event that cannot be read", 200);
  }
}
