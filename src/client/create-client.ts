import type { Route, ROUTES, RouteTable } from "../api/index.ts";
import { callsOf } from "./calls.ts";
import type { Calls, RowsOf } from "./calls.ts";
import type { SomeLifecycle } from "./lifecycle.ts";
import { lineTo, rememberLine } from "./line.ts";
import type { LineOptions } from "./line.ts";
import { listenerOn } from "./listen.ts";
import { rowOf } from "./request.ts";
import type { Row } from "./request.ts";
import { ROWS } from "./rows.ts";
import { senderOn } from "./send.ts";
import type { Persistence } from "./send.ts";
import { eventsOf, tasksOf } from "./tasks.ts";
import type { Events, Tasks } from "./tasks.ts";

export type ClientOptions = LineOptions & Persistence;

/** Any client, whichever lifecycles it knows: every shared route as a function by its name, and what is built on them. */
export type AnyClient = Calls<typeof ROUTES> & {
  readonly lifecycle: (lifecycle: never) => unknown;
  /** What happens to tasks, as it happens, without loss or repetition. */
  readonly events: Events;
  /** The routes of another table as functions: those that a lifecycle brings with it, with their schemas or without. */
  readonly calls: <Table extends RouteTable>(table: Table | RowsOf<Table>) => Calls<Table>;
};

/** A client that knows lifecycles by their names. */
export type Client<Known extends SomeLifecycle = SomeLifecycle> = Omit<AnyClient, "lifecycle"> & {
  /** The tasks of a lifecycle: of one that is known by its name, or of a definition. */
  readonly lifecycle: {
    <const Name extends Known["name"]>(name: Name): Tasks<Named<Known, Name>>;
    <L extends SomeLifecycle>(lifecycle: L): Tasks<L>;
  };
};

type Named<Known extends SomeLifecycle, Name extends string> = string extends Known["name"]
  ? Known
  : Extract<Known, { readonly name: Name }>;

/** A client of a Pawl server: `createClient<typeof board | typeof ticket>({ url, token })`. */
export function createClient<Known extends SomeLifecycle = SomeLifecycle>(
  options: ClientOptions,
): Client<Known> {
  const line = lineTo(options);
  const ways = { send: senderOn(line, options), listen: listenerOn(line) };
  const shared = callsOf<typeof ROUTES>(ROWS, ways);
  const client: Client<Known> = {
    ...shared,
    events: eventsOf(shared),
    lifecycle: <L extends SomeLifecycle>(of: L["name"] | L): Tasks<L> =>
      tasksOf<L>(typeof of === "string" ? of : of.name, shared),
    calls: <Table extends RouteTable>(table: Table | RowsOf<Table>) => {
      const rows = Object.entries<Route | Row>(table).map(([name, route]) => [
        name,
        "replies" in route ? rowOf(route) : route,
      ]);
      return callsOf<Table>(Object.fromEntries(rows) as Record<keyof Table, Row>, ways);
    },
  };
  return rememberLine(client, line);
}
