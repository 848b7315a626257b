import type { Screen } from "./cli-environment.ts";
import { linesOf } from "./wrap.ts";

const GAP = "  ";

/** Formats a table; if it does not fit, the widest columns wrap. */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  screen: Pick<Screen, "colours" | "columns">,
): string {
  const widths = fit([head, ...rows], screen.columns);
  const { bold } = screen.colours;
  return [...rowLines(head, widths).map(bold), ...rows.flatMap((row) => rowLines(row, widths))].join("\n");
}

function fit(rows: readonly (readonly string[])[], columns: number): number[] {
  const columnsOfRows = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
  const widths = columnsOfRows.map((cells) => Math.max(...cells.map((cell) => cell.length)));
  const least = columnsOfRows.map((cells) =>
    Math.max(...cells.flatMap((cell) => cell.split(" ")).map((word) => word.length)),
  );
  const room = columns - GAP.length * (widths.length - 1);
  while (sum(widths) > room) {
    const slack = widths.map((width, column) => (width > (least[column] ?? 0) ? width : 0));
    const widest = slack.indexOf(Math.max(...slack));
    if (slack[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function rowLines(row: readonly string[], widths: readonly number[]): string[] {
  const cells = row.map((cell, column) => linesOf(cell, widths[column] ?? 0));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => (lines[line] ?? "").padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
