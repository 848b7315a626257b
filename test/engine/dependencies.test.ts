import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import { member } from "../support/situation.ts";
import { ann, cat, openDesk } from "./desk.ts";

/** Every policy in small: a step waits for others, is done or given up, and can be held. */
const step = defineLifecycle({
  name: "step",
  version: 1,
  summary: "",
  statuses: { waiting: {}, open: {}, done: { final: true, success: true }, dropped: { final: true } },
  actions: {
    go: {},
    finish: {},
    drop: {},
    warn: { input: z.object({ reason: z.string() }) },
    hold: { input: z.object({ why: z.string() }) },
    free: { input: z.object({ hold_id: z.string() }), facts: ["holds"] },
  },
  creation: {
    input: z.object({ title: z.string(), after: z.array(z.string()).default([]) }),
    to: [{ status: "open", guards: ["blockers_done"] }, { status: "waiting" }],
    draft: ({ input }) => ({ title: input.title, data: {}, blocked_by: input.after }),
  },
  rules: [
    { action: "go", from: "waiting", to: "open", who: "system", guards: ["blockers_done", "no_holds"] },
    { action: "finish", from: "open", to: "done", who: "anyone" },
    { action: "drop", from: ["waiting", "open"], to: "dropped", who: ["anyone", "system"] },
    { action: "warn", from: ["waiting", "open"], who: "system", effects: ["raise_attention"] },
    { action: "hold", from: ["waiting", "open"], who: "anyone", effects: ["place"] },
    { action: "free", from: ["waiting", "open"], who: "anyone", effects: ["lift"] },
  ],
  effects: {
    place: {
      change: ({ task }) => ({ open_holds: task.open_holds + 1 }),
      also: ({ input }) => [{ kind: "place_hold", hold_kind: "other", reason: input.why }],
    },
    lift: {
      change: ({ task }) => ({ open_holds: task.open_holds - 1 }),
      also: ({ input }) => [{ kind: "release_hold", hold_id: input.hold_id }],
    },
  },
  unblocks: { from: "waiting", action: "go", flag: "warn", fail: "drop" },
});

const desk = await openDesk({ lifecycles: [step] });
const make = (title: string, after: { id: string }[] = [], more = {}) =>
  desk.make(cat, "step", { title, after: after.map(({ id }) => id), ...more });
const read = async ({ id }: { id: string }) => {
  const task = await desk.engine.find(desk.by(ann), id);
  if ("kind" in task) throw new Error(task.code);
  return task;
};

test("fan-in: the last of several blockers lets the task go, in the same transaction", async () => {
  const blockers = [await make("a"), await make("b"), await make("c")];
  const task = await make("all", blockers);
  expect(task).toMatchObject({ status: "waiting", open_blockers: 3 });
  await desk.act(ann, blockers[0]!, "finish");
  expect(await read(task)).toMatchObject({ status: "waiting", open_blockers: 2, row_version: 1 });
  await Promise.all([desk.act(ann, blockers[1]!, "finish"), desk.act(ann, blockers[2]!, "finish")]);
  expect(await read(task)).toMatchObject({ status: "open", open_blockers: 0, row_version: 2 });
  const [, go] = (await desk.engine.events(desk.by(ann), task.id)) as { action: string; actor_id: null }[];
  expect(go).toMatchObject({ action: "go", actor_id: null });
});

test("fan-out: one blocker lets a hundred go, each with one event", async () => {
  const blocker = await make("one");
  const made = await desk.engine.create(
    desk.by(cat),
    Array.from({ length: 100 }, (_, n) => ({ lifecycle: "step", title: `t${n}`, after: [blocker.id] })),
  );
  await desk.act(ann, blocker, "finish");
  const ids = made.kind === "created" ? made.tasks.map(({ id }) => id) : [];
  const rows =
    await desk.sql`select status, row_version, open_blockers from pawl.task where id = any(${ids})`;
  expect(rows).toHaveLength(100);
  expect(rows.every((row) => row.status === "open" && row.row_version === 2 && row.open_blockers === 0)).toBe(
    true,
  );
});

test("five thousand dependents of one blocker move on in one transaction", async () => {
  const blocker = await make("many");
  const tasks = Array.from({ length: 5_000 }, (_, n) => ({
    lifecycle: "step",
    title: `m${n}`,
    after: [blocker.id],
  }));
  await desk.engine.create(desk.by(cat), tasks);
  expect(await desk.act(ann, blocker, "finish")).toBe("done");
  const [row] = await desk.sql`
    select count(*)::int as n from pawl.task where title like 'm%' and status = 'open' and open_blockers = 0 and row_version = 2`;
  expect(row).toEqual({ n: 5_000 });
});

