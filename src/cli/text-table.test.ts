import picocolors from "picocolors";
import { expect, test } from "vitest";
import { textTable } from "./text-table.ts";

const HEAD = ["action", "from", "who"];
const ROWS = [
  ["start", "NEW", "assignee"],
  ["comment", "NEW, IN_PROGRESS, BLOCKED", "anyone but the assignee"],
];

function drawn(columns: number): string {
  return textTable(HEAD, ROWS, { colours: picocolors.createColors(false), columns });
}

test("a row is one line if it fits", () => {
  expect(drawn(Infinity)).toBe(
    [
      "action   from                       who",
      "start    NEW                        assignee",
      "comment  NEW, IN_PROGRESS, BLOCKED  anyone but the assignee",
    ].join("\n"),
  );
});

test("if rows do not fit, the widest columns wrap and no line is too long", () => {
  expect(drawn(45)).toBe(
    [
      "action   from               who",
      "start    NEW                assignee",
      "comment  NEW, IN_PROGRESS,  anyone but the",
      "         BLOCKED            assignee",
    ].join("\n"),
  );
});

test("a word is never broken, however narrow the terminal is", () => {
  for (const word of ["comment", "IN_PROGRESS,", "assignee"]) expect(drawn(1)).toContain(word);
});
