import { z } from "zod";
import { moment, name, onWire } from "./fields.ts";
import { defineRoutes, eventStream } from "./route.ts";

/** An event in the feed: a journal row without its comment and payload. */
export const feedEvent = z
  .object({
    type: z.string(),
    lifecycle: z.string(),
    project_id: z.string(),
    task_id: z.uuid(),
    row_version: z.int(),
    action: z.string(),
    from_status: z.string().nullable(),
    to_status: z.string().nullable(),
    actor_id: z.string().nullable().describe("null for the system"),
    created_at: moment,
  })
  .meta({ id: "FeedEvent" });

export type FeedEventOnWire = z.output<typeof feedEvent>;

export function feedEventOnWire(
  event: Omit<FeedEventOnWire, "created_at"> & { created_at: number },
): FeedEventOnWire {
  return {
    type: event.type,
    lifecycle: event.lifecycle,
    project_id: event.project_id,
    task_id: event.task_id,
    row_version: event.row_version,
    action: event.action,
    from_status: event.from_status,
    to_status: event.to_status,
    actor_id: event.actor_id,
    created_at: onWire(event.created_at),
  };
}

const ABOUT = [
  "Server-sent events: `id` is the position in the org's feed, `data` the event as JSON.",
  "The stream starts with new events; with `after`, or the header `Last-Event-ID`, it continues after a position, without",
  "gaps or repeats. The header takes precedence, because a browser that reconnects sends it together with the original URL.",
  "A position beyond the end of the feed means its end.",
  "A comment is sent at least every 15 seconds, with an `id` without data: all your events up to that position have been",
  "sent. `retry` is the delay before reconnecting.",
  "A client that reads too slowly is disconnected and can continue at its position; revoking a token ends its streams.",
].join(" ");

export const EVENT_ROUTES = defineRoutes({
  streamEvents: {
    method: "GET",
    path: "/api/events",
    group: "Events",
    summary: "Live stream of the events of the tasks you may see",
    about: ABOUT,
    resumable: true,
    query: z.object({
      after: z
        .int()
        .min(0)
        .optional()
        .describe("a position; 0 is the beginning. Also accepted as `Last-Event-ID`."),
      lifecycle: name.optional(),
      project_id: name.optional(),
      task_id: z.uuid().optional(),
    }),
    replies: { 200: eventStream(feedEvent) },
  },
});
