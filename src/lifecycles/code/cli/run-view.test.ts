import { stripVTControlCharacters } from "node:util";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { widthOf } from "../../../plugin/index.ts";
import type { CodeWorkerEvent } from "../worker/code-worker-options.ts";
import { eventLine, RunView } from "./run-view.ts";

const START = 1_000_000;

type EventTask = Extract<CodeWorkerEvent, { kind: "phase" }>["task"];

function task(n: number, fields: object = {}, data: object = {}): EventTask {
  const id = `0197a000-0000-7000-8000-00000000000${n}`;
  const fullData = { commit: null, last_error: null, blocked_reason: null, ...data };
  return { id, title: `Task ${n}`, status: "in_progress", attempt: 0, ...fields, data: fullData } as never;
}

const screen = (columns: number, { coloured = false, rows = 40 } = {}) => ({
  write: () => undefined,
  columns,
  rows,
  colours: picocolors.createColors(coloured),
});

function busyView() {
  const view = new RunView({ root: "/home/ann/shop", target: "main", workers: 3 }, START);
  view.counts = { total: 10, by_status: { completed: 4, in_progress: 2, ready: 1, blocked: 2, failed: 1 } };
  const send = (event: object, at = START) => {
    view.onEvent(event as CodeWorkerEvent, at);
  };
  send({ kind: "phase", task: task(1), phase: "preparing", worktree: null });
  send({ kind: "phase", task: task(1), phase: "working", worktree: "/w" });
  send({ kind: "output", task: task(1), line: "Reading src/parser.ts" });
  send({ kind: "phase", task: task(2, { attempt: 1 }), phase: "verifying", worktree: "/w" }, START + 5_000);
  send({
    kind: "finished",
    task: task(3, { status: "completed" }, { commit: "abcdef0123456789" }),
    moved: null,
  });
  send({ kind: "retried", task: task(4), error: "Merge conflict in list\nsecond line" });
  send({ kind: "finished", task: task(5, { status: "failed" }, { last_error: "no way" }), moved: null });
  return { view, send };
}

describe("the view of a run", () => {
  test("shows the progress, each worker with its phase, time and last output, and recent results", () => {
    const { view } = busyView();
    const [head, progress, , ...rest] = view.frame(screen(100), START + 65_000);
    expect(head).toBe("Pawl code  /home/ann/shop → main  live");
    expect(progress).toBe(
      "█".repeat(12 + 3) +
        "░".repeat(15) +
        "  4 of 10 done · 1:05 · 2 at work · 1 ready · 2 waiting · 1 failed",
    );
    expect(rest).toEqual([
      "   1 00000001  working      1:05  Task 1",
      "     Reading src/parser.ts",
      "   2 00000002  verifying    1:00 try 2  Task 2",
      "     …",
      "  1 of 3 free",
      "",
      "  1:05 ✓ 00000003  Task 3  abcdef0123",
      "  1:05 ↻ 00000004  Task 4: Merge conflict in list",
      "  1:05 ✗ 00000005  Task 5: no way",
    ]);
  });

  test("shortens the agent's paths to those in its worktree, in the view and in the log", () => {
    const { view, send } = busyView();
    const worktree = "/home/ann/shop.pawl/worktrees/0197a000.1";
    send({ kind: "phase", task: task(1), phase: "working", worktree });
    send({
      kind: "output",
      task: task(1),
      line: `Edit ${worktree}/src/list.ts from ${worktree}/src/table.ts`,
    });
    const text = "Edit src/list.ts from src/table.ts";
    expect(view.frame(screen(100), START)).toContain(`     ${text}`);
    expect(view.logOf(task(1).id).at(-1)).toBe(text);
  });

  test.each([40, 60, 80, 200])("fits into %i columns with long texts, with colors and without", (columns) => {
    const { view, send } = busyView();
    const long = "Überlang 漢字 ".repeat(60);
    send({ kind: "output", task: task(1), line: long });
    send({ kind: "phase", task: task(6, { title: long }), phase: "merging", worktree: "/w" });
    send({
      kind: "finished",
      task: task(7, { title: long, status: "completed" }, { commit: "abc" }),
      moved: null,
    });
    send({ kind: "failed", task: task(8, { title: long }), failure: { message: long } });
    for (const coloured of [false, true])
      for (const line of view.frame(screen(columns, { coloured }), START))
        expect(widthOf(stripVTControlCharacters(line)), line).toBeLessThanOrEqual(columns);
  });

  test("has fewer lines than the screen", () => {
    const { view } = busyView();
    expect(view.frame(screen(80, { rows: 6 }), START)).toHaveLength(5);
  });

  test("shows that the server is unreachable, that it is back, and that the run stops", () => {
    const { view, send } = busyView();
    const head = () => view.frame(screen(120), START)[0];
    send({ kind: "unreachable", error: new Error("gone") });
    expect(head()).toMatch(/server unreachable; agents continue$/);
    send({ kind: "reached" });
    expect(head()).toMatch(/live$/);
    view.stopping = true;
    expect(head()).toMatch(/stopping: agents may finish; press Ctrl-C again to stop them now$/);
  });

  test("frees the workers of tasks that are released or lost", () => {
    const { view, send } = busyView();
    send({ kind: "released", task: task(1) });
    send({ kind: "lost", task: task(2), why: "The lease is over" });
    expect(view.frame(screen(100), START)).toContain("  3 of 3 free");
  });
});

test.each<[object, string | null]>([
  [{ kind: "claimed", tasks: [] }, null],
  [{ kind: "started", task: task(1) }, `claimed ${task(1).id} Task 1`],
  [{ kind: "phase", phase: "preparing", task: task(1) }, null],
  [{ kind: "phase", phase: "working", task: task(1) }, `working ${task(1).id} Task 1`],
  [{ kind: "output", task: task(1), line: "hm" }, null],
  [{ kind: "merged", task: task(1), commit: "abcdef0123456789" }, `merged ${task(1).id} Task 1 abcdef0123`],
  [
    { kind: "finished", task: task(1, { status: "completed" }, { commit: "abc" }) },
    `completed ${task(1).id} Task 1  abc`,
  ],
  [{ kind: "retried", task: task(1), error: "no\nmore" }, `retried ${task(1).id} Task 1: no`],
  [{ kind: "released", task: task(1) }, `released ${task(1).id} Task 1 was released`],
  [{ kind: "unreachable", error: null }, "server unreachable; agents continue"],
  [{ kind: "reached" }, "server reachable again"],
  [{ kind: "renewal_failed", error: new Error("no\nanswer") }, "lease renewal failed, retrying: no answer"],
])("in a pipe, %o is printed as %j", (event, line) => {
  expect(eventLine(event as CodeWorkerEvent)).toBe(line);
});
