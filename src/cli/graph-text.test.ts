import { expect, test } from "vitest";
import { graphText } from "./graph-text.ts";

const node = (id: string, status = "ready") => ({ id, title: id.toUpperCase(), status });

test("each task is drawn once, below its deepest blocker", () => {
  const nodes = [
    node("a", "completed"),
    node("b"),
    node("c", "blocked"),
    node("d", "blocked"),
    node("e", "failed"),
  ];
  const edges = [
    { from: "a", to: "b" },
    { from: "b", to: "c" },
    { from: "a", to: "d" },
    { from: "c", to: "d" },
  ];
  expect(graphText(nodes, edges)).toBe(
    [
      "● A (completed)",
      "└─ ○ B (ready)",
      "   └─ · C (blocked)",
      "      └─ · D (blocked)  ← also A",
      "✗ E (failed)",
    ].join("\n"),
  );
});

test("branches are drawn, with lines between siblings", () => {
  const nodes = [node("a"), node("b", "blocked"), node("c", "blocked"), node("d", "blocked")];
  const edges = ["b", "c"].map((to) => ({ from: "a", to }));
  expect(graphText(nodes, [...edges, { from: "b", to: "d" }])).toBe(
    "○ A (ready)\n├─ · B (blocked)\n│  └─ · D (blocked)\n└─ · C (blocked)",
  );
});
