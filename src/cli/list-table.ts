import { cut, oneLine, widthOf } from "./display-width.ts";
import { isTty } from "./print.ts";
import type { Screen } from "./cli-environment.ts";

export type Column<Row> = {
  head: string;
  of: (row: Row) => string;
  /** Adds colours, after the text was cut to its width. */
  paint?: (text: string, row: Row) => string;
  /** If a line does not fit, the column may be cut down to this width. */
  cutTo?: number;
  /** If cutting is not enough, the column is left out, the lowest number first. */
  spare?: number;
  right?: true;
};

const GAP = "  ";

/** Formats rows, one line each. In a terminal lines are cut to fit; in a pipe nothing is cut or left out. */
export function listTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  screen: Pick<Screen, "colours" | "columns">,
): string {
  const drawn = columns.map((column) => draw(column, rows));
  // Empty columns are hidden in a terminal only: scripts rely on their positions.
  const visible = isTty(screen) ? drawn.filter(({ cells }) => cells.some((cell) => cell !== "")) : drawn;
  const fitting = fit(visible, screen.columns);
  const line = (texts: readonly string[], paint: (text: string, column: Column<Row>) => string) =>
    fitting
      .map(({ column, width }, index) => {
        const text = cut(texts[index] ?? "", width);
        const space = " ".repeat(Math.max(0, width - widthOf(text)));
        return column.right ? `${space}${paint(text, column)}` : `${paint(text, column)}${space}`;
      })
      .join(GAP)
      .trimEnd();
  const heads = fitting.map(({ column }) => column.head);
  const body = rows.map((row, number) =>
    line(
      fitting.map(({ cells }) => cells[number] ?? ""),
      (text, { paint }) => paint?.(text, row) ?? text,
    ),
  );
  return [line(heads, screen.colours.bold), ...body].join("\n");
}

type Drawn<Row> = { column: Column<Row>; cells: string[]; width: number };

function draw<Row>(column: Column<Row>, rows: readonly Row[]): Drawn<Row> {
  const cells = rows.map((row) => oneLine(column.of(row)));
  return { column, cells, width: Math.max(widthOf(column.head), ...cells.map(widthOf)) };
}

/** Leaves out spare columns, then cuts the widest ones, until a line fits. */
function fit<Row>(drawn: readonly Drawn<Row>[], room: number): Drawn<Row>[] {
  const least = drawn.map(({ column, width }) => Math.min(width, column.cutTo ?? width));
  const [first] = drawn.filter(({ column }) => column.spare).sort((a, b) => rank(a) - rank(b));
  if (first && lengthOf(least) > room)
    return fit(
      drawn.filter((one) => one !== first),
      room,
    );
  const widths = drawn.map(({ width }) => width);
  while (lengthOf(widths) > room) {
    const slack = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const widest = slack.indexOf(Math.max(...slack));
    if (!slack[widest]) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return drawn.map((one, index) => ({ ...one, width: widths[index] ?? one.width }));
}

function rank<Row>({ column: { spare = Infinity } }: Drawn<Row>): number {
  return spare;
}

function lengthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}
