import { beforeEach, expect, test } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import { createOrg } from "../../src/engine/directory/members.ts";
import { ann, openTestEngine } from "./test-engine.ts";
import { errand } from "./errand.ts";

const env = await openTestEngine({ lifecycles: [errand], maxConnections: 8 });
const { sql, engine } = env;
const HOUR_MS = 3_600_000;

let org_id = "";
let orgs = 0;
beforeEach(() => createOrg(sql, (org_id = `org-${++orgs}`)));

const by = () => ({ org_id, actor: ann });
async function make(after: readonly { id: string }[] = [], more: object = {}, client_event_id?: string) {
  const sent = { lifecycle: "errand", after: after.map(({ id }) => id), ...more };
  const created = await engine.create(by(), [sent], { client_event_id: client_event_id ?? null });
  if (created.kind === "refused") throw new Error(created.detail);
  return created.tasks[0]!;
}
async function act(task: { id: string }, action: string, more: object = {}) {
  const done = await engine.perform(by(), { task_id: task.id, action, ...more });
  return done.kind === "refused" ? done.code : done.task.status;
}
async function finished(more: object = {}) {
  const task = await make([], more);
  await act(task, "finish");
  return task;
}
const exists = async ({ id }: { id: string }) => !("kind" in (await engine.find(by(), id)));

/** Prunes everything that is finished, whatever its age. */
const pruneAll = (more: object = {}, through: Engine = engine) =>
  through.prune({ org_id, before: Date.now() + HOUR_MS, ...more });

/** Counts the rows of the org in each table. */
async function countRows() {
  const [counts] = await sql`
    select (select count(*)::int from pawl.task where org_id = ${org_id}) as task,
      (select count(*)::int from pawl.event where org_id = ${org_id}) as event,
      (select count(*)::int from pawl.request where org_id = ${org_id}) as request,
      (select count(*)::int from pawl.dependency where org_id = ${org_id}) as dependency,
      (select count(*)::int from pawl.hold where org_id = ${org_id}) as hold,
      (select count(*)::int from pawl.heartbeat where org_id = ${org_id}) as heartbeat`;
  return counts;
}

test("an org without figures about the past is pruned, and gets none by it", async () => {
  await finished();
  expect(await pruneAll()).toMatchObject({ pruned: 1, skipped: 0, failed: [] });
  expect(await sql`select from pawl.insight_progress where org_id = ${org_id}`).toHaveLength(0);
});

test("old finished tasks are pruned with all their rows; open and recent tasks stay", async () => {
  const blocker = await make([], {}, "a");
  const task = await make([blocker], {}, "b");
  await act(task, "hold", { client_event_id: "c" });
  const [hold] = await sql<{ id: string }[]>`select id from pawl.hold where task_id = ${task.id}`;
  await act(task, "free", { payload: { hold_id: hold!.id }, client_event_id: "d" });
  await act(blocker, "finish", { client_event_id: "e" });
  await act(task, "take", { client_event_id: "f" });
  expect(await act(task, "touch", { client_event_id: "g" })).toBe("taken");
  await act(task, "finish", { client_event_id: "h" });
  const open = await make([], {}, "i");
  // A heartbeat that arrived too late is pruned as well.
  await sql`insert into pawl.heartbeat values (${org_id}, ${task.id}, ${task.id}, now(), now())`;
  expect(await countRows()).toEqual({ task: 3, event: 9, request: 9, dependency: 1, hold: 1, heartbeat: 1 });
  const position = await engine.feedPosition(org_id);

  const now = Date.now();
  const young = await engine.prune({ org_id, olderThanMs: HOUR_MS, now: now + HOUR_MS / 2 });
  expect(young).toEqual({ pruned: 0, skipped: 0, failed: [] });
  const old = await engine.prune({ org_id, olderThanMs: HOUR_MS, now: now + 2 * HOUR_MS });
  expect(old).toEqual({ pruned: 2, skipped: 0, failed: [] });

  expect(await countRows()).toEqual({ task: 1, event: 1, request: 1, dependency: 0, hold: 0, heartbeat: 0 });
  expect(await exists(open)).toBe(true);
  expect(await engine.verify(org_id)).toEqual({ tasks: 1, events: 1, differences: [] });
  expect(await engine.feedPosition(org_id)).toBe(position);
  await act(open, "finish");
  const feed = await engine.feed(by(), { after: 0 });
  expect(feed.map((event) => Number(event.position))).toEqual([9, 10]);
});

