import type { z } from "zod";
import { refuse } from "./decision.ts";
import { fieldErrors } from "./field-errors.ts";
import type { FieldError } from "./field-errors.ts";
import type { Refusal } from "./decision.ts";
import { shorten } from "./truncate-text.ts";
import { MAX_FREE_TEXT_LENGTH, MAX_JSON_DEPTH, MAX_NAME_LENGTH, TOO_DEEP } from "./limits.ts";
import type { AnyProblemCode } from "./problems.ts";
import type { JsonObject } from "./task.ts";

type Parsed = { kind: "parsed"; fields: JsonObject };

/** Parses a caller's input by its schema; a refusal lists every invalid field. Unknown keys are ignored. */
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
      return refuse(code, `"${field}" is required.`, { errors: [{ path: field, message: "required" }] });
    }
  }
  if (schema === undefined) return { kind: "parsed", fields: {} };
  const result = schema.safeParse(sent);
  if (result.success) return { kind: "parsed", fields: result.data };
  return invalid(fieldErrors(result.error.issues, sent));
}

export function invalid(errors: readonly FieldError[]): Refusal {
  const shown = shownErrors(errors);
  const [first] = shown;
  const where = first === undefined || first.path === "" ? "" : `"${first.path}": `;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return refuse("VALIDATION_ERROR", `${where}${first?.message ?? "invalid"}${more}`, { errors: shown });
}

const MAX_ERRORS = 100;
const MAX_PATH_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 500;

/** Limits the number and the length of errors: paths and messages may contain the caller's input. */
export function shownErrors(errors: readonly FieldError[]): FieldError[] {
  return errors.slice(0, MAX_ERRORS).map(({ path, message }) => ({
    path: shorten(path, MAX_PATH_LENGTH),
    message: shorten(message, MAX_MESSAGE_LENGTH),
  }));
}

/** Finds the first value that is too long, too deeply nested, or that PostgreSQL cannot store (NUL, half a surrogate pair). */
export function findUnstorable(sent: unknown): { path: string; message: string } | null {
  const found = unstorableIn(sent, 0);
  return found && { path: found.path.join("."), message: found.message };
}

type Unstorable = { path: string[]; message: string };

/** Builds the path only on the way back from something found, so that valid input costs nothing extra. */
function unstorableIn(value: unknown, depth: number): Unstorable | null {
  if (typeof value === "string") {
    if (value.length > MAX_FREE_TEXT_LENGTH)
      return { path: [], message: `text must have at most ${MAX_FREE_TEXT_LENGTH} characters` };
    return isStorable(value) ? null : { path: [], message: "text must not hold NUL or lone surrogates" };
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth >= MAX_JSON_DEPTH) return { path: [], message: TOO_DEEP };
  for (const key of Object.keys(value)) {
    if (key.length > MAX_NAME_LENGTH)
      return { path: [], message: `a key must have at most ${MAX_NAME_LENGTH} characters` };
    if (!isStorable(key)) return { path: [], message: "a key must not hold NUL or lone surrogates" };
    const found = unstorableIn((value as JsonObject)[key], depth + 1);
    if (found === null) continue;
    const path = depth < 3 || found.path.length > 0 ? [key, ...found.path] : [key];
    return { path: found.message.startsWith("nested") ? path.slice(0, 3) : path, message: found.message };
  }
  return null;
}

/** Returns the first parts of the path to a value nested deeper than `MAX_JSON_DEPTH`, or null. */
export function findTooDeep(value: unknown, depth = 0): string[] | null {
  if (typeof value !== "object" || value === null) return null;
  if (depth >= MAX_JSON_DEPTH) return [];
  for (const [key, part] of Object.entries(value)) {
    const found = findTooDeep(part, depth + 1);
    if (found) return depth < MAX_PATH_PARTS ? [key, ...found] : found;
  }
  return null;
}

const MAX_PATH_PARTS = 4;

const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Checks whether PostgreSQL can store a string. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}
