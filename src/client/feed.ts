import type { QuerySent, ReplyOf, ROUTES } from "../api/index.ts";
import type { ListenOptions } from "./listen.ts";

type Stream = typeof ROUTES.streamEvents;

/** What happened to a task, and where that stands in the org's feed. */
export type FeedEvent = ReplyOf<Stream> & { position: number };

/** Which events: those after a position (0 is the very beginning), or from now on; of all tasks, or of some. */
export type FeedQuery = QuerySent<Stream> & ListenOptions;
