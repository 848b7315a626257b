import type { z } from "zod";
import { refuse } from "./decision.ts";
import type { Refusal } from "./decision.ts";
import type { AnyProblemCode } from "./problems.ts";
import type { JsonObject } from "./task.ts";

type Parsed = { kind: "parsed"; fields: JsonObject };

/** Reads what a caller sent by its schema; a refusal lists every field that is wrong. Unknown keys are ignored. */
export function parseFields(
  schema: z.ZodObject | undefined,
  sent: unknown,
  required: Readonly<Record<string, AnyProblemCode>> = {},
): Parsed | Refusal {
  const unstorable = findUnstorable(sent);
  if (unstorable !== null) return invalid([unstorable]);
  for (const [field, code] of Object.entries(required)) {
    const value = (sent as JsonObject | null)?.[field];
    if (value === undefined || value === null || (typeof value === "string" && value.trim() === "")) {
      return refuse(code, `"${field}" must be given.`, { errors: [{ path: field, message: "required" }] });
    }
  }
  if (schema === undefined) return { kind: "parsed", fields: {} };
  const result = schema.safeParse(sent);
  if (result.success) return { kind: "parsed", fields: result.data };
  return invalid(
    result.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message })),
  );
}

export function invalid(errors: { path: string; message: string }[]): Refusal {
  const [first] = errors;
  const where = first === undefined || first.path === "" ? "" : `"${first.path}": `;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return refuse("VALIDATION_ERROR", `${where}${first?.message ?? "wrong shape"}${more}`, { errors });
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair, and nobody means a hundred levels: the path of the first such thing. */
export function findUnstorable(sent: unknown): { path: string; message: string } | null {
  const found = unstorableIn(sent, 0);
  return found && { path: found.path.join("."), message: found.message };
}

type Unstorable = { path: string[]; message: string };

/** The path is put together only where there is something to tell. */
function unstorableIn(value: unknown, depth: number): Unstorable | null {
  if (typeof value === "string")
    return isStorable(value) ? null : { path: [], message: "text must not hold NUL or lone surrogates" };
  if (typeof value !== "object" || value === null) return null;
  if (depth >= MAX_JSON_DEPTH) return { path: [], message: `nested more than ${MAX_JSON_DEPTH} deep` };
  for (const key of Object.keys(value)) {
    if (!isStorable(key)) return { path: [], message: "a key must not hold NUL or lone surrogates" };
    const found = unstorableIn((value as JsonObject)[key], depth + 1);
    if (found === null) continue;
    const path = depth < 3 || found.path.length > 0 ? [key, ...found.path] : [key];
    return { path: found.message.startsWith("nested") ? path.slice(0, 3) : path, message: found.message };
  }
  return null;
}

/** Levels of lists and objects in anything a caller sends; code that recurses over it relies on this. */
export const MAX_JSON_DEPTH = 100;

/** Whether a value has more levels than `MAX_JSON_DEPTH`. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth >= MAX_JSON_DEPTH || Object.values(value).some((part) => isTooDeep(part, depth + 1));
}

const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Whether PostgreSQL can keep this text. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}
