import { expect, test } from "vitest";
import type { OutboxEntry } from "../../../console/index.ts";
import { describeLifecycle } from "../../../core/index.ts";
import { planner } from "../lifecycle.ts";
import type { PlannerTask } from "./planner-calls.ts";
import { splitQueue, takenFrom, withQueue } from "./queued-work.ts";

const DEFINITION = describeLifecycle(planner) as unknown as Parameters<typeof withQueue>[2];
const REFUSAL = { code: "VERSION_CONFLICT", status: 409, detail: "", next: "", params: {} };

const task = (status: string, row_version: number) => ({ id: "t", status, row_version }) as PlannerTask;
const entry = (action: string, row_version: number, more: object = {}) =>
  ({
    key: `${action}${row_version}`,
    task_id: "t",
    action,
    row_version,
    refusal: null,
    ...more,
  }) as OutboxEntry;

test.each<[string, PlannerTask, OutboxEntry[], OutboxEntry[], string, number]>([
  ["nothing queued", task("assigned", 2), [], [], "assigned", 2],
  ["a move", task("assigned", 2), [entry("start", 2)], [], "in_progress", 3],
  ["two moves", task("assigned", 2), [entry("start", 2), entry("submit", 3)], [], "submitted", 4],
  [
    "a call for help adds a version",
    task("assigned", 2),
    [entry("escalate", 2), entry("start", 3)],
    [],
    "in_progress",
    4,
  ],
  [
    "a defect adds none",
    task("assigned", 2),
    [entry("report_defect", 2), entry("start", 2)],
    [],
    "in_progress",
    3,
  ],
  ["taking from the pool", task("available", 1), [entry("self_assign", 1)], [], "assigned", 2],
  [
    "sent, and not in the data yet",
    task("assigned", 2),
    [entry("submit", 3)],
    [entry("start", 2)],
    "submitted",
    4,
  ],
  ["sent, and in the data already", task("in_progress", 3), [], [entry("start", 2)], "in_progress", 3],
  ["carried out, but the answer was lost", task("in_progress", 3), [entry("start", 2)], [], "in_progress", 3],
  [
    "refused",
    task("assigned", 2),
    [entry("start", 2, { refusal: REFUSAL }), entry("submit", 3)],
    [],
    "assigned",
    2,
  ],
  ["of another task", task("assigned", 2), [entry("start", 2, { task_id: "other" })], [], "assigned", 2],
])("the queue is applied to the task: %s", (_, shown, entries, sent, status, row_version) => {
  expect(withQueue(shown, { entries, sent }, DEFINITION)).toMatchObject({ status, row_version });
});

test("a refusal divides the queue of a task", () => {
  const [sent, refused, after] = [
    entry("escalate", 2),
    entry("start", 3, { refusal: REFUSAL }),
    entry("submit", 4),
  ];
  expect(splitQueue([sent, refused, after])).toEqual({ waiting: [sent], refused: [refused, after] });
});

test("a task of the pool counts as taken until the data show it, unless taking it was refused", () => {
  const pool = [task("available", 1)];
  const taking = entry("self_assign", 1);
  expect(takenFrom(pool, [], { entries: [taking], sent: [] })).toEqual(pool);
  expect(takenFrom(pool, [], { entries: [], sent: [taking] })).toEqual(pool);
  expect(takenFrom(pool, [task("assigned", 2)], { entries: [taking], sent: [] })).toEqual([]);
  expect(takenFrom([task("available", 3)], [], { entries: [], sent: [taking] }), "recalled since").toEqual(
    [],
  );
  expect(takenFrom(pool, [], { entries: [{ ...taking, refusal: REFUSAL }], sent: [] })).toEqual([]);
});
