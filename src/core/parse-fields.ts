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
  const unstorable = findUnstorable(sent, "");
  if (unstorable !== null) {
    return invalid([{ path: unstorable, message: "text must not hold NUL or lone surrogates" }]);
  }
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

function invalid(errors: { path: string; message: string }[]): Refusal {
  const [first] = errors;
  const where = first === undefined || first.path === "" ? "" : `"${first.path}": `;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return refuse("VALIDATION_ERROR", `${where}${first?.message ?? "wrong shape"}${more}`, { errors });
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair: the path of the first text that holds one. */
function findUnstorable(value: unknown, path: string): string | null {
  if (typeof value === "string") return /[\0\p{Surrogate}]/u.test(value) ? path : null;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    const childPath = path === "" ? key : `${path}.${key}`;
    const found = findUnstorable(key, childPath) ?? findUnstorable(child, childPath);
    if (found !== null) return found;
  }
  return null;
}
