import { expect, test } from "vitest";
import { parseCsv } from "./csv.ts";

test.each([
  ["commas and quotes", 'a,b\n"1,""x""",2\n', [{ line: 2, cells: ['1,"x"', "2"] }]],
  ["semicolons, a byte order mark and CRLF", "\ufeffa;b\r\n1,5;да\r\n", [{ line: 2, cells: ["1,5", "да"] }]],
  ["tabs", "a\tb\n1\t\n", [{ line: 2, cells: ["1", ""] }]],
  ["quoted delimiters in the heading", '"a,,;";b\n1;2\n', [{ line: 2, cells: ["1", "2"] }]],
  ["old line ends", "a;b\r1;2\r", [{ line: 2, cells: ["1", "2"] }]],
  ["no line end at the end", "a,b\n1,2", [{ line: 2, cells: ["1", "2"] }]],
  [
    "rows of other lengths",
    "a,b\n1\n1,2,3\n",
    [
      { line: 2, cells: ["1"] },
      { line: 3, cells: ["1", "2", "3"] },
    ],
  ],
  [
    "empty lines and rows",
    "a,b\n\n1,2\n,\n3,4\n",
    [
      { line: 3, cells: ["1", "2"] },
      { line: 5, cells: ["3", "4"] },
    ],
  ],
  [
    "cells of several lines",
    'a,b\r\n"1\r\n2",x\r\n"3\n4",y\r\n5,z\r\n',
    [
      { line: 2, cells: ["1\n2", "x"] },
      { line: 4, cells: ["3\n4", "y"] },
      { line: 6, cells: ["5", "z"] },
    ],
  ],
  ["only a heading", "a,b", []],
])("reads %s", async (_what, text, rows) => {
  expect(await parseCsv(text)).toMatchObject({ rows });
});

test.each([
  ['a,b\n1,2\n"x', { line: 3, message: "not closed" }],
  ['a,b\n"x"y,2\n', { line: 2, message: "closing quote" }],
  ['a,b\nx"y,2\n', { line: 2, message: "within an unquoted cell" }],
])("reports the line of a syntax error in %j", async (text, { line, message }) => {
  expect(await parseCsv(text)).toEqual({ line, message: expect.stringContaining(message) as string });
});

test("reads no more rows than asked for", async () => {
  expect(await parseCsv('a\n1\n2\n3\n"', { maxRows: 2 })).toMatchObject({
    rows: [{ cells: ["1"] }, { cells: ["2"] }],
  });
});

test("an empty text has no heading", async () => {
  expect(await parseCsv("")).toEqual({ heading: [], rows: [] });
});
