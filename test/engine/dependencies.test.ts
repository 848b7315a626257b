import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import { member } from "../support/situation.ts";
import { ann, cat, openTestEngine } from "./test-engine.ts";

/** A small lifecycle with every failure policy: a step waits for others, is done or dropped, and can be held. */
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
      side_effects: ({ input }) => [{ kind: "place_hold", hold_kind: "other", reason: input.why }],
    },
    lift: {
      change: ({ task }) => ({ open_holds: task.open_holds - 1 }),
      side_effects: ({ input }) => [{ kind: "release_hold", hold_id: input.hold_id }],
    },
  },
  unblocks: { from: "waiting", action: "go", flag: "warn", fail: "drop" },
});

const env = await openTestEngine({ lifecycles: [step] });
const make = (title: string, after: { id: string }[] = [], more = {}) =>
  env.make(cat, "step", { title, after: after.map(({ id }) => id), ...more });
const read = async ({ id }: { id: string }) => {
  const task = await env.engine.find(env.by(ann), id);
  if ("kind" in task) throw new Error(task.code);
  return task;
};

test("a task is updated when one of its blockers finishes, so that no later event of it is earlier", async () => {
  const blockers = [await make("first"), await make("second")];
  const task = await make("after both", blockers);
  await env.act(ann, blockers[0]!, "finish");
  const { updated_at: finished_at } = await read(blockers[0]!);
  expect(await read(task)).toMatchObject({ updated_at: finished_at, open_blockers: 1, row_version: 1 });
});

test("fan-in: the last of several blockers releases the task in the same transaction", async () => {
  const blockers = [await make("a"), await make("b"), await make("c")];
  const task = await make("all", blockers);
  expect(task).toMatchObject({ status: "waiting", open_blockers: 3 });
  await env.act(ann, blockers[0]!, "finish");
  expect(await read(task)).toMatchObject({ status: "waiting", open_blockers: 2, row_version: 1 });
  await Promise.all([env.act(ann, blockers[1]!, "finish"), env.act(ann, blockers[2]!, "finish")]);
  expect(await read(task)).toMatchObject({ status: "open", open_blockers: 0, row_version: 2 });
  const [, go] = (await env.engine.events(env.by(ann), task.id)) as { action: string; actor_id: null }[];
  expect(go).toMatchObject({ action: "go", actor_id: null });
});

test("fan-out: one blocker releases a hundred tasks, each with one event", async () => {
  const blocker = await make("one");
  const created = await env.engine.create(
    env.by(cat),
    Array.from({ length: 100 }, (_, n) => ({ lifecycle: "step", title: `t${n}`, after: [blocker.id] })),
  );
  await env.act(ann, blocker, "finish");
  const ids = created.kind === "created" ? created.tasks.map(({ id }) => id) : [];
  const rows = await env.sql`select status, row_version, open_blockers from pawl.task where id = any(${ids})`;
  expect(rows).toHaveLength(100);
  expect(rows.every((row) => row.status === "open" && row.row_version === 2 && row.open_blockers === 0)).toBe(
    true,
  );
});

test("five thousand dependents of one blocker are released in one transaction", async () => {
  const blocker = await make("many");
  const tasks = Array.from({ length: 5_000 }, (_, n) => ({
    lifecycle: "step",
    title: `m${n}`,
    after: [blocker.id],
  }));
  await env.engine.create(env.by(cat), tasks);
  expect(await env.act(ann, blocker, "finish")).toBe("done");
  const [row] = await env.sql`
    select count(*)::int as n from pawl.task where title like 'm%' and status = 'open' and open_blockers = 0 and row_version = 2`;
  expect(row).toEqual({ n: 5_000 });
});

test("a blocker that is already done does not block; for a dropped one the failure policy applies", async () => {
  const [done, dropped] = [await make("done"), await make("dropped")];
  await env.act(ann, done, "finish");
  await env.act(ann, dropped, "drop");
  expect(await make("x", [done])).toMatchObject({ status: "open", open_blockers: 0 });
  const late = await make("y", [dropped]);
  expect(late).toMatchObject({ status: "waiting", open_blockers: 1, needs_attention: true, row_version: 1 });
  expect(await read(late)).toEqual(late);
  // A task that fails with its blocker is created first and dropped by the next reconcile.
  const doomed = await make("w", [dropped], { on_failure: "fail" });
  await env.engine.reconcile("main");
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
])("when a blocker is dropped, a dependent with on_failure %s is %j", async (on_failure, expected) => {
  const blocker = await make("b");
  const task = await make("t", [blocker], { on_failure });
  await env.act(ann, blocker, "drop");
  expect(await read(task)).toMatchObject(expected);
});

test("a failure propagates down a chain to its end", async () => {
  const chain = [await make("0")];
  for (let n = 1; n < 6; n++) chain.push(await make(String(n), [chain[n - 1]!], { on_failure: "fail" }));
  await env.act(ann, chain[0]!, "drop");
  expect((await Promise.all(chain.map(read))).map(({ status }) => status)).toEqual(Array(6).fill("dropped"));
});

test("holds are counted, and releasing the last one releases the task at once", async () => {
  const blocker = await make("b");
  const task = await make("t", [blocker]);
  await env.act(ann, task, "hold", { payload: { why: "steel" } });
  await env.act(ann, task, "hold", { payload: { why: "paint" } });
  await env.act(ann, blocker, "finish");
  expect(await read(task)).toMatchObject({ status: "waiting", open_blockers: 0, open_holds: 2 });
  const holds = await env.sql<
    { id: string }[]
  >`select id from pawl.hold where task_id = ${task.id} order by id`;
  await env.act(ann, task, "free", { payload: { hold_id: holds[0]!.id } });
  expect(await read(task)).toMatchObject({ status: "waiting", open_holds: 1 });
  await env.act(ann, task, "free", { payload: { hold_id: holds[1]!.id } });
  expect(await read(task)).toMatchObject({ status: "open", open_holds: 0 });
  expect((await env.engine.events(env.by(ann), task.id)) as object[]).toMatchObject([
    { action: "create" },
    { action: "hold" },
    { action: "hold" },
    { action: "free" },
    { action: "free" },
    { action: "go", actor_id: null },
  ]);
});

test("all journals of these tests verify", async () => {
  expect((await env.engine.verify("main")).differences).toEqual([]);
});

test("planner: a canceled predecessor flags its dependents, and a removed dependency releases them", async () => {
  const planning = await openTestEngine();
  const lead = member("lead", ["lead"]);
  const first = await planning.make(lead, "planner", { title: "First" });
  const second = await planning.make(lead, "planner", { title: "Second", depends_on: [first.id] });
  const keyed = (n: number) => ({ client_event_id: crypto.randomUUID(), expected_row_version: n });
  await planning.act(lead, first, "cancel", { payload: { reason: "gone" }, ...keyed(1) });
  expect(await planning.engine.find(planning.by(lead), second.id)).toMatchObject({
    status: "blocked",
    needs_attention: true,
  });
  const payload = { blocker_id: first.id };
  await planning.act(lead, second, "remove_dependency", { payload, ...keyed(2) });
  expect(await planning.engine.find(planning.by(lead), second.id)).toMatchObject({
    status: "available",
    open_blockers: 0,
  });
});
