import type { QuerySent, ReplyOf, ROUTES } from "../api/index.ts";
import type { ListenOptions } from "./listen.ts";

type Stream = typeof ROUTES.streamEvents;

/** An event of a task, with its position in the org's feed. */
export type FeedEvent = ReplyOf<Stream> & { position: number };

/** Selects events: after a position (0 is the beginning; default from now on), of all tasks or of some. */
export type FeedQuery = QuerySent<Stream> & ListenOptions;