test("the age is counted from the last change, by the database's clock", async () => {
  const task = await finished();
  expect(await engine.prune({ org_id, olderThanMs: HOUR_MS })).toMatchObject({ pruned: 0 });
  await sql`update pawl.task set created_at = created_at - interval '1 day', entered_at = entered_at - interval '1 day',
    updated_at = updated_at - interval '1 day' where id = ${task.id}`;
  expect(await engine.prune({ org_id, olderThanMs: 25 * HOUR_MS })).toMatchObject({ pruned: 0 });
  expect(await engine.prune({ org_id, olderThanMs: 23 * HOUR_MS })).toMatchObject({ pruned: 1 });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("an age of %s is refused", async (olderThanMs) => {
  await expect(engine.prune({ org_id, olderThanMs })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
});

test("a finished task is kept while an unfinished dependent still waits for it", async () => {
  const blocker = await make();
  const waiting = await make([blocker]);
  const [canceled, over] = [await make(), await make()];
  const proceeds = await make([canceled, over], { on_failure: "proceed" });
  for (const task of [blocker, canceled]) await act(task, "drop");
  await act(over, "finish");
  expect(await pruneAll()).toMatchObject({ pruned: 2 });
  expect(await exists(blocker)).toBe(true);
  expect(await act(proceeds, "finish")).toBe("done");
  expect(await engine.reconcile(org_id)).toMatchObject({ repaired: [], broken: [] });

  await act(waiting, "drop");
  expect(await pruneAll()).toMatchObject({ pruned: 3 });
  expect(await countRows()).toMatchObject({ task: 0, event: 0, dependency: 0 });
});

test("a request that created several tasks is kept until the last of them is pruned", async () => {
  const twice = () =>
    engine.create(by(), [{ lifecycle: "errand" }, { lifecycle: "errand" }], { client_event_id: "both" });
  const created = await twice();
  if (created.kind === "refused") throw new Error(created.detail);
  await act(created.tasks[0]!, "finish");
  expect(await pruneAll()).toMatchObject({ pruned: 1 });
  expect(await twice()).toMatchObject({ replayed: true, tasks: created.tasks.map(({ id }) => ({ id })) });

  const claimed = await engine.claim(by(), { lifecycle: "errand", client_event_id: "mine" });
  expect(claimed).toMatchObject({ tasks: [{ task: { id: created.tasks[1]!.id } }] });
  await act(created.tasks[1]!, "finish");
  expect(await pruneAll()).toMatchObject({ pruned: 1 });
  expect(await countRows()).toMatchObject({ task: 0, request: 0 });
  expect(await twice()).toMatchObject({ replayed: false });
});

test("a dedupe key can be used again after its task is pruned", async () => {
  const first = await finished({ key: "k" });
  expect((await make([], { key: "k" })).id).toBe(first.id);
  await pruneAll();
  expect((await make([], { key: "k" })).id).not.toBe(first.id);
});

test("each task is exported with its journal before it is deleted; a task whose export fails stays", async () => {
  const tasks = [await finished(), await finished(), await finished()];
  const lines: string[] = [];
  const report = await pruneAll({
    batch: 2,
    onExport: async (line: string) => {
      await Promise.resolve();
      if (line.includes(tasks[1]!.id)) throw new Error("disk full");
      lines.push(line);
    },
  });
  expect(report).toEqual({
    pruned: 2,
    skipped: 0,
    failed: [{ task_id: tasks[1]!.id, why: "Error: disk full" }],
  });
  expect(await Promise.all(tasks.map(exists))).toEqual([false, true, false]);
  expect(lines.every((line) => !line.includes("\n"))).toBe(true);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
    [tasks[0]!, tasks[2]!].map(({ id }) => ({
      task: { id, status: "done", row_version: 2 },
      journal: [
        { task_id: id, row_version: 1, type: "created" },
        { row_version: 2, from_status: "open", to_status: "done" },
      ],
      dependencies: [],
      holds: [],
    })),
  );
  expect(await engine.verify(org_id)).toMatchObject({ tasks: 1, differences: [] });
});

test("a task that changes after its export stays, so that the change is not lost", async () => {
  const task = await finished();
  const onExport = async () => {
    await act(task, "note");
  };
  expect(await pruneAll({ onExport })).toEqual({ pruned: 0, skipped: 1, failed: [] });
  expect(await exists(task)).toBe(true);
});

test("a locked task is skipped without waiting", async () => {
  const [busy, free] = [await finished(), await finished()];
  await sql.begin(async (tx) => {
    await tx`select from pawl.task where id = ${busy.id} for share`;
    expect(await pruneAll()).toEqual({ pruned: 1, skipped: 1, failed: [] });
  });
  expect([await exists(busy), await exists(free)]).toEqual([true, false]);
});

test("a creation that names a blocker while it is pruned either keeps the blocker or is refused", async () => {
  let [kept, refused] = [0, 0];
  for (let round = 0; round < 200; round++) {
    const blocker = await make();
    await act(blocker, "drop");
    const [, created] = await Promise.all([
      pruneAll(),
      engine.create(by(), [{ lifecycle: "errand", after: [blocker.id] }]),
    ]);
    expect(await exists(blocker)).toBe(created.kind === "created");
    if (created.kind === "created") {
      kept++;
      await act(created.tasks[0]!, "drop");
    } else {
      refused++;
      expect(created.code).toBe("VALIDATION_ERROR");
    }
  }
  expect(kept + refused).toBe(200);
  expect((await engine.reconcile(org_id)).broken).toEqual([]);
});

test("several nodes prune concurrently under load: no open task is lost, and every verification succeeds", async () => {
  const nodes = [engine, env.node(), env.node()];
  let traffic = true;
  let pruned = 0;
  const prune = async (node: Engine) => {
    while (traffic) {
      const report = await pruneAll({ batch: 10 }, node);
      pruned += report.pruned;
    }
  };
  const verify = async () => {
    while (traffic) expect((await engine.verify(org_id)).differences).toEqual([]);
  };
  const work = async () => {
    const left: { id: string }[] = [];
    for (let round = 0; round < 60; round++) {
      const created = await Promise.all(Array.from({ length: 4 }, () => make()));
      left.push(created.pop()!);
      const outcomes = await Promise.all(created.map((task) => act(task, "finish")));
      expect(outcomes).toEqual(["done", "done", "done"]);
    }
    return left;
  };
  const watchers = [...nodes.map(prune), verify()];
  const left = (await Promise.all(Array.from({ length: 4 }, work))).flat();
  traffic = false;
  await Promise.all(watchers);
  const { pruned: rest } = await pruneAll();
  expect(pruned + rest).toBe(720);
  expect(left).toHaveLength(240);
  expect(await engine.verify(org_id)).toEqual({ tasks: 240, events: 240, differences: [] });
});
