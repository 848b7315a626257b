import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { clientEventId } from "../../api/index.ts";
import type { Route } from "../../api/index.ts";
import { fieldErrors, isStorable, problemOf, refuse, shownErrors } from "../../core/index.ts";
import type { FieldError as Mistake, JsonObject, Refusal } from "../../core/index.ts";
import type { OwnProblems } from "./problem-reply.ts";

/** The parts of a request that are validated. */
type Received = { params: unknown; query: unknown; body: unknown; headers: IncomingHttpHeaders };

export type ReadParts = {
  query: unknown;
  body: unknown;
  client_event_id: string | null;
  expected_row_version: number | null;
};

/** Creates the function that validates the requests of one route. */
export function readerOf(route: Route, own: OwnProblems): (request: Received) => ReadParts | Refusal {
  const fromText = route.query ? queryReader(route.query) : null;
  const absent = route.refusals?.find((code) => problemOf(code, own).status === 404) ?? "NOT_FOUND";
  const params = Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  return (request) => {
    const sent = request.params as Record<string, string>;
    if (params.some((name) => !isStorable(sent[name] ?? "")))
      return refuse(absent, "The id contains characters that no id has.", {});
    const mistakes: Mistake[] = [];
    const query =
      route.query && fromText
        ? parse(route.query, fromText(request.query as JsonObject), mistakes)
        : undefined;
    if (route.resumable) resume(query as JsonObject | undefined, request, mistakes);
    const body = route.body ? parse(route.body, request.body, mistakes) : undefined;
    const inBody = (Array.isArray(body) ? {} : (body ?? {})) as JsonObject;
    const client_event_id = route.idempotent
      ? either("client_event_id", inBody, "Idempotency-Key", keyOf(request, mistakes), mistakes)
      : null;
    // If the body is invalid, it is unknown whether it had a key.
    const unread = route.body !== undefined && body === undefined;
    if (route.needs_key && client_event_id === null && !unread)
      mistakes.push({ path: "client_event_id", message: "required, in the body or as Idempotency-Key" });
    const expected_row_version = route.versioned
      ? either("expected_row_version", inBody, "If-Match", versionOf(request, mistakes), mistakes)
      : null;
    if (mistakes.length > 0) return invalidRequest(mistakes);
    return { query, body, client_event_id, expected_row_version };
  };
}

function invalidRequest(errors: readonly Mistake[]): Refusal {
  const shown = shownErrors(errors);
  const [{ path, message } = { path: "", message: "wrong shape" }] = shown;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return refuse("VALIDATION_ERROR", `${path === "" ? "" : `${path}: `}${message}${more}`, { errors: shown });
}

function parse(schema: z.ZodType, sent: unknown, mistakes: Mistake[]): unknown {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  mistakes.push(...fieldErrors(parsed.error.issues, sent));
  return undefined;
}

/** Converts the texts of a query to the types of its schema. An empty text counts as absent. */
function queryReader(schema: z.ZodObject): (sent: JsonObject) => JsonObject {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input" });
  const readers = Object.entries(properties).map(([name, property]) => ({
    name,
    read: READERS[(property as { type?: string }).type ?? ""] ?? ((value: unknown) => value),
  }));
  return (sent) => {
    const query: JsonObject = {};
    for (const { name, read } of readers) {
      const value = sent[name];
      if (value !== undefined && value !== "") query[name] = read(value);
    }
    return query;
  };
}

const READERS: Record<string, (value: unknown) => unknown> = {
  integer: numberOf,
  number: numberOf,
  boolean: (value) => (value === "true" ? true : value === "false" ? false : value),
  array: (value) => (Array.isArray(value) ? value : [value]).flatMap((part) => String(part).split(",")),
};

function numberOf(value: unknown): unknown {
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** Reads a field from the body or a header; if both are sent, they must be equal. */
function either<Value extends string | number>(
  field: string,
  body: JsonObject,
  header: string,
  sent: Value | null,
  mistakes: Mistake[],
): Value | null {
  const inBody = (body[field] ?? null) as Value | null;
  if (inBody !== null && sent !== null && inBody !== sent)
    mistakes.push({ path: field, message: `differs from the header ${header}` });
  return inBody ?? sent;
}

/** Uses `Last-Event-ID` before `after`: a client that reconnects sends both, and `after` is where it first began. */
function resume(query: JsonObject | undefined, { headers }: Received, mistakes: Mistake[]): void {
  const sent = headers["last-event-id"];
  if (sent === undefined || sent === "") return;
  const after = /^\d{1,16}$/.test(String(sent)) ? Number(sent) : NaN;
  if (!Number.isSafeInteger(after))
    mistakes.push({ path: "Last-Event-ID", message: "must be the id of an event" });
  else if (query) query.after = after;
}

/** Reads `Idempotency-Key`, bare or in quotes as in the draft of the standard. */
function keyOf({ headers }: Received, mistakes: Mistake[]): string | null {
  const sent = headers["idempotency-key"];
  if (sent === undefined) return null;
  const parsed = clientEventId.safeParse(String(sent).replace(/^"(.*)"$/, "$1"));
  if (parsed.success) return parsed.data;
  mistakes.push({
    path: "Idempotency-Key",
    message: parsed.error.issues[0]?.message ?? "is not a valid key",
  });
  return null;
}

/** Reads `If-Match`: `"7"`, or `W/"7"` if the answer was compressed. `*` matches any version. */
function versionOf({ headers }: Received, mistakes: Mistake[]): number | null {
  const sent = headers["if-match"];
  if (sent === undefined || sent === "*") return null;
  const [, version] = /^(?:W\/)?"?(\d{1,15})"?$/.exec(sent) ?? [];
  if (version !== undefined) return Number(version);
  mistakes.push({ path: "If-Match", message: 'must be the ETag of a task, like "7"' });
  return null;
}