test("a blocker that is done already is none; one that was given up is waited for in vain", async () => {
  const [done, dropped] = [await make("done"), await make("dropped")];
  await desk.act(ann, done, "finish");
  await desk.act(ann, dropped, "drop");
  expect(await make("x", [done])).toMatchObject({ status: "open", open_blockers: 0 });
  const late = await make("y", [dropped]);
  expect(late).toMatchObject({ status: "waiting", open_blockers: 1, needs_attention: true, row_version: 1 });
  expect(await read(late)).toEqual(late);
  // What is to fail with it is there first, and is then moved on.
  const doomed = await make("w", [dropped], { on_failure: "fail" });
  await desk.engine.reconcile("main");
  expect(await read(doomed)).toMatchObject({ status: "dropped" });
  expect(await make("z", [dropped], { on_failure: "proceed" })).toMatchObject({
    status: "open",
    open_blockers: 0,
  });
});

test.each([
  ["wait", { status: "waiting", open_blockers: 1, needs_attention: true }],
  ["proceed", { status: "open", open_blockers: 0 }],
  ["fail", { status: "dropped" }],
])("a blocker that is given up: a dependent with on_failure %s is %j", async (on_failure, expected) => {
  const blocker = await make("b");
  const task = await make("t", [blocker], { on_failure });
  await desk.act(ann, blocker, "drop");
  expect(await read(task)).toMatchObject(expected);
});

test("failing goes down a chain to its end", async () => {
  const chain = [await make("0")];
  for (let n = 1; n < 6; n++) chain.push(await make(String(n), [chain[n - 1]!], { on_failure: "fail" }));
  await desk.act(ann, chain[0]!, "drop");
  expect((await Promise.all(chain.map(read))).map(({ status }) => status)).toEqual(Array(6).fill("dropped"));
});

test("holds are typed and counted; releasing the last one lets the task go at once", async () => {
  const blocker = await make("b");
  const task = await make("t", [blocker]);
  await desk.act(ann, task, "hold", { payload: { why: "steel" } });
  await desk.act(ann, task, "hold", { payload: { why: "paint" } });
  await desk.act(ann, blocker, "finish");
  expect(await read(task)).toMatchObject({ status: "waiting", open_blockers: 0, open_holds: 2 });
  const holds = await desk.sql<
    { id: string }[]
  >`select id from pawl.hold where task_id = ${task.id} order by id`;
  await desk.act(ann, task, "free", { payload: { hold_id: holds[0]!.id } });
  expect(await read(task)).toMatchObject({ status: "waiting", open_holds: 1 });
  await desk.act(ann, task, "free", { payload: { hold_id: holds[1]!.id } });
  expect(await read(task)).toMatchObject({ status: "open", open_holds: 0 });
  expect((await desk.engine.events(desk.by(ann), task.id)) as object[]).toMatchObject([
    { action: "create" },
    { action: "hold" },
    { action: "hold" },
    { action: "free" },
    { action: "free" },
    { action: "go", actor_id: null },
  ]);
});

test("everything that happened here verifies", async () => {
  expect((await desk.engine.verify("main")).differences).toEqual([]);
});

test("planner: a canceled predecessor flags those who wait for it, and a removed dependency lets them go", async () => {
  const floor = await openDesk();
  const lead = member("lead", ["lead"]);
  const first = await floor.make(lead, "planner", { title: "First" });
  const second = await floor.make(lead, "planner", { title: "Second", depends_on: [first.id] });
  const keyed = (n: number) => ({ client_event_id: crypto.randomUUID(), expected_row_version: n });
  await floor.act(lead, first, "cancel", { payload: { reason: "gone" }, ...keyed(1) });
  expect(await floor.engine.find(floor.by(lead), second.id)).toMatchObject({
    status: "blocked",
    needs_attention: true,
  });
  const payload = { blocker_id: first.id };
  await floor.act(lead, second, "remove_dependency", { payload, ...keyed(2) });
  expect(await floor.engine.find(floor.by(lead), second.id)).toMatchObject({
    status: "available",
    open_blockers: 0,
  });
});
