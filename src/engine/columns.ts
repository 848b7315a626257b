import type { JsonObject } from "../core/index.ts";

type Cell = string | number | boolean | null;

/**
 * Encodes one column of a statement's rows as the text of an array (`$4::text::uuid[]`, unnested with the other columns). Rows as
 * JSON cost the database three times as much to parse: 12 µs instead of 4 µs for a row of 29 columns.
 */
export function column(cells: readonly Cell[]): string {
  // Join in one call if nothing needs quoting: concatenating cell by cell allocates a string for each cell.
  if (cells.length > 0 && cells.every(isPlainText)) return `{"${cells.join('","')}"}`;
  let text = "{";
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as Cell;
    if (i > 0) text += ",";
    text += typeof cell === "string" ? quoted(cell) : cell === null ? "NULL" : String(cell);
  }
  return `${text}}`;
}

/** Encodes a column; null, which is not sent, if all its cells are null. */
export function sparseColumn(cells: readonly Cell[]): string | null {
  return cells.some((cell) => cell !== null) ? column(cells) : null;
}

/** JSON contains no raw control characters, so one can separate the cells, and nothing needs quoting. */
const SEPARATOR = "\u001e";

/** Encodes a column of JSON for `string_to_array($4::text, e'\x1e', '')`. */
export function jsonColumn(cells: readonly (JsonObject | null)[]): string | null {
  if (!cells.some((cell) => cell !== null)) return null;
  return cells.map((cell) => (cell === null ? "" : JSON.stringify(cell))).join(SEPARATOR);
}

function isPlainText(cell: Cell): boolean {
  return typeof cell === "string" && !cell.includes('"') && !cell.includes("\\");
}

function quoted(text: string): string {
  return isPlainText(text) ? `"${text}"` : `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Dictionary encoding: values that many rows share are sent once, and each row has the index of its entry, counted from 1. */
export class Dictionary<Entry extends readonly Cell[]> {
  readonly entries: Entry[] = [];
  private readonly indexes = new Map<string, number>();

  /** Returns the index of an entry; adds it if it is new. */
  indexOf(...entry: Entry): number {
    const key = entry.join(SEPARATOR);
    let index = this.indexes.get(key);
    if (index === undefined) {
      index = this.entries.push(entry);
      this.indexes.set(key, index);
    }
    return index;
  }

  /** Returns the entries as columns. */
  columns(): string[] {
    const [first] = this.entries;
    return (first ?? []).map((_, part) => column(this.entries.map((entry) => entry[part] as Cell)));
  }
}
