import type { BodySent, Media, ParamsOf, QuerySent, ReplyOf, Route, RouteTable } from "../api/index.ts";
import type { Feed, Listen, ListenOptions } from "./listen.ts";
import type { RouteMeta } from "./request.ts";
import type { CallOptions, Send } from "./send.ts";

type BodyOrQuery<R extends Route> = BodySent<R> extends undefined ? QuerySent<R> : BodySent<R>;

/** The first argument of a call: path parameters and the fields of the query or body in one object. */
export type RequestFields<R extends Route> = [keyof ParamsOf<R>] extends [never]
  ? BodyOrQuery<R>
  : BodyOrQuery<R> extends undefined
    ? ParamsOf<R>
    : ParamsOf<R> & BodyOrQuery<R>;

/** An argument list with one argument, which is optional if all its fields are. */
export type OptionalArg<Fields> = Fields extends undefined
  ? [sent?: undefined]
  : object extends Fields
    ? [sent?: Fields]
    : [sent: Fields];

/** A route as a function. A route that streams returns an async generator of its events. */
export type Call<R extends Route> =
  "stream" extends AnswersOf<R>
    ? (...args: [...OptionalArg<RequestFields<R>>, options?: ListenOptions]) => Feed<ReplyOf<R>>
    : (...args: [...OptionalArg<RequestFields<R>>, options?: CallOptions]) => Promise<ReplyOf<R>>;

/** A route table as functions, each named like its row. */
export type Calls<Table extends RouteTable> = { readonly [Name in keyof Table]: Call<Table[Name]> };

/** The rows of a route table without their schemas. */
export type RowsOf<Table extends RouteTable> = { readonly [Name in keyof Table]: RowOf<Table[Name]> };
type RowOf<R extends Route> = Pick<R, "method" | "path"> &
  (R extends { idempotent: true } ? { idempotent: true } : { idempotent?: never }) &
  ([AnswersOf<R>] extends [never] ? { answers?: never } : { answers: AnswersOf<R> });

/** "text" or "stream"; `never` for JSON. */
type AnswersOf<R extends Route> =
  Extract<R["replies"][keyof R["replies"]], Media> extends infer Answer
    ? Answer extends { streams: true }
      ? "stream"
      : "text"
    : never;

/** Builds the functions of a route table; only their types differ from row to row. */
export function callsOf<Table extends RouteTable>(
  rows: Readonly<Record<keyof Table, RouteMeta>>,
  { send, listen }: { send: Send; listen: Listen },
): Calls<Table> {
  return Object.fromEntries(
    Object.entries<RouteMeta>(rows).map(([name, row]) => [
      name,
      row.answers === "stream"
        ? (sent?: unknown, options?: ListenOptions) => listen(row, sent, options)
        : (sent?: unknown, options?: CallOptions) => send(row, sent, options),
    ]),
  ) as unknown as Calls<Table>;
}
