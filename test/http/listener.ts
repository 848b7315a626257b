import { createParser } from "eventsource-parser";
import { expect } from "vitest";
import type { z } from "zod";
import { feedEvent } from "../../src/api/index.ts";
import type { FeedEventOnWire } from "../../src/api/index.ts";

export type ReceivedEvent = FeedEventOnWire & { position: number };

/** Reads a stream over real HTTP and records everything it receives. */
export type Listener<Event = ReceivedEvent> = {
  headers: Headers;
  events: Event[];
  comments: string[];
  retries: number[];
  /** The raw text. */
  text: () => string;
  /** Resolves when the condition holds; it is checked after each chunk. */
  until(enough: () => boolean): Promise<void>;
  /** Resolves when the stream has ended. */
  ended: Promise<void>;
  close(): void;
};

const feedEventAlone = feedEvent.strict();

type ListenOptions = { query?: string; headers?: Record<string, string> };

/** Opens the stream of tasks. */
export function listen(
  url: string,
  token: string,
  { query = "", headers }: ListenOptions = {},
): Promise<Listener> {
  return listenTo(`${url}/api/events${query}`, token, feedEventAlone, headers);
}

/** Opens a stream and validates each event by its schema. */
export async function listenTo<Event extends object>(
  address: string,
  token: string,
  schema: z.ZodType<Event>,
  headers: Record<string, string> = {},
): Promise<Listener<Event & { position: number }>> {
  const abort = new AbortController();
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: abort.signal,
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const received = {
    events: [] as (Event & { position: number })[],
    comments: [] as string[],
    retries: [] as number[],
  };
  const waiting = new Set<() => void>();
  let text = "";
  const parser = createParser({
    onEvent: ({ id, data }) =>
      received.events.push({ ...schema.parse(JSON.parse(data)), position: Number(id) }),
    onComment: (comment) => received.comments.push(comment),
    onRetry: (ms) => received.retries.push(ms),
  });
  const ended = (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const part of response.body ?? []) {
        const chunk = decoder.decode(part as Uint8Array, { stream: true });
        text += chunk;
        parser.feed(chunk);
        for (const check of waiting) check();
      }
    } catch (error) {
      // Cut off or closed by the test: treated like a normal end.
      if (error instanceof Error && error.name === "ZodError") throw error;
    }
  })();
  ended.catch(() => undefined);
  return {
    headers: response.headers,
    ...received,
    text: () => text,
    ended,
    until: (enough) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!enough()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        ended.then(() => {
          reject(new Error(`the stream ended after ${received.events.length} events`));
        }, reject);
      }),
    close: () => {
      abort.abort();
    },
  };
}

/** Returns the positions of events. */
export function positionsOf(events: readonly { position: number }[]): number[] {
  return events.map(({ position }) => position);
}
