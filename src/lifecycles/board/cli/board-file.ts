import { isMap, isSeq, LineCounter } from "yaml";
import type { Node } from "yaml";
import { z } from "zod";
import { parseYaml } from "../../../std/parse-yaml.ts";
import { CliError, count, EXIT, oneLine } from "../../../plugin/index.ts";
import { isCsvMistake, parseCsv } from "../../../std/csv.ts";
import { creationFields } from "../lifecycle.ts";

const MAX_ROWS = 5_000;
const MAX_SHOWN_MISTAKES = 20;

const entry = creationFields
  .partial({ priority: true, visibility: true, blocked_by: true })
  .extend({ ref: z.string().trim().min(1).max(200).optional() })
  .strict();

/** A task of a file. `blocked_by` names refs of the file or ids. */
export type FileTask = z.output<typeof entry> & { line: number };
type Mistake = { line: number; message: string };
type Entry = { line: number; value: unknown };

/** Columns and fields with several values, separated by commas in a table. */
const LISTS = new Set(["blocked_by", "labels"]);

/** Reads the tasks of a CSV, JSON or YAML file in an order in which blockers come first. Every mistake is reported with its line. */
export async function readBoardFile(name: string, text: string): Promise<FileTask[]> {
  const entries = /\.csv$/i.test(name) ? await csvEntries(text) : documentEntries(text);
  if (!Array.isArray(entries)) throw invalid(name, entries.mistakes);
  if (entries.length === 0) throw invalid(name, [{ line: 1, message: "no tasks found" }]);
  if (entries.length > MAX_ROWS)
    throw invalid(name, [
      { line: entries[MAX_ROWS]?.line ?? 1, message: `more than ${MAX_ROWS} tasks; split the file` },
    ]);
  const tasks: FileTask[] = [];
  const mistakes: Mistake[] = [];
  for (const { line, value } of entries) {
    const parsed = entry.safeParse(value);
    if (parsed.success) tasks.push({ ...parsed.data, line });
    else
      for (const { path, message } of parsed.error.issues)
        mistakes.push({ line, message: path.length === 0 ? message : `${path.join(".")}: ${message}` });
  }
  const sorted = mistakes.length > 0 ? { mistakes } : blockersFirst(tasks);
  if (!Array.isArray(sorted)) throw invalid(name, sorted.mistakes);
  return sorted;
}

async function csvEntries(text: string): Promise<Entry[] | { mistakes: Mistake[] }> {
  const parsed = await parseCsv(text);
  if (isCsvMistake(parsed)) return { mistakes: [parsed] };
  const heading = parsed.heading.map((cell) => cell.toLowerCase());
  const known = Object.keys(entry.shape);
  const unknown = heading.filter((column) => !known.includes(column));
  if (unknown.length > 0)
    return {
      mistakes: unknown.map((column) => ({
        line: 1,
        message: `"${column}" is not a known column; the columns are ${known.join(", ")}`,
      })),
    };
  return parsed.rows.map(({ line, cells }) => ({
    line,
    value: Object.fromEntries(
      cells.flatMap((cell, index) => {
        const column = heading[index] ?? "(a cell more than the heading)";
        if (cell === "") return [];
        return [[column, LISTS.has(column) ? cell.split(",").map((one) => one.trim()) : cell]];
      }),
    ),
  }));
}

function documentEntries(text: string): Entry[] | { mistakes: Mistake[] } {
  const lines = new LineCounter();
  const document = parseYaml(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line || 1;
  if (document.errors.length > 0)
    return { mistakes: document.errors.map(({ message, pos }) => ({ line: lineAt(pos[0]), message })) };
  const root = document.contents;
  const list = isMap(root) ? root.get("tasks", true) : root;
  if (!isSeq(list)) return { mistakes: [{ line: 1, message: "a list of tasks is expected" }] };
  return list.items.map((node) => ({
    line: lineAt((node as Node).range?.[0]),
    value: (node as Node).toJS(document) as unknown,
  }));
}

/** Sorts tasks so that each comes after those that it waits for; refs that occur twice or wait for themselves are mistakes. */
function blockersFirst(tasks: readonly FileTask[]): FileTask[] | { mistakes: Mistake[] } {
  const byRef = new Map<string, FileTask>();
  const mistakes: Mistake[] = [];
  for (const task of tasks) {
    if (task.ref === undefined) continue;
    const first = byRef.get(task.ref);
    if (first)
      mistakes.push({ line: task.line, message: `ref: "${task.ref}" is also the ref of line ${first.line}` });
    else byRef.set(task.ref, task);
  }
  const sorted = new Set<FileTask>();
  const open = new Set<FileTask>();
  const visit = (task: FileTask): void => {
    if (sorted.has(task)) return;
    if (open.has(task)) {
      mistakes.push({ line: task.line, message: `blocked_by: the task waits for itself` });
      return;
    }
    open.add(task);
    for (const name of task.blocked_by ?? []) {
      const blocker = byRef.get(name);
      if (blocker) visit(blocker);
    }
    sorted.add(task);
  };
  for (const task of tasks) visit(task);
  return mistakes.length > 0 ? { mistakes } : [...sorted];
}

function invalid(name: string, mistakes: readonly Mistake[]): CliError {
  const shown = mistakes.slice(0, MAX_SHOWN_MISTAKES);
  const more = mistakes.length - shown.length;
  return new CliError(EXIT.usage, `${count(mistakes.length, "mistake")} in ${name}; nothing was created.`, {
    hints: [
      ...shown.map(({ line, message }) => `${name}:${line}: ${oneLine(message)}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
    document: { code: "INVALID_TASK_FILE", file: name, errors: mistakes },
  });
}
