import { z } from "zod";
import { fields } from "../../api/index.ts";
import { MAX_LIST_LENGTH } from "../../core/index.ts";
import { isCsvMistake, parseCsv } from "../../std/csv.ts";
import { taskFields } from "./fields.ts";
import { columnOf, IMPORT_COLUMNS, MAX_IMPORT_ROWS } from "./import-columns.ts";
import type { ImportColumn } from "./import-columns.ts";
import type { PlannerImportMistake } from "./import-api.ts";
import { firstMistakes, mistakeAt } from "./import-mistake.ts";
import { momentOf } from "./shift-calendar.ts";
import { refsInCycles } from "./template-graph.ts";

/** A row of a table; `deliverable` and `depends_on` are as written. */
export type ImportRow = {
  line: number;
  ref: string;
  title: string;
  description: string | null;
  priority: number;
  required_trade: string | null;
  deliverable: string | null;
  due_at: string | null;
  estimate_minutes: number | null;
  depends_on: string[];
};

export type ReadImport = { rows: ImportRow[]; mistakes: PlannerImportMistake[] };

/** Names of other rows, separated by commas, semicolons or line breaks. */
const SEPARATORS = /[,;\n]/;
const MAX_NAME = 200;
const MAX_COLUMNS = 100;

/** Reads a table of tasks. Rows with mistakes are left out of `rows`. */
export async function readImport(csv: string, time_zone: string | null): Promise<ReadImport> {
  const parsed = await parseCsv(csv, { maxRows: MAX_IMPORT_ROWS + 1 });
  if (isCsvMistake(parsed)) return only(parsed.line, parsed.message);
  const { heading, rows: lines } = parsed;
  if (heading.length === 0)
    return only(1, "the table is empty; begin with a heading such as ref,title,depends_on");
  if (heading.length > MAX_COLUMNS) return only(1, `more than ${MAX_COLUMNS} columns; remove the empty ones`);
  const columns = heading.map(columnOf);
  const mistakes = headingMistakes(heading, columns);
  if (mistakes.length > 0) return { rows: [], mistakes };
  if (lines.length === 0) return only(2, "the table has no rows; add one line per task");
  if (lines.length > MAX_IMPORT_ROWS)
    return only(lines[MAX_IMPORT_ROWS]?.line ?? 1, `more than ${MAX_IMPORT_ROWS} rows; split the table`);
  const rows: ImportRow[] = [];
  for (const { line, cells } of lines) {
    const read = readRow({ line, cells, columns, time_zone });
    mistakes.push(...read.mistakes);
    if (read.row) rows.push(read.row);
  }
  mistakes.push(...graphMistakes(rows, new Set(mistakes.map(({ line }) => line)), lines.length));
  return { rows, mistakes: firstMistakes(mistakes) };
}

function only(line: number, message: string): ReadImport {
  return { rows: [], mistakes: [mistakeAt(line, null, message)] };
}

function headingMistakes(
  heading: readonly string[],
  columns: readonly (ImportColumn | undefined)[],
): PlannerImportMistake[] {
  const known = Object.keys(IMPORT_COLUMNS).join(", ");
  const wrong = heading.flatMap((name, index) => {
    const column = columns[index];
    if (column === undefined) return [mistakeAt(1, name, `is not a known column; the columns are ${known}`)];
    return columns.indexOf(column) < index
      ? [mistakeAt(1, name, `is a second column ${column}; remove one`)]
      : [];
  });
  if (wrong.length === 0 && !columns.includes("title"))
    wrong.push(mistakeAt(1, "title", "is missing; name the column with the titles of the tasks title"));
  return wrong;
}

type Cells = { line: number; cells: readonly string[]; columns: readonly (ImportColumn | undefined)[] };

function readRow({ line, cells, columns, time_zone }: Cells & { time_zone: string | null }): {
  row?: ImportRow;
  mistakes: PlannerImportMistake[];
} {
  if (cells.slice(columns.length).some((cell) => cell !== ""))
    return {
      mistakes: [
        mistakeAt(line, null, "has more cells than the heading; quote cells that contain the delimiter"),
      ],
    };
  const given = Object.fromEntries(
    cells.flatMap((cell, index) => {
      const column = columns[index];
      return column === undefined || cell.trim() === "" ? [] : [[column, cell.trim()]];
    }),
  ) as Partial<Record<ImportColumn, string>>;
  const parsed = rowFields(time_zone).safeParse(given);
  if (!parsed.success)
    return {
      mistakes: parsed.error.issues.map(({ path, message }) => mistakeAt(line, String(path[0]), message)),
    };
  const { ref = `line ${line}`, depends_on = [], ...fields } = parsed.data;
  const empty = {
    description: null,
    required_trade: null,
    deliverable: null,
    due_at: null,
    estimate_minutes: null,
  };
  return { row: { ...empty, priority: 0, ...defined(fields), line, ref, depends_on }, mistakes: [] };
}

