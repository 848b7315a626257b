import { expect, test } from "vitest";
import { readTaskFile } from "./task-file.ts";

test("a file contains tasks with refs and dependencies, as a list or below `tasks`", () => {
  const text = "- ref: a\n  title: First\n- title: Second\n  after: a\n  priority: 3\n- Third";
  const [first, second, third] = readTaskFile("tasks.yaml", text);
  expect(first).toMatchObject({ ref: "a", title: "First", blocked_by: [], may_be_empty: false });
  expect(second).toMatchObject({ title: "Second", blocked_by: ["a"], priority: 3 });
  expect(third).toMatchObject({ title: "Third" });
  expect(readTaskFile("t", `tasks:\n${text}`)).toHaveLength(3);
});

test.each([
  ["", "no list of tasks found"],
  ["tasks: {}", "no list of tasks found"],
  ["- title: [", "at line"],
  ["- title: A\n- tittle: B", "task 2"],
  ["- title: ''", "task 1, title"],
  ["- title: A\n  on_failure: explode", "task 1, on_failure"],
  [Array.from({ length: 501 }, (_, n) => `- Task ${n}`).join("\n"), "501 tasks exceed the maximum"],
])("%j is refused with the position of the mistake: %s", (text, message) => {
  expect(() => readTaskFile("tasks.yaml", text)).toThrow(message);
});
