import { expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";
import type { Lifecycle } from "../../src/core/index.ts";
import { Engine } from "../../src/engine/engine.ts";
import { registerLifecycles } from "../../src/engine/upkeep/register-lifecycles.ts";
import { ann, openTestEngine } from "./test-engine.ts";

const commonParts = {
  summary: "",
  actions: { begin: {}, finish: {}, expire: {}, open: {}, clear: {} },
  creation: {
    input: z.object({ blocked_by: z.array(z.string()).default([]) }),
    to: [{ status: "waiting", guards: ["blockers_done"] }, { status: "stuck" }],
    draft: ({ input }: { input: { blocked_by: string[] } }) => ({
      title: "t",
      data: {},
      blocked_by: input.blocked_by,
    }),
  },
  lease: { lasts: { minutes: 5 } },
  unblocks: { from: "stuck", action: "clear" },
};
const expires = (minutes: number, action = "expire") => ({
  timers: [{ action, since: "entered_at", after: { minutes } }],
});
const ends = { done: { final: true, success: true }, lost: { final: true } };
const clear = (to: string) => ({ action: "clear", from: "stuck", to, who: "system" });
const end = { action: "finish", from: "busy", to: "done", who: "anyone" };

/** waiting → busy → done, and lost if no worker begins within an hour. Each test uses its own name, because they share a database. */
function first(name: string): Lifecycle {
  return defineLifecycle({
    ...commonParts,
    name,
    version: 1,
    statuses: { stuck: {}, waiting: expires(60), busy: { lease: true }, ...ends },
    actions: { begin: {}, finish: {}, expire: {}, clear: {} },
    rules: [
      clear("waiting"),
      { action: "begin", from: "waiting", to: "busy", who: "anyone" },
      { action: "expire", from: "waiting", to: "lost", who: "system", guards: ["due"] },
      end,
    ],
    pool: { action: "begin", from: "waiting", where: [] },
  } as never);
}

/** The same with `waiting` renamed to `open`, and `expire` renamed to `give_up` after two hours. */
function second(name: string, more: Record<string, unknown> = {}): Lifecycle {
  return defineLifecycle({
    ...commonParts,
    name,
    version: 2,
    statuses: { stuck: {}, open: expires(120, "give_up"), busy: { lease: true }, ...ends },
    actions: { begin: {}, finish: {}, give_up: {}, clear: {} },
    creation: {
      ...commonParts.creation,
      to: [{ status: "open", guards: ["blockers_done"] }, { status: "stuck" }],
    },
    rules: [
      clear("open"),
      { action: "begin", from: "open", to: "busy", who: "anyone" },
      { action: "give_up", from: "open", to: "lost", who: "system", guards: ["due"] },
      end,
    ],
    pool: { action: "begin", from: "open", where: [] },
    ...more,
  } as never);
}
const mapped = { migrations: { statuses: { waiting: "open" }, actions: { expire: "give_up" } } };

const NAMES = [
  "lost",
  "mapped",
  "many",
  "renamed",
  "ended",
  "edited",
  "rolled",
  "rolling",
  "final-map",
  "success",
] as const;
const env = await openTestEngine({ lifecycles: NAMES.map(first) });
const engineOf = (lifecycle: Lifecycle) => new Engine(env.sql, [{ lifecycle }]);
const register = (lifecycle: Lifecycle) => registerLifecycles(env.sql, [{ lifecycle }]);
const found = async (id: string) => (await env.engine.find(env.by(ann), id)) as Record<string, unknown>;
const journal = (engine: Engine, id: string) => engine.events(env.by(ann), id);

test("a definition without a status or action that live tasks need is refused with a list", async () => {
  await env.make(ann, "lost");
  await env.make(ann, "lost");
  const finished = await env.make(ann, "lost");
  await env.act(ann, finished, "begin");
  await env.act(ann, finished, "finish");

  const starting = register(second("lost"));
  await expect(starting).rejects.toThrow(
    'Lifecycle "lost" v2 lacks what unfinished tasks need (2 in status "waiting"); add it again, or map it in "migrations".',
  );
  await expect(starting).rejects.toMatchObject({
    code: "INVALID_LIFECYCLE",
    params: { stranded: [{ kind: "status", name: "waiting", tasks: 2 }] },
  });
  const kept = await env.sql`select from pawl.lifecycle where name = 'lost' and version = 2`;
  expect(kept).toHaveLength(0);

  // The status is declared again, but the timers of its tasks have an undeclared action.
  const half = second("lost", { migrations: {}, ...withWaiting() });
  await expect(register(half)).rejects.toThrow('(2 waiting for action "expire")');
});

test("tasks are moved by the mapping, with a journal entry, and keep working", async () => {
  const task = await env.make(ann, "mapped");
  const dependent = await env.make(ann, "mapped", { blocked_by: [task.id] });
  const next = second("mapped", mapped);
  const engine = engineOf(next);
  await register(next);

  expect(await found(task.id)).toMatchObject({
    status: "open",
    lifecycle_version: 2,
    row_version: 2,
    due_action: "give_up",
  });
  const { due_at, entered_at } = (await found(task.id)) as Record<string, number>;
  expect(due_at! - entered_at!).toBe(7_200_000);
  expect(await found(dependent.id)).toMatchObject({ status: "stuck", lifecycle_version: 1, row_version: 1 });
  expect(await journal(engine, task.id)).toMatchObject([
    { type: "created", to_status: "waiting" },
    {
      type: "migrated",
      action: "migrate",
      actor_id: null,
      from_status: "waiting",
      to_status: "open",
      payload: { from_version: 1, to_version: 2 },
    },
  ]);
  const position = await engine.feedPosition("main");
  await register(next);
  expect(await engine.feedPosition("main")).toBe(position);

  const claimed = await engine.claim(env.by(ann), { lifecycle: "mapped" });
  expect(claimed).toMatchObject({ tasks: [{ task: { id: task.id, status: "busy" } }] });
  await engine.perform(env.by(ann), { task_id: task.id, action: "finish" });
  expect(await found(dependent.id)).toMatchObject({ status: "open", open_blockers: 0 });
  expect(await engine.verify("main")).toMatchObject({ differences: [] });
});

test("many nodes that start at once migrate each task once", async () => {
  const ids: string[] = [];
  for (let round = 0; round < 4; round++) {
    const created = await env.engine.create(
      env.by(ann),
      Array.from({ length: 150 }, () => ({ lifecycle: "many" })),
    );
    if (created.kind === "created") ids.push(...created.tasks.map((task) => task.id));
  }
  const next = second("many", mapped);
  await Promise.all(Array.from({ length: 8 }, () => register(next)));
  const rows = await env.sql`
    select status, lifecycle_version, row_version, pooled, count(*)::int as tasks from pawl.task
    where lifecycle = 'many' group by 1, 2, 3, 4`;
  expect(rows).toEqual([
    { status: "open", lifecycle_version: 2, row_version: 2, pooled: true, tasks: ids.length },
  ]);
  expect(ids).toHaveLength(600);
  expect(await env.engine.verify("main")).toMatchObject({ differences: [] });
});

test("nodes of the old version may keep running: each task is begun or migrated, and none is lost", async () => {
  const old = env.engine;
  const next = second("rolling", mapped);
  const sent = Array.from({ length: 300 }, () => ({ lifecycle: "rolling" }));
  const created = await old.create(env.by(ann), sent);
  if (created.kind === "refused") throw new Error(created.detail);
  const beginning = created.tasks.map((task) => env.act(ann, task, "begin"));
  const [outcomes] = await Promise.all([Promise.all(beginning), register(next), register(next)]);
  const begun = outcomes.filter((outcome) => outcome === "busy").length;
  expect(outcomes.filter((outcome) => outcome !== "busy" && outcome !== "INVALID_TRANSITION")).toEqual([]);
  // A task that the old version creates later is found by the next reconcile of the new one.
  const late = await env.make(ann, "rolling");
  const { repaired } = await engineOf(next).reconcile("main");
  expect(repaired).toContainEqual({ task_id: late.id, what: "status", was: "waiting", is: "open" });
  const rows = await env.sql`
    select status, count(*)::int as tasks from pawl.task where lifecycle = 'rolling' group by 1 order by 1`;
  expect(rows).toEqual(
    [
      { status: "busy", tasks: begun },
      { status: "open", tasks: 301 - begun },
    ].filter(({ tasks }) => tasks > 0),
  );
  // A reconcile of the old version leaves the new one's tasks unchanged and reports the unknown status.
  const { repaired: undone, broken } = await old.reconcile("main");
  expect(undone.filter(({ task_id }) => task_id === late.id)).toEqual([]);
  expect(broken).toContainEqual({ task_id: late.id, what: 'its status "open" is unknown in rolling' });
  expect(await old.verify("main")).toMatchObject({ differences: [] });
});

test("an action that is gone takes the timer of its successor along, from when it was set", async () => {
  const task = await env.make(ann, "renamed");
  const next = second("renamed", { ...withWaiting(), migrations: { actions: { expire: "give_up" } } });
  await register(next);
  const after = await found(task.id);
  expect(after).toMatchObject({ status: "waiting", due_action: "give_up", lifecycle_version: 2 });
  expect(after.entered_at).toBe(task.entered_at);
  expect(after.due_at).toBe(task.entered_at + 7_200_000);
});

test("a status that has become final finishes its tasks, with a journal entry", async () => {
  const task = await env.make(ann, "ended");
  const next = second("ended", {
    statuses: { stuck: {}, open: expires(120, "give_up"), waiting: { final: true }, busy: {}, ...ends },
    rules: [...rulesOf(second("ended")), { action: "finish", from: "open", to: "waiting", who: "anyone" }],
    migrations: { actions: { expire: "give_up" } },
  });
  await register(next);
  expect(await found(task.id)).toMatchObject({ status: "waiting", due_at: null, row_version: 2 });
  const [row] = await env.sql`select final, pooled from pawl.task where id = ${task.id}`;
  expect(row).toEqual({ final: true, pooled: false });
});

test("a mapping to a final status finishes the task and releases its dependents", async () => {
  const task = await env.make(ann, "final-map");
  const held = await env.make(ann, "final-map");
  const dependent = await env.make(ann, "final-map", { blocked_by: [task.id] });
  await env.act(ann, held, "begin");
  const next = second("final-map", {
    statuses: { stuck: {}, open: expires(120, "give_up"), ...ends },
    rules: [
      clear("open"),
      { action: "finish", from: "open", to: "done", who: "anyone" },
      { action: "give_up", from: "open", to: "lost", who: "system", guards: ["due"] },
    ],
    actions: { finish: {}, give_up: {}, clear: {} },
    pool: { action: "finish", from: "open", where: [] },
    migrations: { statuses: { waiting: "done", busy: "open" } },
  });
  await register(next);
  expect(await found(task.id)).toMatchObject({ status: "done" });
  expect(await found(held.id)).toMatchObject({ status: "open", lease: null, due_action: "give_up" });
  expect(await found(dependent.id)).toMatchObject({ status: "open", open_blockers: 0, row_version: 2 });
  expect(await env.sql`select from pawl.lease where task_id = ${held.id}`).toHaveLength(0);
  expect(await env.engine.verify("main")).toMatchObject({ differences: [] });
});

test("a task that was finished in a removed status still satisfies its dependents", async () => {
  const over = await env.make(ann, "success");
  const missed = await env.make(ann, "success", { blocked_by: [over.id] });
  await env.sql`update pawl.dependency set resolved = true where blocker_id = ${over.id}`;
  await env.act(ann, over, "begin");
  await env.engine.perform(env.by(ann), { task_id: over.id, action: "finish" });
  await env.sql`update pawl.dependency set resolved = false where blocker_id = ${over.id}`;

  const next = second("success", {
    statuses: {
      stuck: {},
      open: expires(120, "give_up"),
      busy: { lease: true },
      finished: { final: true, success: true },
      lost: { final: true },
    },
    rules: [
      ...rulesOf(second("success")).filter(({ action }) => action !== "finish"),
      { ...end, to: "finished" },
    ],
    migrations: { statuses: { waiting: "open", done: "finished" } },
  });
  await register(next);
  const engine = engineOf(next);
  expect(await found(over.id)).toMatchObject({ status: "done", row_version: 3 });
  const created = await engine.create(env.by(ann), [{ lifecycle: "success", blocked_by: [over.id] }]);
  expect(created).toMatchObject({ tasks: [{ status: "open", open_blockers: 0 }] });
  await engine.reconcile("main");
  expect(await found(missed.id)).toMatchObject({ status: "open", open_blockers: 0 });
});

test("the database accepts the moves of the mapping and no others", async () => {
  const task = await env.make(ann, "rolled");
  const move = (to: string) => env.sql`update pawl.task set status = ${to} where id = ${task.id}`;
  await expect(move("open")).rejects.toThrow("may not go from waiting to open");
  await register(second("rolled", mapped));
  await expect(move("waiting")).rejects.toThrow("may not go from open to waiting");
  await expect(move("done")).rejects.toThrow("may not go from open to done");

  // Back to the old definition: its tasks would be stranded by it.
  await expect(register(first("rolled"))).rejects.toThrow('1 in status "open"');
});

test("a definition edited without a new version replaces the old one, with its transitions and pool", async () => {
  const task = await env.make(ann, "edited");
  const edited = defineLifecycle({
    ...first("edited"),
    pool: { action: "finish", from: "busy", where: [] },
    rules: [
      ...rulesOf(first("edited")).filter(({ action }) => action !== "expire"),
      { action: "expire", from: "busy", to: "lost", who: "system" },
    ],
    statuses: { stuck: {}, waiting: {}, busy: { lease: true, ...expires(5) }, ...ends },
  } as never);
  await register(edited);
  const [row] =
    await env.sql`select pooled, row_version, lifecycle_version from pawl.task where id = ${task.id}`;
  expect(row).toEqual({ pooled: false, row_version: 1, lifecycle_version: 1 });
  const [{ definition } = {}] = await env.sql<{ definition: { pool: object } }[]>`
    select definition from pawl.lifecycle where name = 'edited'`;
  expect(definition?.pool).toMatchObject({ from: "busy" });
  const lose = env.sql`update pawl.task set status = 'lost' where id = ${task.id}`;
  await expect(lose).rejects.toThrow("may not go from waiting to lost");
});

function rulesOf({ rules }: Lifecycle) {
  return [...rules];
}

/** Returns parts of the second version with the status name `waiting` of the first. */
function withWaiting() {
  return {
    statuses: { stuck: {}, waiting: expires(120, "give_up"), busy: { lease: true }, ...ends },
    creation: commonParts.creation,
    rules: [
      clear("waiting"),
      { action: "begin", from: "waiting", to: "busy", who: "anyone" },
      { action: "give_up", from: "waiting", to: "lost", who: "system", guards: ["due"] },
      end,
    ],
    pool: { action: "begin", from: "waiting", where: [] },
  };
}
