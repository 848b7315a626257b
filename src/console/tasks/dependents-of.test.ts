import { expect, test } from "vitest";
import { dependentsOf } from "./dependents-of.ts";

const task = (id: string, final = false) => ({
  id,
  lifecycle: "planner",
  project_id: "main",
  title: id,
  status: "blocked",
  final,
  assigned_to: null,
});
const edge = (task_id: string, blocker_id: string, more: object = {}) => ({
  task_id,
  blocker_id,
  on_failure: "wait" as const,
  resolved: false,
  ...more,
});

test("tasks that wait directly or through others stay blocked; the rest does not", () => {
  const tasks = ["a", "b", "c", "before", "goes on", "resolved"].map((id) => task(id));
  const dependencies = [
    edge("a", "before"),
    edge("b", "a"),
    edge("c", "b"),
    edge("c", "a"),
    edge("goes on", "a", { on_failure: "proceed" }),
    edge("resolved", "a", { resolved: true }),
    edge("finished", "a"),
    edge("hidden", "a"),
  ];
  const found = dependentsOf("a", { tasks: [...tasks, task("finished", true)], dependencies });
  expect(found.map(({ id }) => id)).toEqual(["b", "c"]);
});
