import type { PlannerImportMistake } from "./import-api.ts";

/** A mistake in one cell, or in a whole line. */
export function mistakeAt(line: number, column: string | null, message: string): PlannerImportMistake {
  return { path: column === null ? `line ${line}` : `line ${line}, ${column}`, line, column, message };
}

const MAX_MISTAKES = 200;

/** Sorts mistakes by line and keeps the first ones, so that an answer stays readable. */
export function firstMistakes(mistakes: readonly PlannerImportMistake[]): PlannerImportMistake[] {
  return mistakes.toSorted((one, other) => one.line - other.line).slice(0, MAX_MISTAKES);
}
