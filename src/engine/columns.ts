import type { JsonObject } from "../core/index.ts";

type Cell = string | number | boolean | null;

/**
 * One column of a statement's rows, as the text of an array (`$4::text::uuid[]`, unnested with its neighbours). Rows of
 * JSON cost the database three times as much to read: 12 µs for one of 29 columns against 4 µs.
 */
export function column(cells: readonly Cell[]): string {
  // Joined at once where nothing needs care: added up cell by cell, a column left a string behind for each of them.
  if (cells.length > 0 && cells.every(isPlainText)) return `{"${cells.join('","')}"}`;
  let text = "{";
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as Cell;
    if (i > 0) text += ",";
    text += typeof cell === "string" ? quoted(cell) : cell === null ? "NULL" : String(cell);
  }
  return `${text}}`;
}

/** A column that no row says anything in is not sent. */
export function sparseColumn(cells: readonly Cell[]): string | null {
  return cells.some((cell) => cell !== null) ? column(cells) : null;
}

/** JSON holds no bare control characters, so they can part the cells, and nothing needs quoting. */
const SEPARATOR = "\u001e";

/** A column of JSON, for `string_to_array($4::text, e'\x1e', '')`. */
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

/** What many rows share is sent once: rows name their kind by its place, counted from 1. */
export class Kinds<Kind extends readonly Cell[]> {
  readonly kinds: Kind[] = [];
  private readonly places = new Map<string, number>();

  placeOf(...kind: Kind): number {
    const key = kind.join(SEPARATOR);
    let place = this.places.get(key);
    if (place === undefined) {
      place = this.kinds.push(kind);
      this.places.set(key, place);
    }
    return place;
  }

  /** The kinds as columns, in the order of their parts. */
  columns(): string[] {
    const [first] = this.kinds;
    return (first ?? []).map((_, part) => column(this.kinds.map((kind) => kind[part] as Cell)));
  }
}
