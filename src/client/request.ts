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

/**
 * Builds the request of a call: path parameters go into the path, the rest into the query or body. A request that changes data
 * gets an idempotency key unless it has one, so that it can be repeated safely.
 */
export function requestOf(
  { method, path, idempotent }: RouteMeta,
  sent: unknown,
  makeKey = randomKey,
): Outgoing {
  const fields = { ...(sent as Record<string, unknown>) };
  const named = new Set<string>();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    named.add(name);
    return encodeURIComponent(pathPart(name, fields[name]));
  });
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !named.has(name)));
  // As a header, because a list or an empty body has no field for it.
  const headers = idempotent && rest.client_event_id == null ? { "idempotency-key": makeKey() } : {};
  if (method === "GET" || method === "DELETE") return { method, path: filled + queryOf(rest), headers };
  return {
    method,
    path: filled,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(Array.isArray(sent) ? sent : rest),
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

/** Not `randomUUID`: browsers have it only on secure pages, and local networks often use plain HTTP. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
