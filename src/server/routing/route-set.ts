import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { BodyRead, ParamsOf, QueryRead, ReplyOf, Route, RouteTable } from "../../api/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { By } from "../../engine/index.ts";

/** A request that has been read by its route's row. */
export type Call<R extends Route = Route> = {
  by: R extends { access: "open" } ? null : By;
  params: ParamsOf<R>;
  query: QueryRead<R>;
  body: BodyRead<R>;
  headers: IncomingHttpHeaders;
  /** Of the body, or of `Idempotency-Key`. */
  client_event_id: string | null;
  /** Of the body, or of `If-Match`. */
  expected_row_version: number | null;
  /** Aborted when the caller is gone, or the server stops: nobody waits for this answer any more. */
  signal: () => AbortSignal;
  /** Asks again whose call it is: an answer may go on for so long that a token is revoked meanwhile. */
  recognise: () => Promise<({ kind: "known" } & By) | Refusal>;
};

type Extras = {
  /** Told as ETag. */
  row_version?: number;
  /** The answer is one that was given before. */
  replayed?: boolean;
  headers?: Readonly<Record<string, string | string[]>>;
  /** The body as it goes over the wire, where it was written once for all: those who read slowly share it. */
  serialized?: Buffer;
};

/** One of the answers that the route's row lists. */
export type Answer<R extends Route = Route> = {
  [Status in keyof R["replies"]]: R["replies"][Status] extends { streams: true }
    ? Stream
    : { status: Status; body: ReplyOf<R, Status> } & Extras;
}[keyof R["replies"]];

/** An answer that goes on: whoever gives it writes to the response, whose head has been sent, until one of both ends it. */
export type Stream = { status: 200; body: undefined; stream: (response: ServerResponse) => void };

export function stream(write: Stream["stream"]): Stream {
  return { status: 200, body: undefined, stream: write };
}

/** An answer with its status. */
export function answer<const Status extends number, Body>(
  status: Status,
  body: Body,
  extras: Extras = {},
): { status: Status; body: Body } & Extras {
  return { status, body, ...extras };
}

export type Verb<R extends Route = Route> = (
  call: Call<R>,
) => Answer<R> | Refusal | Promise<Answer<R> | Refusal>;

/** Refuses a request for what its body asks, before its shape is refused. */
export type BodyCheck = (sent: {
  by: By;
  params: Record<string, string>;
  body: unknown;
  /** The shape will be refused, so that the engine is not asked. */
  misshapen: boolean;
}) => Refusal | null | Promise<Refusal | null>;

/** A table of routes, and what is done for each row. */
export type RouteSet = {
  readonly table: RouteTable;
  readonly verbs: Readonly<Record<string, Verb>>;
  readonly bodyChecks: Readonly<Record<string, BodyCheck>>;
};

/** Rows whose permission is named in the body must have a check; any other may have one. */
type BodyChecks<Table extends RouteTable> = {
  [Name in keyof Table as Table[Name] extends { permission: { named_in: "body" } } ? Name : never]: BodyCheck;
} & { [Name in keyof Table]?: BodyCheck };

/** Puts verbs behind a table of routes; the types see to it that none is missing and that each answers by its row. */
export function serve<Table extends RouteTable>(
  table: Table,
  verbs: { [Name in keyof Table]: Verb<Table[Name]> },
  ...[bodyChecks]: object extends BodyChecks<Table> ? [BodyChecks<Table>?] : [BodyChecks<Table>]
): RouteSet {
  // What each verb knows of its row is erased here, once: the server reads every request by the row of its verb.
  const erased = { verbs, bodyChecks: bodyChecks ?? {} } as unknown as Omit<RouteSet, "table">;
  return { table, ...erased };
}
