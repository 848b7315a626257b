import type { PlannerImportMistake } from "./import-api.ts";

/** A mistake in one cell, or in a whole line. */
export function mistakeAt(line: number, column: string | null, message: string): PlannerImportMistake {
  return { path: column === null ? `line ${line}` : `line ${line}, ${column}`, line, column, message };
}
