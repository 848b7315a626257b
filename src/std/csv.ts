/** A table: the cells of its heading, and its rows with the line on which each begins. */
export type CsvTable = { heading: string[]; rows: { line: number; cells: string[] }[] };

/** A syntax error, with its line. */
export type CsvMistake = { line: number; message: string };

const DELIMITERS = [",", ";", "\t"];

/**
 * Parses CSV with a heading. The delimiter is the one that occurs most often in the heading; a byte order mark, quoted cells
 * and all line ends are read (in cells as LF), and empty lines are left out. After `maxRows` rows, the rest is not read.
 */
export async function parseCsv(
  text: string,
  { maxRows }: { maxRows?: number } = {},
): Promise<CsvTable | CsvMistake> {
  // Loaded on use: most processes never read CSV.
  const { CsvError, parse } = await import("csv-parse/sync");
  const delimiter = delimiterOf(text);
  try {
    // One kind of line end: the parser counts the two characters of a quoted CRLF as two lines.
    const records = parse(text.replaceAll(/\r\n?/g, "\n"), {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      // The heading is a record as well.
      ...(maxRows === undefined ? {} : { to: maxRows + 1 }),
      trim: delimiter !== "\t",
    }) as unknown as { record: string[]; info: { lines: number } }[];
    const [head, ...rows] = records.map(({ record, info }) => ({
      // The parser counts lines at the end of a record.
      line: info.lines - record.reduce((lines, cell) => lines + lineBreaksIn(cell), 0),
      cells: record,
    }));
    return { heading: head?.cells ?? [], rows };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { line: Number(error.lines ?? 1), message: MESSAGES[error.code] ?? error.message };
  }
}

/** Returns true for a syntax error. */
export function isCsvMistake(parsed: CsvTable | CsvMistake): parsed is CsvMistake {
  return "message" in parsed;
}

const MESSAGES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quoted cell is not closed; add the closing quote",
  CSV_INVALID_CLOSING_QUOTE: "text follows a closing quote; write a quote inside a quoted cell twice",
  INVALID_OPENING_QUOTE: "a quote within an unquoted cell; quote the whole cell, and write the quote twice",
};

function delimiterOf(text: string): string {
  const [heading = ""] = text.replaceAll(/"[^"]*"/g, "").split(/[\r\n]/, 1);
  const amount = (delimiter: string) => heading.split(delimiter).length;
  return DELIMITERS.reduce((best, one) => (amount(one) > amount(best) ? one : best));
}

function lineBreaksIn(cell: string): number {
  return cell.split("\n").length - 1;
}
