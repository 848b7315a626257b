import picocolors from "picocolors";
import { expect, test } from "vitest";
import type { CodeWorkerEvent } from "../worker/code-worker-options.ts";
import { RunControls } from "./run-controls.ts";
import { RunView } from "./run-view.ts";

const screen = (columns = 80, rows = 24) => ({
  columns,
  rows,
  colours: picocolors.createColors(false),
  write: () => undefined,
});
const ID = (n: number) => `01a1edb7-50bc-767d-8a8e-00000000000${n}`;
const eventOf = (n: number, fields: object) =>
  ({
    task: { id: ID(n), title: `Task ${n}`, attempt: 0, status: "in_progress", data: {} },
    ...fields,
  }) as unknown as CodeWorkerEvent;

function start() {
  const view = new RunView({ root: "/shop", target: "main", workers: 2 }, 0);
  const calls: string[] = [];
  const controls = new RunControls(
    view,
    {
      diff: (id, worktree) => Promise.resolve([`diff of ${id} in ${String(worktree)}`, "+two"]),
      stop: (id) => Promise.resolve(`stopped ${id}`),
      retry: (id) => (id === ID(2) ? Promise.reject(new Error("not now")) : Promise.resolve(`again ${id}`)),
    },
    () => calls.push("quit"),
  );
  for (const n of [1, 2])
    view.onEvent(eventOf(n, { kind: "phase", phase: "working", worktree: `/w/${n}` }), 0);
  view.onEvent(eventOf(1, { kind: "output", line: "Bash npm test" }), 0);
  view.onEvent(eventOf(1, { kind: "cost", usd: 0.25 }), 0);
  const frame = (columns?: number, rows?: number, now = 65_000) => controls.frame(screen(columns, rows), now);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { view, controls, calls, frame, settle };
}

test("each agent is shown with its phase, time, cost and last line; the footer lists the keys", () => {
  const { frame } = start();
  const lines = frame();
  expect(lines).toContainEqual(expect.stringMatching(/^▸ +1 \S+ +working +1:05 \$0\.25 {2}Task 1$/));
  expect(lines).toContain("     Bash npm test");
  expect(lines.at(-1)).toBe("↑↓ select · l log · d diff · s stop · r retry · ? help · q quit");
  expect(frame(40).at(-1)).toBe("? help · q quit");
  expect(frame(40).every((line) => line.length <= 40)).toBe(true);
  expect(frame(80, 8)).toHaveLength(7);
});

test("arrows select; l, d and ? open views that scroll and close", async () => {
  const { controls, frame, settle, view } = start();
  frame();
  controls.press("down");
  expect(frame()).toContainEqual(expect.stringMatching(/^▸ +2 .*Task 2$/));
  controls.press("d");
  expect(frame()[1]).toBe("Reading …");
  await settle();
  expect(frame()[1]).toBe(`diff of ${ID(2)} in /w/2`);
  controls.press("q");
  controls.press("up");
  controls.press("l");
  expect(frame().slice(0, 2)).toEqual([expect.stringMatching(/^Log of \S+ {2}1–1 of 1$/), "Bash npm test"]);
  for (let n = 1; n <= 50; n++) view.onEvent(eventOf(1, { kind: "output", line: `line ${n}` }), 0);
  // The log follows its end, until it is scrolled.
  expect(frame()[0]).toMatch(/31–51 of 51/);
  controls.press("pageup");
  expect(frame()[0]).toMatch(/10–30 of 51/);
  view.onEvent(eventOf(1, { kind: "output", line: "more" }), 0);
  expect(frame()[0]).toMatch(/10–30 of 52/);
  controls.press("escape");
  controls.press("?");
  expect(frame().join("\n")).toContain("stop its agent and pause the task; asks first");
});

test("s asks first; its answer, and that of r, is shown below", async () => {
  const { controls, frame, settle, calls } = start();
  frame();
  controls.press("s");
  expect(frame().at(-1)).toMatch(/^Stop the agent of \S+ and pause the task\? y\/n$/);
  controls.press("n");
  await settle();
  expect(frame().at(-1)).toContain("q quit");
  controls.press("s");
  controls.press("y");
  await settle();
  expect(frame().at(-1)).toBe(`stopped ${ID(1)}`);
  controls.press("down");
  controls.press("r");
  await settle();
  expect(frame().at(-1)).toBe("not now");
  controls.press("q");
  controls.press("ctrl-c");
  expect(calls).toEqual(["quit", "quit"]);
});

test("a message gives way to the keys after a while", async () => {
  const { controls, frame, settle } = start();
  frame();
  controls.press("r");
  await settle();
  expect(frame(80, 24, 70_000).at(-1)).toBe(`again ${ID(1)}`);
  expect(frame(80, 24, 79_999).at(-1)).toBe(`again ${ID(1)}`);
  expect(frame(80, 24, 80_000).at(-1)).toContain("q quit");
});

test("on a small screen, the selected task and the latest results are shown", () => {
  const { controls, frame, view } = start();
  for (const n of [3, 4, 5])
    view.onEvent(eventOf(n, { kind: "phase", phase: "working", worktree: `/w/${n}` }), 0);
  for (const n of [6, 7]) view.onEvent(eventOf(n, { kind: "retried", error: "no" }), 0);
  expect(frame(38, 15).filter((line) => / [1-5] 0{7}[1-5] /.test(line))).toHaveLength(5);
  const selected = () => frame(38, 9).filter((line) => line.startsWith("▸"));
  expect(frame(38, 9)).toHaveLength(8);
  for (const n of [1, 2, 3, 4, 5]) {
    expect(selected()).toEqual([expect.stringMatching(`▸ +${n} `)]);
    controls.press("down");
  }
  expect(selected()).toEqual([expect.stringContaining("Task 6")]);
  expect(frame(38, 18).join("\n")).toContain("Task 7");
});

test("a task with several results is selected in its latest one", () => {
  const { controls, frame, view } = start();
  for (const error of ["first", "second"]) view.onEvent(eventOf(3, { kind: "retried", error }), 0);
  frame();
  controls.press("down");
  controls.press("down");
  expect(frame().filter((line) => line.startsWith("▸"))).toEqual([expect.stringContaining("second")]);
});