function defined<T extends { title: string }>(fields: T) {
  return Object.fromEntries(Object.entries<unknown>(fields).filter(([, value]) => value != null)) as {
    [Key in keyof T]: NonNullable<T[Key]>;
  };
}

const name = fields.name.max(MAX_NAME, `must have at most ${MAX_NAME} characters`);

function rowFields(time_zone: string | null) {
  return z.object({
    ref: name.optional(),
    title: taskFields.title
      .optional()
      .refine((title) => title !== undefined, "is empty; write the title of the task")
      .transform(String),
    description: fields.text.optional(),
    priority: wholeNumber(-1_000_000, 1_000_000),
    required_trade: name.optional(),
    deliverable: name.optional(),
    due_at: dueDate(time_zone),
    estimate_minutes: wholeNumber(1, 525_600),
    depends_on: z
      .string()
      .transform((cell) =>
        [...new Set(cell.split(SEPARATORS).map((one) => one.trim()))].filter((one) => one !== ""),
      )
      .refine((names) => names.length <= MAX_LIST_LENGTH, `must name at most ${MAX_LIST_LENGTH} tasks`)
      .optional(),
  });
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^[+-]?\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((number) => number >= min && number <= max, `must be a whole number from ${min} to ${max}`)
    .optional();
}

/** Accepts 2026-12-31T16:00:00Z, and with a time zone also 2026-12-31 16:00 and 31.12.2026 16:00. */
function dueDate(time_zone: string | null) {
  return z
    .string()
    .transform((cell, context) => {
      const at = momentIn(cell, time_zone);
      if (at !== null) return new Date(at).toISOString();
      const example =
        time_zone === null ? "2026-12-31T16:00:00+03:00" : "2026-12-31 16:00 or 31.12.2026 16:00";
      context.addIssue({ code: "custom", message: `"${cell}" is not a moment; write it as ${example}` });
      return z.NEVER;
    })
    .optional();
}

function momentIn(cell: string, time_zone: string | null): number | null {
  if (fields.givenMoment.safeParse(cell).success) return Date.parse(cell);
  if (time_zone === null) return null;
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d)?$/.exec(cell) ?? [];
  if (date !== undefined && time !== undefined) return momentOf(date, time, time_zone);
  const [, day, month, year, clock] = /^(\d\d)\.(\d\d)\.(\d{4}) (\d\d:\d\d)(?::\d\d)?$/.exec(cell) ?? [];
  return clock === undefined ? null : momentOf(`${year ?? ""}-${month ?? ""}-${day ?? ""}`, clock, time_zone);
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Finds refs that occur twice, that no row has, and that wait for themselves. Ids of existing tasks are checked later. */
function graphMistakes(
  rows: readonly ImportRow[],
  wrongLines: ReadonlySet<number>,
  all: number,
): PlannerImportMistake[] {
  const first = new Map<string, number>();
  for (const { ref, line } of rows) if (!first.has(ref)) first.set(ref, line);
  const mistakes = rows
    .filter(({ ref, line }) => first.get(ref) !== line)
    .map(({ ref, line }) =>
      mistakeAt(
        line,
        "ref",
        `"${ref}" is also the ref of line ${first.get(ref) ?? 0}; each row needs its own`,
      ),
    );
  // A row with a mistake may be the one that is named.
  if (wrongLines.size > 0 && rows.length < all) return mistakes;
  for (const { line, depends_on } of rows)
    for (const named of depends_on)
      if (!first.has(named) && !UUID.test(named))
        mistakes.push(
          mistakeAt(
            line,
            "depends_on",
            `no row has the ref "${named}"; use a ref of this table or the id of a task`,
          ),
        );
  if (mistakes.length > 0) return mistakes;
  const cyclic = new Set(refsInCycles(rows));
  return rows
    .filter(({ ref }) => cyclic.has(ref))
    .map(({ ref, line }) =>
      mistakeAt(
        line,
        "depends_on",
        `"${ref}" waits for itself, directly or through other rows; remove one of the dependencies`,
      ),
    );
}
