import { expect, test } from "vitest";
import type { Task } from "../../data/client.ts";
import { csvOf } from "./csv.ts";

const columns = [
  { title: "Title", text: ({ title }: Task) => title },
  { title: "Priority, number", text: ({ priority }: Task) => String(priority) },
];
const task = (title: string, priority = 1) => ({ title, priority }) as Task;

test.each([
  ["Plain", "Plain"],
  ["Commas, and more", '"Commas, and more"'],
  ['Says "hello"', '"Says ""hello"""'],
  ["Two\nlines", '"Two\nlines"'],
  ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
  ["@sum(1,2)", `"'@sum(1,2)"`],
  ["-1.5", "-1.5"],
  ["-one", "'-one"],
])("the title %j is written as %j", (title, written) => {
  expect(csvOf(columns, [task(title)])).toBe(`Title,"Priority, number"\r\n${written},1\r\n`);
});
