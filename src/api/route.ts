import type { z } from "zod";
import type { Actor, AnyProblemCode, Refusal } from "../core/index.ts";

/** What is answered other than JSON: a text, a page, a stream. */
export type Media = { readonly media: string; readonly schema: z.ZodType; readonly streams?: true };

/** null: an answer without a body. */
export type Reply = z.ZodType | Media | null;

/**
 * The permission that a caller needs: its name in the plugin's lifecycle, or a check of the route. Both are checked before the body is
 * read. If the body names the action, the permission of that action is checked once the body is there, before its shape.
 */
export type RoutePermission = string | ((actor: Actor) => Refusal | null) | { readonly named_in: "body" };

/** One row of the table that server, client, OpenAPI and docs all read. */
export type Route = {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Its parts in braces are texts: `/api/tasks/{id}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** What the summary cannot say. */
  readonly about?: string;
  /** Where it stands in the docs. */
  readonly group: string;
  /** "member" unless said otherwise: any token. "admin": a token of an admin. "open": nobody is asked who he is. */
  readonly access?: "member" | "admin" | "open";
  readonly permission?: RoutePermission;
  /** Which confined tokens are let in as well; what they may do here is looked at by the route itself. */
  readonly confined?: readonly string[];
  /** A token is also taken from this parameter of the query, where a caller cannot send headers. */
  readonly tokenInQuery?: string;
  /** Takes a client_event_id, in the body or as `Idempotency-Key`; the same one again gets the first answer again. */
  readonly idempotent?: true;
  /** That client_event_id must be given. */
  readonly needs_key?: true;
  /** Takes an expected_row_version, in the body or as `If-Match`. */
  readonly versioned?: true;
  /** Its `after` is also taken as `Last-Event-ID`, which goes before it. */
  readonly resumable?: true;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly replies: Readonly<Record<number, Reply>>;
  /** The refusals of its own; those that follow from the rest of the row need not be listed. */
  readonly refusals?: readonly AnyProblemCode[];
  /** The rules of a lifecycle have their say, with refusals of their own. */
  readonly ruled?: true;
};

export type RouteTable = Readonly<Record<string, Route>>;

/** A table of routes that keeps what it knows, so that clients and servers get their types from it. */
export function defineRoutes<const Table extends RouteTable>(table: Table): Table {
  return table;
}

/** Marks an answer that is no JSON. */
export function media<Schema extends z.ZodType>(type: string, schema: Schema) {
  return { media: type, schema } as const;
}

/** Marks an answer that goes on for as long as it is read: server-sent events whose data is JSON of this shape. */
export function eventStream<Schema extends z.ZodType>(schema: Schema) {
  return { media: "text/event-stream", schema, streams: true } as const;
}

export function isMedia(reply: Reply | undefined): reply is Media {
  return reply != null && "media" in reply;
}

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The parts of the path. */
export type ParamsOf<R extends Route> = Record<NamesIn<R["path"]>, string>;

type Part<R, Key extends "query" | "body", Way extends "input" | "output"> =
  R extends Record<Key, infer Schema extends z.ZodType>
    ? Way extends "input"
      ? z.input<Schema>
      : z.output<Schema>
    : undefined;

/** What a client may send. */
export type QuerySent<R extends Route> = Part<R, "query", "input">;
export type BodySent<R extends Route> = Part<R, "body", "input">;

/** What the server has read. */
export type QueryRead<R extends Route> = Part<R, "query", "output">;
export type BodyRead<R extends Route> = Part<R, "body", "output">;

type BodyOf<Answer> = Answer extends { schema: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : Answer extends z.ZodType
    ? z.output<Answer>
    : undefined;

/** What is answered, by status: `ReplyOf<typeof ROUTES.createTask>` is every answer it may give. */
export type ReplyOf<R extends Route, Status extends keyof R["replies"] = keyof R["replies"]> = {
  [S in Status]: BodyOf<R["replies"][S]>;
}[Status];
