/** A row of the live view. */
export type ViewRow<T> = {
  line: T;
  /** The task that it selects; null: none. */
  id: string | null;
  kind: "agent" | "output" | "result" | "space";
};

/** The kinds of rows that a small screen leaves out, in this order. */
const LEFT_OUT = ["space", "result", "output", "agent"] as const;

/**
 * Chooses the rows for a screen of a limited height. Results are left out from the oldest one, agents from the one farthest from
 * the selected task, whose row stays.
 */
export function fitRows<T>(rows: readonly ViewRow<T>[], height: number, selected: string | null): T[] {
  const at = rows.findIndex(({ id }) => id !== null && id === selected);
  const distance = (row: ViewRow<T>) => (row.kind === "agent" ? Math.abs(rows.indexOf(row) - at) : 0);
  const expendable = rows
    .filter((_, index) => index !== at)
    .sort((a, b) => LEFT_OUT.indexOf(a.kind) - LEFT_OUT.indexOf(b.kind) || distance(b) - distance(a));
  const left = new Set(expendable.slice(0, Math.max(0, rows.length - height)));
  return rows.filter((row) => !left.has(row)).map(({ line }) => line);
}
