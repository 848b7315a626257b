import type { Route } from "../api/index.ts";
// Not by the room's door: it would bring every schema along, and the library that makes them.
import { isMedia } from "../api/route.ts";

/** What a client needs to know of a route; the rest of its row are types. */
export type Row = Pick<Route, "method" | "path" | "idempotent"> & {
  /** Where it is something other than JSON. */
  readonly answers?: "text" | "stream";
};

export function rowOf({ method, path, idempotent, replies }: Route): Row {
  const media = Object.values(replies).filter(isMedia);
  return {
    method,
    path,
    ...(idempotent ? { idempotent } : {}),
    ...(media.length > 0 ? { answers: media.some(({ streams }) => streams) ? "stream" : "text" } : {}),
  };
}

export type Outgoing = {
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/**
 * A request as it goes out: what the path names goes there, the rest is the query or the body. One that changes something
 * gets a key unless it has one, so that it can be sent again without being done again.
 */
export function requestOf({ method, path, idempotent }: Row, sent: unknown, makeKey = randomKey): Outgoing {
  const fields = { ...(sent as Record<string, unknown>) };
  const named = new Set<string>();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    named.add(name);
    return encodeURIComponent(pathPart(name, fields[name]));
  });
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !named.has(name)));
  // As a header, since a body that is a list, or none, has no place for it.
  const headers = idempotent && rest.client_event_id == null ? { "idempotency-key": makeKey() } : {};
  if (method === "GET" || method === "DELETE") return { method, path: filled + queryOf(rest), headers };
  return {
    method,
    path: filled,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(Array.isArray(sent) ? sent : rest),
  };
}

/** Without this check `/api/tasks/` would answer for a task whose id is "", and `..` would leave its place. */
function pathPart(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..")
    throw new TypeError(`${name} must be a text that can stand in a path, not ${JSON.stringify(value)}`);
  return value;
}

/** Lists are separated by commas. */
function queryOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value != null) search.set(name, Array.isArray(value) ? value.join(",") : (value as string));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

/** Not randomUUID: browsers have it on secure pages only, and a shop floor's own network often has none. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
