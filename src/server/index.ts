export { confineCreations } from "./auth/confine-creations.ts";
export { longPollClaim } from "./claims/long-poll-claim.ts";
export { localRoutes } from "./local-routes.ts";
export type { LocalCall } from "./local-routes.ts";
export type { ConsoleOptions } from "./ops/console-files.ts";
export { defined } from "./routing/defined.ts";
export { serveTaskRoutes } from "./routes/lifecycle-tasks.ts";
export { projectRefusal } from "./routes/filter-refusals.ts";
export type { Mount } from "./routing/mount.ts";
export { answer, serve, stream } from "./routing/route-set.ts";
export type { BodyCheck, Call, RouteSet, Verb } from "./routing/route-set.ts";

/** Loads the server itself. Everything else here can be imported without Fastify and the libraries for metrics and tracing. */
export const loadServer = () => import("./load-server.ts");

export type { RouteHost, ServerOptions, ServerPlugin } from "./server.ts";
export { EventStream } from "./streams/event-stream.ts";
export type { Identify } from "./streams/event-stream.ts";
export type { TailPage } from "./streams/feed-tail.ts";
export type { FeedKind } from "./streams/live-feed.ts";
