import type { z } from "zod";
import type { Actor, AnyProblemCode, Refusal } from "../core/index.ts";

/** An answer other than JSON: text, HTML or a stream. */
export type Media = { readonly media: string; readonly schema: z.ZodType; readonly streams?: true };

/** The body of an answer; null if it has none. */
export type Reply = z.ZodType | Media | null;

/**
 * The permission that a caller needs: its name in the plugin's lifecycle, or a check of the route. Both are checked before the body is
 * read. If the body names the action, the permission of that action is checked after reading the body, before validating it.
 */
export type RoutePermission = string | ((actor: Actor) => Refusal | null) | { readonly named_in: "body" };

/** One row of the route table, which server, client, OpenAPI and docs read. */
export type Route = {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Path parameters are in braces: `/api/tasks/{id}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** Details beyond the summary. */
  readonly about?: string;
  /** Its section in the docs. */
  readonly group: string;
  /** "member": any token (the default). "admin": a token of an admin. "open": no token. */
  readonly access?: "member" | "admin" | "open";
  readonly permission?: RoutePermission;
  /** Kinds of confined tokens that are accepted too; the route itself checks what they may do. */
  readonly confined?: readonly string[];
  /** Query parameter in which a token is accepted too, for callers that cannot send headers. */
  readonly tokenInQuery?: string;
  /** Accepts a client_event_id, in the body or as `Idempotency-Key`; a repeated one gets the first answer. */
  readonly idempotent?: true;
  /** The client_event_id is required. */
  readonly needs_key?: true;
  /** Accepts an expected_row_version, in the body or as `If-Match`. */
  readonly versioned?: true;
  /** Accepts `Last-Event-ID`, which takes precedence over `after` in the query. */
  readonly resumable?: true;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly replies: Readonly<Record<number, Reply>>;
  /** Further refusal codes; those that follow from the other fields need not be listed. */
  readonly refusals?: readonly AnyProblemCode[];
  /** The rules of a lifecycle decide, so any of their refusals is possible. */
  readonly ruled?: true;
};

export type RouteTable = Readonly<Record<string, Route>>;

/** Defines a route table with its literal types, from which clients and servers infer theirs. */
export function defineRoutes<const Table extends RouteTable>(table: Table): Table {
  return table;
}

/** Marks an answer other than JSON. */
export function media<Schema extends z.ZodType>(type: string, schema: Schema) {
  return { media: type, schema } as const;
}

/** Marks an endless answer: server-sent events whose data is JSON of this shape. */
export function eventStream<Schema extends z.ZodType>(schema: Schema) {
  return { media: "text/event-stream", schema, streams: true } as const;
}

export function isMedia(reply: Reply | undefined): reply is Media {
  return reply != null && "media" in reply;
}

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The path parameters. */
export type ParamsOf<R extends Route> = Record<NamesIn<R["path"]>, string>;

type Part<R, Key extends "query" | "body", Way extends "input" | "output"> =
  R extends Record<Key, infer Schema extends z.ZodType>
    ? Way extends "input"
      ? z.input<Schema>
      : z.output<Schema>
    : undefined;

/** The query or body as a client sends it. */
export type QuerySent<R extends Route> = Part<R, "query", "input">;
export type BodySent<R extends Route> = Part<R, "body", "input">;

/** The query or body after validation, with defaults. */
export type QueryRead<R extends Route> = Part<R, "query", "output">;
export type BodyRead<R extends Route> = Part<R, "body", "output">;

type BodyOf<Answer> = Answer extends { schema: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : Answer extends z.ZodType
    ? z.output<Answer>
    : undefined;

/** The body of an answer: `ReplyOf<typeof ROUTES.createTask>` is the union over all statuses. */
export type ReplyOf<R extends Route, Status extends keyof R["replies"] = keyof R["replies"]> = {
  [S in Status]: BodyOf<R["replies"][S]>;
}[Status];
