import { z } from "zod";
import { moment, name, onWire } from "./fields.ts";
import { defineRoutes, eventStream } from "./route.ts";

/** What the feed tells of a row of a task's journal. */
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
    actor_id: z.string().nullable().describe("null: the system"),
    created_at: moment,
  })
  .meta({ id: "FeedEvent" });

export type FeedEventOnWire = z.output<typeof feedEvent>;

export function feedEventOnWire(
  told: Omit<FeedEventOnWire, "created_at"> & { created_at: number },
): FeedEventOnWire {
  return {
    type: told.type,
    lifecycle: told.lifecycle,
    project_id: told.project_id,
    task_id: told.task_id,
    row_version: told.row_version,
    action: told.action,
    from_status: told.from_status,
    to_status: told.to_status,
    actor_id: told.actor_id,
    created_at: onWire(told.created_at),
  };
}

const ABOUT = [
  "Server-sent events: `id` is the position in the org's feed, `data` the event as JSON.",
  "The stream starts at now; `after`, or the header `Last-Event-ID`, goes on after a position, without loss and without",
  "repeating; where both are given the header counts, since a browser that connects again sends it beside the address it",
  "was first given. A position that the feed has not reached yet is now.",
  "Comments come at least every 15 seconds; with them comes an `id` without data, which says how far the feed has been",
  "looked through for you. `retry` says how long to wait before connecting again.",
  "A reader who cannot keep up is cut off, and goes on where he was; a token that is revoked ends its streams.",
].join(" ");

export const EVENT_ROUTES = defineRoutes({
  streamEvents: {
    method: "GET",
    path: "/api/events",
    group: "Events",
    summary: "What happens to the tasks you may see, as it happens",
    about: ABOUT,
    resumable: true,
    query: z.object({
      after: z
        .int()
        .min(0)
        .optional()
        .describe("a position; 0 is the beginning. Also taken as `Last-Event-ID`."),
      lifecycle: name.optional(),
      project_id: name.optional(),
      task_id: z.uuid().optional(),
    }),
    replies: { 200: eventStream(feedEvent) },
  },
});
