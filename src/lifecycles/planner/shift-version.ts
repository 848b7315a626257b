import { refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";

/** Refuses a request that saw another version of a shift or pattern; null: no version was given. */
export function versionRefusal(
  { row_version }: { row_version: number },
  expected: number | null,
): Refusal | null {
  if (expected === null || expected === row_version) return null;
  return refuse("VERSION_CONFLICT", `You saw version ${expected}; it is at ${row_version}.`, {
    expected_row_version: expected,
    row_version,
  });
}
