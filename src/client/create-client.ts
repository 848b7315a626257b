import type { RouteTable } from "../contract/index.ts";
import { callsOf } from "./calls.ts";
import type { Calls, SharedRoutes } from "./calls.ts";
import { feedOn } from "./feed.ts";
import type { Feed, FeedQuery } from "./feed.ts";
import type { SomeLifecycle } from "./lifecycle.ts";
import { lineTo } from "./line.ts";
import type { LineOptions } from "./line.ts";
import { rowOf } from "./request.ts";
import { ROWS } from "./rows.ts";
import { senderOn } from "./send.ts";
import type { Persistence } from "./send.ts";
import { tasksOf } from "./tasks.ts";
import type { Tasks } from "./tasks.ts";

export type ClientOptions = LineOptions & Persistence;

/** Every shared route as a function by its name, and what is built on them. `Known` are the lifecycles whose names it knows. */
export type Client<Known extends SomeLifecycle = SomeLifecycle> = Calls<SharedRoutes> & {
  /** The tasks of a lifecycle: of one that is known by its name, or of a definition. */
  lifecycle<const Name extends Known["name"]>(name: Name): Tasks<Named<Known, Name>>;
  lifecycle<L extends SomeLifecycle>(lifecycle: L): Tasks<L>;
  /** What happens, as it happens; see `FeedQuery`. */
  events(query?: FeedQuery): Feed;
  /** The routes of another table as functions: those that a lifecycle brings with it. */
  calls<Table extends RouteTable>(table: Table): Calls<Table>;
};

type Named<Known extends SomeLifecycle, Name extends string> = string extends Known["name"]
  ? Known
  : Extract<Known, { readonly name: Name }>;

/** A client of a Pawl server: `createClient<typeof ticket | typeof board>({ url, token })`. */
export function createClient<Known extends SomeLifecycle = SomeLifecycle>(
  options: ClientOptions,
): Client<Known> {
  const line = lineTo(options);
  const send = senderOn(line, options);
  const calls = callsOf<SharedRoutes>(ROWS, send);
  const events = (query?: FeedQuery) => feedOn(line, query);
  return {
    ...calls,
    events,
    lifecycle: <L extends SomeLifecycle>(of: L["name"] | L): Tasks<L> =>
      tasksOf<L>(typeof of === "string" ? of : of.name, calls, events),
    calls: <Table extends RouteTable>(table: Table) =>
      callsOf<Table>(
        Object.fromEntries(Object.entries(table).map(([name, route]) => [name, rowOf(route)])) as Record<
          keyof Table,
          ReturnType<typeof rowOf>
        >,
        send,
      ),
  };
}
