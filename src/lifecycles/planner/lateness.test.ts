import { expect, test } from "vitest";
import { latenessOf } from "./lateness.ts";
import type { EstimatedTask, OpenBlocker } from "./lateness.ts";

const NOW = 1_000_000_000;
const minutes = (n: number) => n * 60_000;

function task(id: string, estimate_minutes: number | null, more: Partial<EstimatedTask> = {}): EstimatedTask {
  return { id, status: "blocked", estimate_minutes, started_at: null, ...more };
}

function after(edges: Record<string, EstimatedTask[]>) {
  return (id: string): OpenBlocker[] => (edges[id] ?? []).map((blocker) => ({ task_id: id, blocker }));
}

const none = after({});
const begun = { status: "in_progress", started_at: NOW - minutes(20) };

test.each<[string, EstimatedTask, (id: string) => OpenBlocker[], number, string | null, number]>([
  ["enough time is left", task("a", 60), none, 60, null, 60],
  ["its own estimate exceeds the time", task("a", 61), none, 60, "will_be_late", 61],
  ["no estimate", task("a", null), none, 1, null, 0],
  ["the time is over", task("a", null), none, -1, "late", 0],
  ["the time is over at this moment", task("a", 10), none, 0, "late", 10],
  ["work that was begun counts as far as it is left", task("a", 60, begun), none, 40, null, 40],
  ["work that was begun and is not quick enough", task("a", 60, begun), none, 39, "will_be_late", 40],
  ["work that takes longer than estimated", task("a", 10, begun), none, 1, null, 0],
  ["submitted work needs no more time", task("a", 60, { status: "submitted" }), none, 1, null, 0],
  ["a blocker counts", task("a", 30), after({ a: [task("b", 31)] }), 60, "will_be_late", 61],
  ["a blocker that was begun", task("a", 30), after({ a: [task("b", 50, begun)] }), 60, null, 60],
  [
    "blockers are done at the same time",
    task("a", 10),
    after({ a: [task("b", 40), task("c", 50)] }),
    60,
    null,
    60,
  ],
  [
    "the longest chain counts",
    task("a", 10),
    after({ a: [task("b", 5), task("c", 20)], b: [task("d", 50)], c: [task("d", 50)] }),
    79,
    "will_be_late",
    80,
  ],
  ["done", task("a", 99, { status: "done" }), none, -1, null, 0],
  ["canceled", task("a", 99, { status: "canceled" }), none, -1, null, 0],
])("%s", (_, one, blockers, dueIn, state, needs) => {
  const found = latenessOf({ ...one, due_at: NOW + minutes(dueIn) }, blockers, NOW);
  expect(found).toEqual(state === null ? null : { state, ready_at: NOW + minutes(needs) });
});

test("a task without a due date is never late", () => {
  expect(latenessOf({ ...task("a", 60), due_at: null }, none, NOW)).toBeNull();
});

test("a chain of 10,000 tasks is added up, and a diamond of 40 levels is not walked twice", () => {
  const chain = (id: string) =>
    Number(id) < 10_000 ? [{ task_id: id, blocker: task(String(Number(id) + 1), 1) }] : [];
  expect(latenessOf({ ...task("1", 1), due_at: NOW + 1 }, chain, NOW)?.ready_at).toBe(NOW + minutes(10_000));
  const diamond = (id: string) => {
    const level = Number(id.slice(1));
    if (level === 40) return [];
    return ["l", "r"].map((side) => ({ task_id: id, blocker: task(`${side}${level + 1}`, 1) }));
  };
  expect(latenessOf({ ...task("l0", 1), due_at: NOW + 1 }, diamond, NOW)?.ready_at).toBe(NOW + minutes(41));
});
