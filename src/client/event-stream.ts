import { createParser } from "eventsource-parser";
import type { Connection } from "./connection.ts";
import { followSignals } from "../std/follow-signals.ts";
import { problemOfAnswer, noAnswer, unexpectedAnswer } from "./problem.ts";

export type StreamItem =
  /** How long to wait before reconnecting. */
  | { kind: "retry"; ms: number }
  /** The server has sent all events up to this position; a new connection continues there, even if no event followed. */
  | { kind: "position"; position: number }
  | { kind: "message"; id: string | undefined; data: string };

type StreamOptions = {
  /** Timeout for data from the server; heartbeats count. */
  silenceMs: number;
  signal: AbortSignal;
};

/** Reads one connection to a stream of server-sent events until it ends. */
export async function* readEventStream(
  connection: Connection,
  path: string,
  { silenceMs, signal: caller }: StreamOptions,
): AsyncGenerator<StreamItem, void, undefined> {
  const target = `GET ${connection.url}${path.replace(/\?.*/, "")}`;
  const { signal, abort, release } = followSignals([caller]);
  // The timeout runs only while this waits for data, not while the consumer handles an event.
  const withTimeout = async <T>(data: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => {
      abort(new Error(`no data for ${silenceMs / 1_000} s`));
    }, silenceMs);
    try {
      return await data;
    } catch (error) {
      throw noAnswer(target, error);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const headers = { ...connection.headers, accept: "text/event-stream" };
    const response = await withTimeout(connection.fetch(connection.url + path, { headers, signal }));
    if (!response.ok) throw problemOfAnswer(target, response, await withTimeout(response.text()));
    const type = response.headers.get("content-type") ?? "no content type";
    if (!response.body || !type.startsWith("text/event-stream"))
      throw unexpectedAnswer(target, `sent ${type} instead of an event stream`, response.status);
    const items: StreamItem[] = [];
    const parser = createParser({
      onEvent: ({ id, data }) => items.push({ kind: "message", id, data }),
      onRetry: (ms) => items.push({ kind: "retry", ms }),
      // Browsers get the position from an id without data, but the parser does not report those.
      onComment: (comment) => {
        const [, position] = /^at (\d+)$/.exec(comment) ?? [];
        if (position !== undefined) items.push({ kind: "position", position: Number(position) });
      },
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await withTimeout(reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* items.splice(0);
    }
  } finally {
    abort();
    release();
  }
}
