import type { BodySent, Media, ParamsOf, QuerySent, ReplyOf, Route, RouteTable } from "../api/index.ts";
import type { Feed, Listen, ListenOptions } from "./listen.ts";
import type { Row } from "./request.ts";
import type { CallOptions, Send } from "./send.ts";

type Given<R extends Route> = BodySent<R> extends undefined ? QuerySent<R> : BodySent<R>;

/** What a call is given: the parts of the path and the fields of its query or body, side by side. */
export type Sent<R extends Route> = [keyof ParamsOf<R>] extends [never]
  ? Given<R>
  : Given<R> extends undefined
    ? ParamsOf<R>
    : ParamsOf<R> & Given<R>;

/** What may be left out, where all of it may. */
export type Leading<Given> = Given extends undefined
  ? [sent?: undefined]
  : object extends Given
    ? [sent?: Given]
    : [sent: Given];

/** A route as a function; one that streams gives its events one by one, for as long as they are wanted. */
export type Call<R extends Route> =
  "stream" extends AnswersOf<R>
    ? (...args: [...Leading<Sent<R>>, options?: ListenOptions]) => Feed<ReplyOf<R>>
    : (...args: [...Leading<Sent<R>>, options?: CallOptions]) => Promise<ReplyOf<R>>;

/** A table of routes as functions, each by the name of its row. */
export type Calls<Table extends RouteTable> = { readonly [Name in keyof Table]: Call<Table[Name]> };

/** The rows of a table, without their schemas. */
export type RowsOf<Table extends RouteTable> = { readonly [Name in keyof Table]: RowOf<Table[Name]> };
type RowOf<R extends Route> = Pick<R, "method" | "path"> &
  (R extends { idempotent: true } ? { idempotent: true } : { idempotent?: never }) &
  ([AnswersOf<R>] extends [never] ? { answers?: never } : { answers: AnswersOf<R> });

/** "text" or "stream"; never where it is JSON. */
type AnswersOf<R extends Route> =
  Extract<R["replies"][keyof R["replies"]], Media> extends infer Answer
    ? Answer extends { streams: true }
      ? "stream"
      : "text"
    : never;

/** Makes the functions of a table; what each knows of its row is known to the types alone. */
export function callsOf<Table extends RouteTable>(
  rows: Readonly<Record<keyof Table, Row>>,
  { send, listen }: { send: Send; listen: Listen },
): Calls<Table> {
  return Object.fromEntries(
    Object.entries<Row>(rows).map(([name, row]) => [
      name,
      row.answers === "stream"
        ? (sent?: unknown, options?: ListenOptions) => listen(row, sent, options)
        : (sent?: unknown, options?: CallOptions) => send(row, sent, options),
    ]),
  ) as unknown as Calls<Table>;
}
