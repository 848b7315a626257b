import { cut, oneLine, widthOf } from "./display-width.ts";
import type { Screen } from "./surroundings.ts";

export type Column<Row> = {
  head: string;
  of: (row: Row) => string;
  /** Colours, put on when the width is known. */
  paint?: (text: string, row: Row) => string;
  /** Gives way where a line does not fit: its text is cut, down to the width of its head or to this. */
  cutTo?: number;
  right?: true;
};

const GAP = "  ";

/** Rows of things, a line each. In a terminal no line is too long; elsewhere nothing is cut. */
export function listTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  screen: Pick<Screen, "colours" | "columns">,
): string {
  const { bold } = screen.colours;
  const cells = rows.map((row) => columns.map((column) => oneLine(column.of(row))));
  // A column in which nothing stands says nothing.
  const told = columns.map((_, index) => cells.length === 0 || cells.some((line) => line[index] !== ""));
  const widths = fit(columns, cells, told, screen.columns);
  const line = (texts: readonly string[], paint: (text: string, index: number) => string) =>
    columns
      .flatMap(({ right }, index) => {
        if (!told[index]) return [];
        const width = widths[index] ?? 0;
        const text = cut(texts[index] ?? "", width);
        const space = " ".repeat(Math.max(0, width - widthOf(text)));
        return [right ? `${space}${paint(text, index)}` : `${paint(text, index)}${space}`];
      })
      .join(GAP)
      .trimEnd();
  const head = line(
    columns.map((column) => column.head),
    bold,
  );
  const body = rows.map((row, number) =>
    line(cells[number] ?? [], (text, index) => columns[index]?.paint?.(text, row) ?? text),
  );
  return [head, ...body].join("\n");
}

function fit<Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
  told: readonly boolean[],
  room: number,
): number[] {
  const widths = columns.map(({ head }, index) =>
    told[index] ? Math.max(widthOf(head), ...cells.map((line) => widthOf(line[index] ?? ""))) : 0,
  );
  const gaps = GAP.length * (told.filter(Boolean).length - 1);
  let excess = widths.reduce((sum, width) => sum + width, gaps) - room;
  // The widest gives way first, so that what is short stays whole.
  while (excess > 0) {
    const slack = columns.map(({ cutTo }, index) =>
      cutTo !== undefined && told[index] && (widths[index] ?? 0) > cutTo ? (widths[index] ?? 0) : 0,
    );
    const widest = slack.indexOf(Math.max(...slack));
    if ((slack[widest] ?? 0) === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess--;
  }
  return widths;
}
