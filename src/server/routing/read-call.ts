import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { clientEventId } from "../../api/index.ts";
import type { Route } from "../../api/index.ts";
import { isStorable, problemOf, refuse, shownErrors } from "../../core/index.ts";
import type { FieldError as Mistake, JsonObject, Refusal } from "../../core/index.ts";
import type { OwnProblems } from "./problem-reply.ts";

export type ReadParts = {
  query: unknown;
  body: unknown;
  client_event_id: string | null;
  expected_row_version: number | null;
};

/** Makes the reader of one route's requests: what it gives has the shape that the row promises. */
export function readerOf(route: Route, own: OwnProblems): (request: FastifyRequest) => ReadParts | Refusal {
  const fromText = route.query ? queryReader(route.query) : null;
  const absent = route.refusals?.find((code) => problemOf(code, own).status === 404);
  const params = Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  return (request) => {
    const sent = request.params as Record<string, string>;
    if (absent !== undefined && params.some((name) => !isStorable(sent[name] ?? "")))
      return refuse(absent, "What cannot be stored is nobody's name.", {});
    const mistakes: Mistake[] = [];
    const query =
      route.query && fromText
        ? parse(route.query, fromText(request.query as JsonObject), mistakes)
        : undefined;
    if (route.resumable) resume(query as JsonObject | undefined, request, mistakes);
    const body = route.body ? parse(route.body, request.body, mistakes) : undefined;
    const said = (Array.isArray(body) ? {} : (body ?? {})) as JsonObject;
    const client_event_id = route.idempotent
      ? either("client_event_id", said, "Idempotency-Key", keyOf(request, mistakes), mistakes)
      : null;
    // Of a body that could not be read nobody knows whether it had one.
    const unread = route.body !== undefined && body === undefined;
    if (route.needs_key && client_event_id === null && !unread)
      mistakes.push({ path: "client_event_id", message: "required, here or as Idempotency-Key" });
    const expected_row_version = route.versioned
      ? either("expected_row_version", said, "If-Match", versionOf(request, mistakes), mistakes)
      : null;
    if (mistakes.length > 0) return misshapen(mistakes);
    return { query, body, client_event_id, expected_row_version };
  };
}

function misshapen(errors: readonly Mistake[]): Refusal {
  const shown = shownErrors(errors);
  const [{ path, message } = { path: "", message: "wrong shape" }] = shown;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return refuse("VALIDATION_ERROR", `${path === "" ? "" : `${path}: `}${message}${more}`, { errors: shown });
}

function parse(schema: z.ZodType, sent: unknown, mistakes: Mistake[]): unknown {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) mistakes.push({ path: path.join("."), message });
  return undefined;
}

/** A query is all texts; what each of them stands for is in its schema. An empty one was not meant. */
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

/** A field that may come in the body or as a header; where both come they must agree. */
function either<Value extends string | number>(
  field: string,
  body: JsonObject,
  header: string,
  sent: Value | null,
  mistakes: Mistake[],
): Value | null {
  const said = (body[field] ?? null) as Value | null;
  if (said !== null && sent !== null && said !== sent)
    mistakes.push({ path: field, message: `is not what the header ${header} says` });
  return said ?? sent;
}

/** Whoever connects again sends the id of the last event he has seen; his `after` is where he began. */
function resume(query: JsonObject | undefined, { headers }: FastifyRequest, mistakes: Mistake[]): void {
  const sent = headers["last-event-id"];
  if (sent === undefined || sent === "") return;
  const after = /^\d{1,16}$/.test(String(sent)) ? Number(sent) : NaN;
  if (!Number.isSafeInteger(after))
    mistakes.push({ path: "Last-Event-ID", message: "must be the id of an event" });
  else if (query) query.after = after;
}

/** Some write it bare, some in quotes, as the draft of its standard has it. */
function keyOf({ headers }: FastifyRequest, mistakes: Mistake[]): string | null {
  const sent = headers["idempotency-key"];
  if (sent === undefined) return null;
  const parsed = clientEventId.safeParse(String(sent).replace(/^"(.*)"$/, "$1"));
  if (parsed.success) return parsed.data;
  mistakes.push({ path: "Idempotency-Key", message: parsed.error.issues[0]?.message ?? "is no key" });
  return null;
}

/** An ETag of ours, `"7"`; `W/"7"` where the answer was compressed, here or by a proxy. `*` asks for nothing that is not so anyway. */
function versionOf({ headers }: FastifyRequest, mistakes: Mistake[]): number | null {
  const sent = headers["if-match"];
  if (sent === undefined || sent === "*") return null;
  const [, version] = /^(?:W\/)?"?(\d{1,15})"?$/.exec(sent) ?? [];
  if (version !== undefined) return Number(version);
  mistakes.push({ path: "If-Match", message: 'must be the ETag of a task, like "7"' });
  return null;
}
