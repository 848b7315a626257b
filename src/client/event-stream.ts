import { createParser } from "eventsource-parser";
import type { Line } from "./line.ts";
import { followSignals } from "../std/follow-signals.ts";
import { problemOfAnswer, unanswered, unexpected } from "./problem.ts";

export type Heard =
  /** How long to stay away after a connection is lost. */
  | { kind: "pause"; ms: number }
  /** How far the feed has been looked through: there we go on, also if nothing happens before we must. */
  | { kind: "standing"; position: number }
  | { kind: "message"; id: string | undefined; data: string };

type Listening = {
  /** After how much silence nobody is there any more. */
  silenceMs: number;
  signal: AbortSignal;
};

/** One connection to a stream of server-sent events, from its opening to its end. */
export async function* hearStream(
  line: Line,
  path: string,
  { silenceMs, signal: caller }: Listening,
): AsyncGenerator<Heard, void, undefined> {
  const place = `GET ${line.url}${path.replace(/\?.*/, "")}`;
  const { signal, abort, release } = followSignals([caller]);
  // Only while we listen: a reader who takes his time with an event does not hear, but is not deaf.
  const unlessSilent = async <T>(sound: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => {
      abort(new Error(`nothing for ${silenceMs / 1_000} s`));
    }, silenceMs);
    try {
      return await sound;
    } catch (error) {
      throw unanswered(place, error);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const headers = { ...line.headers, accept: "text/event-stream" };
    const response = await unlessSilent(line.fetch(line.url + path, { headers, signal }));
    if (!response.ok) throw problemOfAnswer(place, response, await unlessSilent(response.text()));
    const type = response.headers.get("content-type") ?? "no content type";
    if (!response.body || !type.startsWith("text/event-stream"))
      throw unexpected(place, `answers with ${type}`, response.status);
    const heard: Heard[] = [];
    const parser = createParser({
      onEvent: ({ id, data }) => heard.push({ kind: "message", id, data }),
      onRetry: (ms) => heard.push({ kind: "pause", ms }),
      // An id without data says the same to browsers, but the parser keeps that to itself.
      onComment: (comment) => {
        const [, position] = /^at (\d+)$/.exec(comment) ?? [];
        if (position !== undefined) heard.push({ kind: "standing", position: Number(position) });
      },
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await unlessSilent(reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* heard.splice(0);
    }
  } finally {
    abort();
    release();
  }
}
