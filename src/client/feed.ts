import { hearStream } from "./event-stream.ts";
import type { Line } from "./line.ts";
import { follow, pauseMs, rest } from "./patience.ts";
import { isPassing, unexpected } from "./problem.ts";
import type { PawlProblem } from "./problem.ts";
import { queryOf } from "./request.ts";

/** What happened to a task, and where that stands in the org's feed. */
export type FeedEvent = {
  /** Goes up from event to event; `after` it another stream goes on. */
  position: number;
  type: string;
  lifecycle: string;
  project_id: string;
  task_id: string;
  row_version: number;
  action: string;
  from_status: string | null;
  to_status: string | null;
  /** null: the system. */
  actor_id: string | null;
  created_at: string;
};

export type FeedQuery = {
  /** The position after which to begin; 0 is the very beginning. Without it: what happens from now on. */
  after?: number | undefined;
  lifecycle?: string | undefined;
  project_id?: string | undefined;
  task_id?: string | undefined;
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Told when a connection stands, and when it is lost; it is made again without being asked. */
  onConnection?: ((state: "open" | "lost", problem?: PawlProblem) => void) | undefined;
};

export type Feed = AsyncGenerator<FeedEvent, void, undefined>;

const PATH = "/api/events";
/** The server says something more often than that: who hears nothing for so long is listening to nobody. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 1_000;

/**
 * The feed as it grows, each event once and in order. A connection that is lost or silent is made again where it broke
 * off. Only a refusal ends the feed, by being thrown, and the signal, quietly.
 */
export async function* feedOn(
  line: Line,
  { after, signal, onConnection, ...filter }: FeedQuery = {},
  { silenceMs = SILENCE_MS, firstPauseMs = FIRST_PAUSE_MS } = {},
): Feed {
  const caller = follow([line.signal, signal]);
  let position = after;
  let failures = 0;
  let firstMs = firstPauseMs;
  try {
    while (!caller.signal.aborted) {
      let lost: PawlProblem | undefined;
      try {
        const path = PATH + queryOf({ ...filter, after: position });
        for await (const heard of hearStream(line, path, { silenceMs, signal: caller.signal })) {
          failures = 0;
          if (heard.kind === "opened") onConnection?.("open");
          else if (heard.kind === "pause") firstMs = heard.ms;
          else {
            const at = positionOf(heard.id);
            if (position !== undefined && at <= position) continue;
            position = at;
            // Without data it only says where the feed stands: there we go on, also if nothing happens before we must.
            if (heard.data !== "") yield { ...eventIn(heard.data), position };
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
}

function positionOf(id: string | undefined): number {
  const position = id === undefined ? NaN : Number(id);
  if (!Number.isSafeInteger(position))
    throw unexpected(PATH, `numbers an event ${JSON.stringify(id) ?? "not at all"}`, 200);
  return position;
}

function eventIn(data: string): Omit<FeedEvent, "position"> {
  try {
    return JSON.parse(data) as Omit<FeedEvent, "position">;
  } catch {
    throw unexpected(PATH, "sends an event that cannot be read", 200);
  }
}
