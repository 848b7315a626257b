import picocolors from "picocolors";
import { expect, test } from "vitest";
import { cut, oneLine, widthOf } from "./display-width.ts";
import { listTable } from "./list-table.ts";
import type { Column } from "./list-table.ts";
import { progressBar } from "./progress-bar.ts";
import { readFields } from "./read-fields.ts";
import { relativeTime, formatDuration } from "./format-time.ts";
import { toTerminal } from "./terminal-text.ts";

type Row = { id: string; note: string; title: string; amount: number };
const COLUMNS: Column<Row>[] = [
  { head: "id", of: ({ id }) => id },
  { head: "note", of: ({ note }) => note, spare: 1 },
  { head: "title", of: ({ title }) => title, cutTo: 8 },
  { head: "n", of: ({ amount }) => String(amount), right: true },
];
const ROWS: Row[] = [
  { id: "a", note: "first", title: "Something long enough", amount: 7 },
  { id: "b", note: "", title: "漢字 here", amount: 12 },
];
const colours = picocolors.createColors(false);

test.each([
  [
    Infinity,
    [
      "id  note   title                   n",
      "a   first  Something long enough   7",
      "b          漢字 here              12",
    ],
  ],
  [
    30,
    ["id  note   title             n", "a   first  Something long…   7", "b          漢字 here        12"],
  ],
  [20, ["id  title          n", "a   Something l…   7", "b   漢字 here     12"]],
])("in %s columns the table leaves out spare columns, then cuts others", (columns, lines) => {
  expect(listTable(COLUMNS, ROWS, { colours, columns })).toBe(lines.join("\n"));
});

test("an empty column is left out in a terminal, and kept in a pipe", () => {
  const rows = ROWS.map((row) => ({ ...row, note: "" }));
  expect(listTable(COLUMNS, rows, { colours, columns: 80 })).not.toContain("note");
  expect(listTable(COLUMNS, rows, { colours, columns: Infinity })).toContain("note");
});

test.each([
  ["plain", 5],
  ["漢字", 4],
  ["e\u0301a", 2],
  ["👩‍🚀!", 3],
])("%j takes %i columns", (text, columns) => {
  expect(widthOf(text)).toBe(columns);
  expect(widthOf(cut(text, columns - 1))).toBeLessThanOrEqual(columns - 1);
});

test("untrusted text cannot move the cursor or reverse the direction of the line", () => {
  expect(oneLine("a\u001b[2Jb\r\nc\u202ed")).toBe("a [2Jb cd");
});

test.each([
  [900, "1 s"],
  [59_600, "1 min"],
  [3_599_000, "1 h"],
  [86_400_000 * 400, "400 d"],
])("%i ms are %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test("a time is shown relative to now", () => {
  const now = Date.parse("2026-01-05T12:00:00Z");
  expect(relativeTime(now, "2026-01-05T11:57:00Z")).toBe("3 min ago");
  expect(relativeTime(now, "2026-01-05T14:00:00Z")).toBe("in 2 h");
  expect(relativeTime(now, "2026-01-05T12:00:00.500Z")).toBe("now");
  expect(relativeTime(now, null)).toBe("");
});

test("fields are parsed by the schema: texts are used unchanged, the rest is JSON", () => {
  const schema = {
    properties: {
      title: { type: "string" },
      note: { anyOf: [{ type: "string" }, { type: "null" }] },
      level: { enum: ["low", "high"] },
      amount: { type: "integer" },
      tags: { type: "array" },
    },
  };
  const typed = ["title=12", "note=a=b", "level=high", "amount=3", 'tags=["x"]', "note:=null"];
  expect(readFields(typed, schema, "It")).toEqual({
    title: "12",
    note: null,
    level: "high",
    amount: 3,
    tags: ["x"],
  });
  expect(() => readFields(["toString=1"], schema, "It")).toThrow('It has no field "toString"');
});

test("a progress bar fills one line of a terminal and is cleared at the end; a pipe gets none", () => {
  const written: string[] = [];
  const write = (text: string) => written.push(toTerminal(text));
  const screen = { write, colours, columns: 40, rows: 24 };
  const bar = progressBar(screen, "tasks");
  bar.show({ done: 50, all: 200 });
  bar.show({ done: 0, all: 0 });
  bar.end();
  expect(written).toEqual([
    "\u001b[G█████░░░░░░░░░░░░░░░ 25 % of 200 tasks\u001b[K",
    "\u001b[G█████████████████████ 100 % of 0 tasks\u001b[K",
    "\u001b[G\u001b[K",
  ]);
  written.length = 0;
  progressBar({ ...screen, columns: Infinity }, "tasks").show({ done: 1, all: 2 });
  expect(written).toEqual([]);
});
