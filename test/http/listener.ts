import { createParser } from "eventsource-parser";
import { expect } from "vitest";
import type { z } from "zod";
import { feedEvent } from "../../src/api/index.ts";
import type { FeedEventOnWire } from "../../src/api/index.ts";

export type HeardEvent = FeedEventOnWire & { position: number };

/** One who reads a stream over real HTTP, and remembers all that came. */
export type Listener<Event = HeardEvent> = {
  headers: Headers;
  events: Event[];
  comments: string[];
  retries: number[];
  /** Everything, as it came. */
  text: () => string;
  /** Resolves when what has come so far is enough. */
  until(enough: () => boolean): Promise<void>;
  /** Resolves when the server has ended it. */
  ended: Promise<void>;
  close(): void;
};

const feedEventAlone = feedEvent.strict();

type How = { query?: string; headers?: Record<string, string> };

/** Opens the stream of tasks. */
export function listen(url: string, token: string, { query = "", headers }: How = {}): Promise<Listener> {
  return listenTo(`${url}/api/events${query}`, token, feedEventAlone, headers);
}

/** Opens a stream; every event of it is held against the contract. */
export async function listenTo<Event extends object>(
  address: string,
  token: string,
  schema: z.ZodType<Event>,
  headers: Record<string, string> = {},
): Promise<Listener<Event & { position: number }>> {
  const leaving = new AbortController();
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: leaving.signal,
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const heard = {
    events: [] as (Event & { position: number })[],
    comments: [] as string[],
    retries: [] as number[],
  };
  const waiting = new Set<() => void>();
  let text = "";
  const parser = createParser({
    onEvent: ({ id, data }) => heard.events.push({ ...schema.parse(JSON.parse(data)), position: Number(id) }),
    onComment: (comment) => heard.comments.push(comment),
    onRetry: (ms) => heard.retries.push(ms),
  });
  const ended = (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const part of response.body ?? []) {
        const said = decoder.decode(part as Uint8Array, { stream: true });
        text += said;
        parser.feed(said);
        for (const look of waiting) look();
      }
    } catch (error) {
      // Cut in the middle, or left by us: an end like any other.
      if (error instanceof Error && error.name === "ZodError") throw error;
    }
  })();
  ended.catch(() => undefined);
  return {
    headers: response.headers,
    ...heard,
    text: () => text,
    ended,
    until: (enough) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!enough()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        ended.then(() => {
          reject(new Error(`the stream ended after ${heard.events.length} events`));
        }, reject);
      }),
    close: () => {
      leaving.abort();
    },
  };
}

/** Where in the feed they stand. */
export function positionsOf(events: readonly { position: number }[]): number[] {
  return events.map(({ position }) => position);
}
