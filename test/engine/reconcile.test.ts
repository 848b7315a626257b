import { beforeEach, expect, test } from "vitest";
import type { Engine } from "../../src/engine/engine.ts";
import type { Reconciled } from "../../src/engine/upkeep/reconcile.ts";
import { createOrg } from "../../src/engine/directory/members.ts";
import { ann, openTestEngine } from "./test-engine.ts";
import { errand } from "./errand.ts";

const env = await openTestEngine({ lifecycles: [errand], maxConnections: 8 });
const { sql, engine } = env;

// A new org for each test, so that damage does not affect the next one.
let org_id = "";
let orgs = 0;
beforeEach(() => createOrg(sql, (org_id = `org-${++orgs}`)));

const by = () => ({ org_id, actor: ann });
async function make(after: readonly { id: string }[] = [], more: object = {}) {
  const created = await engine.create(by(), [
    { lifecycle: "errand", after: after.map(({ id }) => id), ...more },
  ]);
  if (created.kind === "refused") throw new Error(created.detail);
  return created.tasks[0]!;
}
async function act(task: { id: string }, action: string, more: object = {}, through: Engine = engine) {
  const done = await through.perform(by(), { task_id: task.id, action, ...more });
  return done.kind === "refused" ? done.code : done.task.status;
}
async function read({ id }: { id: string }) {
  const task = await engine.find(by(), id);
  if ("kind" in task) throw new Error(task.code);
  return task;
}

/** Expects that nothing is left to repair and that all journals verify. */
async function expectNothingLeft() {
  expect(await engine.reconcile(org_id)).toMatchObject({ repaired: [], broken: [] });
  expect(await engine.verify(org_id)).toMatchObject({ differences: [] });
}

/** Finishes a blocker without releasing its dependents. */
async function finishSilently(blocker: { id: string }, action: string) {
  await sql`update pawl.dependency set resolved = true where blocker_id = ${blocker.id}`;
  await act(blocker, action);
  await sql`update pawl.dependency set resolved = false where blocker_id = ${blocker.id}`;
}

test("counters that were changed by hand are repaired and reported, and a second run finds nothing", async () => {
  const task = await make([await make(), await make()]);
  await act(task, "hold");
  await sql`update pawl.task set open_blockers = 7, open_holds = 0 where id = ${task.id}`;
  expect(await engine.reconcile(org_id)).toEqual({
    checked: 3,
    repaired: [
      { task_id: task.id, what: "open_blockers", was: 7, is: 2 },
      { task_id: task.id, what: "open_holds", was: 0, is: 1 },
    ],
    broken: [],
  });
  expect(await read(task)).toMatchObject({ open_blockers: 2, open_holds: 1, row_version: 2 });
  await expectNothingLeft();
});

test("a counter that was too low and has released the task is repaired, and the task is reported as broken", async () => {
  const task = await make([await make()]);
  await sql`update pawl.task set open_blockers = 0 where id = ${task.id}`;
  await act(task, "hold");
  const [hold] = await sql<{ id: string }[]>`select id from pawl.hold where task_id = ${task.id}`;
  expect(await act(task, "free", { payload: { hold_id: hold!.id } })).toBe("open");
  expect(await read(task)).toMatchObject({ status: "open" });
  expect(await engine.reconcile(org_id)).toMatchObject({
    repaired: [{ task_id: task.id, what: "open_blockers", was: 0, is: 1 }],
    broken: [{ task_id: task.id, what: "an open task has no open blockers or holds" }],
  });
});

test.each([
  ["finish", "wait", "open"],
  ["drop", "proceed", "open"],
  ["drop", "fail", "dropped"],
  ["drop", "wait", "waiting"],
])(
  "after a missed %s of its blocker, with on_failure %s, a task is %s",
  async (action, on_failure, status) => {
    const blocker = await make();
    const task = await make([blocker], { on_failure });
    await finishSilently(blocker, action);
    expect(await read(task)).toMatchObject({ status: "waiting", open_blockers: 1 });
    const { repaired } = await engine.reconcile(org_id);
    expect(await read(task)).toMatchObject({ status });
    expect(repaired.filter(({ what }) => what === "status")).toEqual(
      status === "waiting" ? [] : [{ task_id: task.id, what: "status", was: "waiting", is: status }],
    );
    if (status === "open") {
      expect(repaired.map(({ what }) => what)).toEqual([
        `dependency on ${blocker.id}`,
        "open_blockers",
        "status",
      ]);
      expect(await engine.events(by(), task.id)).toMatchObject([
        { type: "created" },
        { action: "go", actor_id: null, from_status: "waiting", to_status: "open" },
      ]);
    }
    await expectNothingLeft();
  },
);

test("dependents of a repaired task that ends are released in turn", async () => {
  const first = await make();
  const second = await make([first]);
  const third = await make([second], { on_failure: "proceed" });
  await sql`update pawl.dependency set on_failure = 'fail' where task_id = ${second.id}`;
  await finishSilently(first, "drop");
  await engine.reconcile(org_id);
  expect(await read(second)).toMatchObject({ status: "dropped" });
  expect(await read(third)).toMatchObject({ status: "open", open_blockers: 0 });
  await expectNothingLeft();
});

test("damage that no rule can repair is reported and not changed", async () => {
  const task = await make();
  await act(task, "take");
  await sql`
    update pawl.task set lease_token = null, lease_holder = null, leased_at = null, lease_until = null
    where id = ${task.id}`;
  const blocker = await make();
  const orphan = await make([blocker]);
  const gone = crypto.randomUUID();
  await sql`update pawl.dependency set blocker_id = ${gone} where task_id = ${orphan.id}`;
  const report = await engine.reconcile(org_id);
  expect(report.repaired).toEqual([]);
  expect(report.broken).toHaveLength(2);
  expect(report.broken).toEqual(
    expect.arrayContaining([
      { task_id: task.id, what: "a taken task has an owner and a lease" },
      { task_id: orphan.id, what: `waits for ${gone}, which does not exist` },
    ]),
  );
  expect(await read(task)).toMatchObject({ status: "taken", row_version: 2 });
});

