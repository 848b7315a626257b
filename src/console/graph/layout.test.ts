import fc from "fast-check";
import { expect, test } from "vitest";
import { layOut } from "./layout.ts";
import type { Box, Edge } from "./layout.ts";

const box = (id: string): Box => ({ id, width: 100, height: 40 });
const edge = (from: string, to: string): Edge => ({ id: `${from}-${to}`, from, to });

test("a chain runs from left to right, and its back edge adds no rank", () => {
  const { boxes, routes } = layOut(
    [box("a"), box("b"), box("c")],
    [edge("a", "b"), edge("b", "c"), edge("c", "a")],
  );
  expect(boxes.map(({ id, rank }) => [id, rank])).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
  ]);
  expect(routes.map(({ way }) => way)).toEqual(["on", "on", "back"]);
});

test("an edge that skips a rank is routed over it", () => {
  const { routes } = layOut([box("a"), box("b"), box("c")], [edge("a", "b"), edge("b", "c"), edge("a", "c")]);
  expect(routes.find(({ id }) => id === "a-c")).toMatchObject({ way: "over", lane: 0 });
});

test("in any graph no two boxes overlap, and every forward edge leads to the right", () => {
  const ids = ["a", "b", "c", "d", "e", "f", "g"];
  const pairs = fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)), { maxLength: 20 });
  fc.assert(
    fc.property(pairs, fc.integer({ min: 20, max: 300 }), (given, width) => {
      const edges = given.map(([from, to], index) => ({ id: String(index), from, to }));
      const boxes = ids.map((id, index) => ({ id, width: width + index * 7, height: 30 + index * 5 }));
      const layout = layOut(boxes, edges);
      expect(layout.boxes.map(({ id }) => id).sort()).toEqual(ids);
      for (const one of layout.boxes)
        for (const other of layout.boxes)
          if (one.id < other.id)
            expect(
              one.x + one.width <= other.x ||
                other.x + other.width <= one.x ||
                one.y + one.height <= other.y ||
                other.y + other.height <= one.y,
            ).toBe(true);
      for (const { id, way } of layout.routes) {
        const { from, to } = edges.find((one) => one.id === id)!;
        const [begin, end] = [from, to].map((name) => layout.boxes.find((one) => one.id === name)!.x);
        if (way !== "back") expect(end!).toBeGreaterThan(begin!);
      }
    }),
  );
});
