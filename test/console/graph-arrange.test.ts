import fc from "fast-check";
import { expect, test } from "vitest";
import { arrange } from "../../src/console/screens/graph/arrange.ts";
import type { Spot } from "../../src/console/screens/graph/arrange.ts";
import { nextInDirection } from "../../src/console/screens/graph/step.ts";
import { reachOf, tieState } from "../../src/console/screens/graph/ties.ts";

const box = (id: string) => ({ id, width: 204, height: 68 });
const edge = (from: string, to: string) => ({ id: `${from} ${to}`, from, to });
const tie = (blocker_id: string, task_id: string, resolved = false) => ({
  blocker_id,
  task_id,
  resolved,
  on_failure: "wait" as const,
});

function overlapping(spots: readonly Spot[]): string[] {
  return spots.flatMap((one, at) =>
    spots
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

test("of 300 boxes, however they are tied, none overlaps another, and none is lost", () => {
  const ids = Array.from({ length: 300 }, (_, index) => `t${index}`);
  const place = fc.nat({ max: 299 });
  fc.assert(
    fc.property(fc.array(fc.tuple(place, place), { maxLength: 600 }), (pairs) => {
      const edges = pairs.map(([from, to]) => edge(ids[from]!, ids[to]!));
      const { spots, width, height } = arrange(ids.map(box), edges);
      expect(spots.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      expect(overlapping(spots)).toEqual([]);
      expect(spots.every(({ x, y }) => x >= 0 && y >= 0)).toBe(true);
      expect(spots.every((spot) => spot.x + spot.width <= width && spot.y + spot.height <= height)).toBe(
        true,
      );
    }),
    { numRuns: 12 },
  );
});

test("what waits stands right of what it waits for; what is tied to nobody stands aside", () => {
  const { spots } = arrange(["a", "b", "c", "d", "alone"].map(box), [
    edge("a", "b"),
    edge("b", "c"),
    edge("a", "d"),
  ]);
  const x = (id: string) => spots.find((spot) => spot.id === id)!.x;
  expect(x("b")).toBeGreaterThan(x("a"));
  expect(x("c")).toBeGreaterThan(x("b"));
  expect(x("d")).toBeGreaterThan(x("a"));
});

test("a hundred that wait for one do not make a tower", () => {
  const waiting = Array.from({ length: 100 }, (_, index) => `w${index}`);
  const { width, height } = arrange(
    ["one", ...waiting].map(box),
    waiting.map((id) => edge("one", id)),
  );
  expect(height).toBeLessThan(width);
});

test("the reach of a task goes as far as the ties do, and a ring ends", () => {
  const ties = [tie("a", "b"), tie("b", "c"), tie("c", "d"), tie("x", "c"), tie("d", "b")];
  const { before, after } = reachOf(ties, "c");
  expect([...before].toSorted()).toEqual(["a", "b", "d", "x"]);
  expect([...after].toSorted()).toEqual(["b", "d"]);
});

test.each([
  ["over", tie("a", "b", true), true],
  ["holds", tie("a", "b"), false],
  ["dead", tie("a", "b"), true],
  ["holds", { ...tie("a", "b"), on_failure: "proceed" as const }, true],
])("a tie %s: %j where the blocker is final: %s", (state, given, final) => {
  const blocker = { id: "a", final } as Parameters<typeof tieState>[1];
  expect(tieState(given, blocker)).toBe(state);
});

test("arrows go along ties and to what stands beside", () => {
  const { spots } = arrange(["a", "b", "c"].map(box), [edge("a", "b"), edge("a", "c")]);
  const byId = new Map(spots.map((spot) => [spot.id, spot]));
  const ties = [tie("a", "b"), tie("a", "c")];
  const [upper, lower] = byId.get("b")!.y < byId.get("c")!.y ? ["b", "c"] : ["c", "b"];
  expect(nextInDirection(ties, byId, upper, "ArrowLeft")).toBe("a");
  expect(["b", "c"]).toContain(nextInDirection(ties, byId, "a", "ArrowRight"));
  expect(nextInDirection(ties, byId, upper, "ArrowDown")).toBe(lower);
  expect(nextInDirection(ties, byId, lower, "ArrowUp")).toBe(upper);
  expect(nextInDirection(ties, byId, "a", "ArrowLeft")).toBe(null);
});
