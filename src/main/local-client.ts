import type {
  CLAIM_ROUTES,
  INBOX_ROUTES,
  LIFECYCLE_ROUTES,
  OVERVIEW_ROUTES,
  PROJECT_ROUTES,
} from "../api/index.ts";
import type { EVENT_ROUTES, MEMBER_ROUTES, ROUTES, TASK_ROUTES } from "../api/index.ts";
import { callsOf } from "../client/calls.ts";
import type { Calls } from "../client/calls.ts";
import { helpersOn } from "../client/create-client.ts";
import type { TasksByLifecycle } from "../client/create-client.ts";
import type { FeedQuery, SomeLifecycle } from "../client/index.ts";
import { problemOfDocument } from "../client/problem.ts";
import { requestParts } from "../client/request.ts";
import type { RouteMeta } from "../client/request.ts";
import { ROWS } from "../client/route-meta.ts";
import type { Events } from "../client/tasks.ts";
import type { Caller, Engine } from "../engine/index.ts";
import type { LocalCall } from "../server/index.ts";
import { followSignals } from "../std/follow-signals.ts";
import { localFeed } from "./local-feed.ts";

/** The routes that make sense without HTTP: all but sessions, the console, the demo and the server's own pages. */
type LocalTable = typeof TASK_ROUTES &
  typeof CLAIM_ROUTES &
  typeof EVENT_ROUTES &
  typeof INBOX_ROUTES &
  typeof LIFECYCLE_ROUTES &
  typeof MEMBER_ROUTES &
  typeof OVERVIEW_ROUTES &
  typeof PROJECT_ROUTES;

/** A client in the process of the engine. Its functions take and return the same as those of `createClient`, without HTTP. */
export type LocalClient<Known extends SomeLifecycle = SomeLifecycle> = Calls<LocalTable> & {
  readonly inProcess: true;
  readonly events: Events;
  readonly lifecycle: TasksByLifecycle<Known>;
};

type Host = {
  engine: Engine;
  routes: Readonly<Record<string, LocalCall>>;
  /** Ends waiting claims and streams. */
  stopping: AbortSignal;
};

/** Builds a client that acts as the caller; `callerOf` is called before every call. */
export function localClient<Known extends SomeLifecycle>(
  { engine, routes, stopping }: Host,
  callerOf: () => Caller | Promise<Caller>,
): LocalClient<Known> {
  const names = Object.keys(ROWS).filter((name) => name === "streamEvents" || Object.hasOwn(routes, name));
  const rows: Record<string, RouteMeta> = Object.fromEntries(
    names.map((name) => [name, ROWS[name as keyof typeof ROUTES]]),
  );
  const callOf = new Map(names.map((name) => [rows[name], routes[name]]));
  const calls = callsOf<LocalTable>(rows as Record<keyof LocalTable, RouteMeta>, {
    send: async (row, sent, options = {}) => {
      const { signal, release } = followSignals([stopping, options.signal]);
      try {
        signal.throwIfAborted();
        const answer = await (callOf.get(row) as LocalCall)(requestParts(row, sent), callerOf, signal);
        if (answer.kind === "answered") return answer.body;
        throw problemOfDocument(answer.document, { cause: answer.cause });
      } finally {
        release();
      }
    },
    listen: async function* (_row, sent, options = {}) {
      const { signal, release } = followSignals([stopping, options.signal]);
      try {
        const query = { ...(sent as FeedQuery | undefined), ...options };
        yield* localFeed(engine, await callerOf(), query, signal);
      } finally {
        release();
      }
    },
  });
  return { ...calls, ...helpersOn(calls), inProcess: true };
}
