import fc from "fast-check";
import { expect, test } from "vitest";
import { layoutTasks } from "../../src/console/screens/graph/task-layout.ts";
import type { PlacedBox } from "../../src/console/screens/graph/task-layout.ts";
import { neighbourInDirection } from "../../src/console/screens/graph/neighbours.ts";
import { reachOf, dependencyState } from "../../src/console/screens/graph/task-dependencies.ts";

const box = (id: string) => ({ id, width: 204, height: 68 });
const edge = (from: string, to: string) => ({ id: `${from} ${to}`, from, to });
const dependency = (blocker_id: string, task_id: string, resolved = false) => ({
  blocker_id,
  task_id,
  resolved,
  on_failure: "wait" as const,
});

function overlapping(boxes: readonly PlacedBox[]): string[] {
  return boxes.flatMap((one, at) =>
    boxes
      .slice(at + 1)
      .filter(
        (other) =>
          one.x < other.x + other.width &&
          other.x < one.x + one.width &&
          one.y < other.y + other.height &&
          other.y < one.y + one.height,
      )
      .map((other) => `${one.id} ${other.id}`),
  );
}

test("300 boxes with any dependencies are all placed, without overlap", () => {
  const ids = Array.from({ length: 300 }, (_, index) => `t${index}`);
  const position = fc.nat({ max: 299 });
  fc.assert(
    fc.property(fc.array(fc.tuple(position, position), { maxLength: 600 }), (pairs) => {
      const edges = pairs.map(([from, to]) => edge(ids[from]!, ids[to]!));
      const { boxes: boxes, width, height } = layoutTasks(ids.map(box), edges);
      expect(boxes.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      expect(overlapping(boxes)).toEqual([]);
      expect(boxes.every(({ x, y }) => x >= 0 && y >= 0)).toBe(true);
      expect(
        boxes.every((placed) => placed.x + placed.width <= width && placed.y + placed.height <= height),
      ).toBe(true);
    }),
    { numRuns: 12 },
  );
});

test("a task is placed to the right of its blockers", () => {
  const { boxes: boxes } = layoutTasks(["a", "b", "c", "d", "alone"].map(box), [
    edge("a", "b"),
    edge("b", "c"),
    edge("a", "d"),
  ]);
  const x = (id: string) => boxes.find((placed) => placed.id === id)!.x;
  expect(x("b")).toBeGreaterThan(x("a"));
  expect(x("c")).toBeGreaterThan(x("b"));
  expect(x("d")).toBeGreaterThan(x("a"));
});

test("a hundred dependents of one task are wider than high", () => {
  const waiting = Array.from({ length: 100 }, (_, index) => `w${index}`);
  const { width, height } = layoutTasks(
    ["one", ...waiting].map(box),
    waiting.map((id) => edge("one", id)),
  );
  expect(height).toBeLessThan(width);
});

test("the reach of a task follows all dependencies, and stops in a cycle", () => {
  const dependencies = [
    dependency("a", "b"),
    dependency("b", "c"),
    dependency("c", "d"),
    dependency("x", "c"),
    dependency("d", "b"),
  ];
  const { before, after } = reachOf(dependencies, "c");
  expect([...before].toSorted()).toEqual(["a", "b", "d", "x"]);
  expect([...after].toSorted()).toEqual(["b", "d"]);
});

test.each([
  ["resolved", dependency("a", "b", true), true],
  ["blocks", dependency("a", "b"), false],
  ["failed", dependency("a", "b"), true],
  ["blocks", { ...dependency("a", "b"), on_failure: "proceed" as const }, true],
])("state %s: %j if the blocker is final: %s", (state, given, final) => {
  const blocker = { id: "a", final } as Parameters<typeof dependencyState>[1];
  expect(dependencyState(given, blocker)).toBe(state);
});

test("arrow keys follow dependencies and move to the boxes above and below", () => {
  const { boxes: boxes } = layoutTasks(["a", "b", "c"].map(box), [edge("a", "b"), edge("a", "c")]);
  const byId = new Map(boxes.map((placed) => [placed.id, placed]));
  const dependencies = [dependency("a", "b"), dependency("a", "c")];
  const [upper, lower] = byId.get("b")!.y < byId.get("c")!.y ? ["b", "c"] : ["c", "b"];
  expect(neighbourInDirection(dependencies, byId, upper, "ArrowLeft")).toBe("a");
  expect(["b", "c"]).toContain(neighbourInDirection(dependencies, byId, "a", "ArrowRight"));
  expect(neighbourInDirection(dependencies, byId, upper, "ArrowDown")).toBe(lower);
  expect(neighbourInDirection(dependencies, byId, lower, "ArrowUp")).toBe(upper);
  expect(neighbourInDirection(dependencies, byId, "a", "ArrowLeft")).toBe(null);
});
