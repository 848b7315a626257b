import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { BodyRead, ParamsOf, QueryRead, ReplyOf, Route, RouteTable } from "../../api/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Caller } from "../../engine/index.ts";

/** A request, validated by the row of its route. */
export type Call<R extends Route = Route> = {
  /** The caller; null for routes with `access: "open"`. */
  caller: R extends { access: "open" } ? null : Caller;
  params: ParamsOf<R>;
  query: QueryRead<R>;
  body: BodyRead<R>;
  headers: IncomingHttpHeaders;
  /** From the body or `Idempotency-Key`. */
  client_event_id: string | null;
  /** From the body or `If-Match`. */
  expected_row_version: number | null;
  /** Aborts when the caller disconnects or the server stops. */
  signal: () => AbortSignal;
  /** Authenticates the caller again: a token may be revoked while a stream is open. */
  identify: () => Promise<({ kind: "known" } & Caller) | Refusal>;
};

type Extras = {
  /** Sent as ETag. */
  row_version?: number;
  /** The answer repeats an earlier one. */
  replayed?: boolean;
  headers?: Readonly<Record<string, string | string[]>>;
  /** The body already serialized, shared by all requests. */
  serialized?: Buffer;
};

/** One of the answers that the row lists. */
export type Answer<R extends Route = Route> = {
  [Status in keyof R["replies"]]: R["replies"][Status] extends { streams: true }
    ? Stream
    : { status: Status; body: ReplyOf<R, Status> } & Extras;
}[keyof R["replies"]];

/** A streamed answer: `stream` writes to the response, whose headers have been sent, until either side ends it. */
export type Stream = { status: 200; body: undefined; stream: (response: ServerResponse) => void };

/** Returns a streamed answer, for routes whose reply is an `eventStream`. */
export function stream(write: Stream["stream"]): Stream {
  return { status: 200, body: undefined, stream: write };
}

/** Builds an answer with its status. */
export function answer<const Status extends number, Body>(
  status: Status,
  body: Body,
  extras: Extras = {},
): { status: Status; body: Body } & Extras {
  return { status, body, ...extras };
}

/** Handles the requests of a route. Returns an answer or a refusal. */
export type Verb<R extends Route = Route> = (
  call: Call<R>,
) => Answer<R> | Refusal | Promise<Answer<R> | Refusal>;

/** Refuses a request because of its body, even if the body is invalid in other ways. */
export type BodyCheck = (sent: {
  caller: Caller;
  params: Record<string, string>;
  body: unknown;
  /** The body failed validation, so the engine will not get it. */
  invalid: boolean;
}) => Refusal | null | Promise<Refusal | null>;

/** A table of routes with a handler for each row. */
export type RouteSet = {
  readonly table: RouteTable;
  readonly verbs: Readonly<Record<string, Verb>>;
  readonly bodyChecks: Readonly<Record<string, BodyCheck>>;
};

/** Rows whose permission depends on the body must have a check; others may have one. */
type BodyChecks<Table extends RouteTable> = {
  [Name in keyof Table as Table[Name] extends { permission: { named_in: "body" } } ? Name : never]: BodyCheck;
} & { [Name in keyof Table]?: BodyCheck };

/** Combines a table of routes with their handlers; the types require one per row, with the answers of that row. */
export function serve<Table extends RouteTable>(
  table: Table,
  verbs: { [Name in keyof Table]: Verb<Table[Name]> },
  ...[bodyChecks]: object extends BodyChecks<Table> ? [BodyChecks<Table>?] : [BodyChecks<Table>]
): RouteSet {
  // The types of the rows are erased here: the server validates every request by its row.
  const erased = { verbs, bodyChecks: bodyChecks ?? {} } as unknown as Omit<RouteSet, "table">;
  return { table, ...erased };
}
