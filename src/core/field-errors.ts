import type { z } from "zod";
import { didYouMean } from "./nearest.ts";

export type FieldError = { path: string; message: string };

/** Turns the issues of a schema into errors of fields. For a value that is not one of a list, suggests the nearest one. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[], sent: unknown): FieldError[] {
  return issues.map((issue) => ({ path: issue.path.join("."), message: messageOf(issue, sent) }));
}

function messageOf(issue: z.core.$ZodIssue, sent: unknown): string {
  const value = valueAt(sent, issue.path);
  if (issue.code !== "invalid_value" || issue.values.length < 2 || typeof value !== "string")
    return issue.message;
  const options = issue.values.map(String);
  return `must be one of ${options.join(", ")}${didYouMean(value, options)}`;
}

function valueAt(sent: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    sent,
  );
}