test("a task that is wrongly in the pool, or wrongly missing from it, is corrected by its status", async () => {
  const [inside, outside] = [await make(), await make([await make()])];
  await sql`update pawl.task set pooled = not pooled where id = any(${[inside.id, outside.id]})`;
  const { repaired } = await engine.reconcile(org_id);
  expect(repaired).toHaveLength(2);
  expect(repaired).toEqual(
    expect.arrayContaining([
      { task_id: inside.id, what: "pooled", was: false, is: true },
      { task_id: outside.id, what: "pooled", was: true, is: false },
    ]),
  );
  await expectNothingLeft();
});

test("a locked task is skipped, and repaired by the next run", async () => {
  const tasks = [await make([await make()]), await make([await make()])];
  await sql`update pawl.task set open_blockers = 5 where id = any(${tasks.map(({ id }) => id)})`;
  await sql.begin(async (tx) => {
    await tx`select from pawl.task where id = ${tasks[0]!.id} for update`;
    const { repaired } = await engine.reconcile(org_id);
    expect(repaired).toEqual([{ task_id: tasks[1]!.id, what: "open_blockers", was: 5, is: 1 }]);
  });
  expect((await engine.reconcile(org_id)).repaired).toHaveLength(1);
  await expectNothingLeft();
});

test("a run in small chunks checks every unfinished task once, and no finished one", async () => {
  const created = await Promise.all(Array.from({ length: 60 }, () => make()));
  await Promise.all(created.slice(0, 20).map((task) => act(task, "finish")));
  await Promise.all(created.slice(20, 40).map((task) => act(task, "take")));
  for (const chunk of [1, 7, 200]) {
    expect(await engine.reconcile(org_id, { chunk })).toEqual({ checked: 40, repaired: [], broken: [] });
  }
});

const nodes = [engine, env.node(), env.node()];

/** Creates tasks with three blockers, which end on three nodes at once while a hold is released. Every fifth round drops a blocker. */
async function generateLoad(rounds: number) {
  const work = async (lane: number) => {
    for (let round = lane; round < rounds; round += 6) {
      const node = nodes[round % nodes.length]!;
      const blockers = [await make(), await make(), await make()];
      const [first] = await Promise.all([make(blockers), make(blockers, { on_failure: "proceed" })]);
      await act(first, "hold", {}, node);
      const [hold] = await sql<{ id: string }[]>`select id from pawl.hold where task_id = ${first.id}`;
      await Promise.all([
        act(blockers[0]!, "finish", {}, nodes[0]),
        act(blockers[1]!, "take", {}, nodes[1]).then(() => act(blockers[1]!, "finish", {}, nodes[1])),
        act(blockers[2]!, round % 5 === 0 ? "drop" : "finish", {}, nodes[2]),
        act(first, "free", { payload: { hold_id: hold!.id } }, node),
      ]);
    }
  };
  await Promise.all(Array.from({ length: 6 }, (_, lane) => work(lane)));
}

/** Repeats some calls until other work ends; returns their results. */
async function repeatDuring<T>(work: Promise<void>, ...calls: (() => Promise<T>)[]): Promise<T[]> {
  let over = false;
  const results: T[] = [];
  const repeat = async (once: () => Promise<T>) => {
    while (!over) results.push(await once());
  };
  const repeating = calls.map(repeat);
  await work.finally(() => (over = true));
  await Promise.all(repeating);
  return results;
}

/** Expects that all tasks are released, except the one task of every fifth round that waits for a dropped blocker. */
async function expectAllSettled(rounds: number) {
  const rows = await sql`
    select status, count(*)::int as tasks from pawl.task where org_id = ${org_id} and not final group by 1 order by 1`;
  expect(rows).toEqual([
    { status: "open", tasks: rounds * 2 - rounds / 5 },
    { status: "waiting", tasks: rounds / 5 },
  ]);
  await expectNothingLeft();
}

test("under load, reconcile repairs nothing that is not broken", async () => {
  const reports = await repeatDuring(
    generateLoad(300),
    () => nodes[0]!.reconcile(org_id, { chunk: 50 }),
    () => nodes[1]!.reconcile(org_id, { chunk: 5 }),
    () => nodes[2]!.reconcile(org_id, { chunk: 200 }),
  );
  expect(reports.length).toBeGreaterThan(10);
  expect(reports.filter(({ repaired, broken }) => repaired.length + broken.length > 0)).toEqual([]);
  await expectAllSettled(300);
});

test("damage under load is repaired under load, and no task is released too early", async () => {
  const damage = async () => {
    await sql`
      update pawl.task set open_blockers = open_blockers + 1, pooled = not pooled where id in (
        select id from pawl.task where org_id = ${org_id} and not final order by random() limit 2 for update skip locked)`;
    return { repaired: [], broken: [] };
  };
  const reports = await repeatDuring<Pick<Reconciled, "repaired" | "broken">>(
    generateLoad(150),
    damage,
    () => nodes[1]!.reconcile(org_id, { chunk: 20 }),
    () => nodes[2]!.reconcile(org_id),
  );
  expect(reports.flatMap(({ repaired }) => repaired).length).toBeGreaterThan(10);
  await engine.reconcile(org_id);
  await expectAllSettled(150);
});
