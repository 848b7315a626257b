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
function findUnstorable(sent: unknown): { path: string; message: string } | null {
  const open: { value: unknown; path: string[] }[] = [{ value: sent, path: [] }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { value, path } = part;
    if (typeof value === "string" && !isStorable(value)) {
      return { path: path.join("."), message: "text must not hold NUL or lone surrogates" };
    }
    if (typeof value !== "object" || value === null) continue;
    if (path.length >= DEEPEST)
      return { path: path.slice(0, 3).join("."), message: `nested more than ${DEEPEST} deep` };
    for (const [key, child] of Object.entries(value)) {
      if (!isStorable(key))
        return { path: path.join("."), message: "a key must not hold NUL or lone surrogates" };
      open.push({ value: child, path: [...path, key] });
    }
  }
  return null;
}

const DEEPEST = 100;

/** Whether PostgreSQL can keep this text. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}
