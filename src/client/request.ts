import type { Route } from "../api/index.ts";
// Not through index.ts, which would bring every schema, and zod, into the browser's bundle.
import { isMedia } from "../api/route.ts";

/** The part of a route that a client needs at run time; the rest of its row is used as types only. */
export type RouteMeta = Pick<Route, "method" | "path" | "idempotent"> & {
  /** The kind of answer, if it is not JSON. */
  readonly answers?: "text" | "stream";
};

/** Extracts the client's part of a route. */
export function routeMeta({ method, path, idempotent, replies }: Route): RouteMeta {
  const media = Object.values(replies).filter(isMedia);
  return {
    method,
    path,
    ...(idempotent ? { idempotent } : {}),
    ...(media.length > 0 ? { answers: media.some(({ streams }) => streams) ? "stream" : "text" } : {}),
  };
}

/** A request that is ready to be sent. */
export type Outgoing = {
  method: string;
  /** Path with query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** The fields of a call by where they are sent; `body` is undefined if the method has none. */
export type RequestParts = {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  headers: Record<string, string>;
};

/**
 * Divides the fields of a call: path parameters, and the rest as query or body. A request that changes data gets an idempotency key
 * unless it has one, so that it can be repeated safely.
 */
export function requestParts(
  { method, path, idempotent }: RouteMeta,
  sent: unknown,
  makeKey = randomKey,
): RequestParts {
  const fields = { ...(sent as Record<string, unknown>) };
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const params = Object.fromEntries(names.map((name) => [name, pathPart(name, fields[name])]));
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
  // As a header, because a list or an empty body has no field for it.
  const headers = idempotent && rest.client_event_id == null ? { "idempotency-key": makeKey() } : {};
  return method === "GET" || method === "DELETE"
    ? { params, query: rest, body: undefined, headers }
    : { params, query: {}, body: Array.isArray(sent) ? sent : rest, headers };
}

/** Builds the HTTP request of a call. */
export function requestOf(row: RouteMeta, sent: unknown, makeKey?: () => string): Outgoing {
  const { method } = row;
  const { params, query, body, headers } = requestParts(row, sent, makeKey);
  const filled = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  if (body === undefined) return { method, path: filled + queryOf(query), headers };
  return {
    method,
    path: filled,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Validates a path parameter: with an empty id, `/api/tasks/` would answer; `..` would lead to another route. */
function pathPart(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..")
    throw new TypeError(
      `${name} must be a non-empty text other than "." and "..", not ${JSON.stringify(value)}`,
    );
  return value;
}

/** Builds a query string; lists are joined with commas. */
function queryOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value != null) search.set(name, Array.isArray(value) ? value.join(",") : (value as string));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

/** Makes an idempotency key. Not `randomUUID`: browsers have it only on secure pages, and local networks often use plain HTTP. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
