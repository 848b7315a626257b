import type { Route, ROUTES, RouteTable } from "../api/index.ts";
import { callsOf } from "./calls.ts";
import type { Calls, RowsOf } from "./calls.ts";
import type { Named, SomeLifecycle } from "./lifecycle.ts";
import { createConnection, attachConnection } from "./connection.ts";
import type { ConnectionOptions } from "./connection.ts";
import { listenerOn } from "./listen.ts";
import { routeMeta } from "./request.ts";
import type { RouteMeta } from "./request.ts";
import { ROWS } from "./route-meta.ts";
import { senderOn } from "./send.ts";
import type { RetryOptions } from "./send.ts";
import { eventsOf, tasksOf } from "./tasks.ts";
import type { Events, TaskCalls, Tasks } from "./tasks.ts";

export type ClientOptions = ConnectionOptions & RetryOptions;

/** Any client, whatever lifecycles its type knows: a function for every shared route, and helpers built on them. */
export type AnyClient = Calls<typeof ROUTES> & {
  readonly lifecycle: (lifecycle: never) => unknown;
  /** Streams the events of tasks live, each exactly once. */
  readonly events: Events;
  /** Builds functions for the routes of another table, such as a plugin's; its rows may be with or without schemas. */
  readonly calls: <Table extends RouteTable>(table: Table | RowsOf<Table>) => Calls<Table>;
};

/** A client whose type knows some lifecycles by name. */
export type Client<Known extends SomeLifecycle = SomeLifecycle> = Omit<AnyClient, "lifecycle"> & {
  readonly lifecycle: TasksByLifecycle<Known>;
};

/** Returns the typed task API of a lifecycle, given by a known name or by its definition. */
export type TasksByLifecycle<Known extends SomeLifecycle = SomeLifecycle> = {
  <const Name extends Known["name"]>(name: Name): Tasks<Named<Known, Name>>;
  <L extends SomeLifecycle>(lifecycle: L): Tasks<L>;
};

/** Creates a client for a Pawl server: `createClient<typeof board | typeof ticket>({ url, token })`. */
export function createClient<Known extends SomeLifecycle = SomeLifecycle>(
  options: ClientOptions,
): Client<Known> {
  const connection = createConnection(options);
  const transport = { send: senderOn(connection, options), listen: listenerOn(connection) };
  const shared = callsOf<typeof ROUTES>(ROWS, transport);
  const client: Client<Known> = {
    ...shared,
    ...helpersOn(shared),
    calls: <Table extends RouteTable>(table: Table | RowsOf<Table>) => {
      const rows = Object.entries<Route | RouteMeta>(table).map(([name, route]) => [
        name,
        "replies" in route ? routeMeta(route) : route,
      ]);
      return callsOf<Table>(Object.fromEntries(rows) as Record<keyof Table, RouteMeta>, transport);
    },
  };
  return attachConnection(client, connection);
}

/** The helpers that every client has on top of its calls. */
export function helpersOn(calls: TaskCalls) {
  return {
    events: eventsOf(calls),
    lifecycle: <L extends SomeLifecycle>(of: L["name"] | L): Tasks<L> =>
      tasksOf<L>(typeof of === "string" ? of : of.name, calls),
  };
}
