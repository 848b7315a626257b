import { expect, test } from "vitest";
import { readTaskFile } from "./task-file.ts";

test("a file of tasks has refs and what comes after what, as a list or below `tasks`", () => {
  const text = "- ref: a\n  title: First\n- title: Second\n  after: a\n  priority: 3\n- Third";
  const [first, second, third] = readTaskFile("tasks.yaml", text);
  expect(first).toMatchObject({ ref: "a", title: "First", blocked_by: [], may_be_empty: false });
  expect(second).toMatchObject({ title: "Second", blocked_by: ["a"], priority: 3 });
  expect(third).toMatchObject({ title: "Third" });
  expect(readTaskFile("t", `tasks:\n${text}`)).toHaveLength(3);
});

test.each([
  ["", "there is no list of tasks"],
  ["tasks: {}", "there is no list of tasks"],
  ["- title: [", "at line"],
  ["- title: A\n- tittle: B", "task 2"],
  ["- title: ''", "task 1, title"],
  ["- title: A\n  on_failure: explode", "task 1, on_failure"],
  [Array.from({ length: 501 }, (_, n) => `- Task ${n}`).join("\n"), "501 tasks are more"],
])("%j is refused with its place: %s", (text, words) => {
  expect(() => readTaskFile("tasks.yaml", text)).toThrow(words);
});
