import { verdictOn } from "./report.ts";
import type { Report } from "./report.ts";

/** Prints a report to the terminal. */
export function printReport({ title, table, aims, notes }: Report): void {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? "").length)),
  );
  console.log(`\n${title}\n`);
  for (const row of table) console.log(`  ${lineOf(row, widths)}`);
  if (notes.length + aims.length > 0) console.log("");
  for (const note of notes) console.log(`  ${note}`);
  for (const aim of aims) {
    const verdict = verdictOn(aim);
    console.log(
      `  ${(aim.met === false ? verdict.toUpperCase() : verdict).padEnd(15)}  ${aim.text}: ${aim.figure}`,
    );
  }
}

/** Aligns figures right, and the first and last column left. */
function lineOf(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 || column === row.length - 1 ? cell.padEnd(width) : cell.padStart(width);
    })
    .join("   ")
    .trimEnd();
}
