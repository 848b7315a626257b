// Commands that run without a lock: by one statement, which never overwrites a concurrent change.
import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { ann, bob, openTestEngine, performed } from "./test-engine.ts";
import { errand } from "./errand.ts";

const env = await openTestEngine({ lifecycles: [errand] });
const { engine, sql } = env;
const caller = env.by(ann);
const NODES = [engine, env.node(), env.node()];

const key = () => ({ client_event_id: randomUUID() });
const make = async (fields = {}) => {
  const answer = await engine.create(caller, [{ lifecycle: "errand", ...fields }], key());
  if (answer.kind === "refused") throw new Error(answer.detail);
  return answer.tasks[0]!;
};
const take = (id: string) => engine.perform(caller, { task_id: id, action: "take", ...key() });

/** Counts the statements and transactions that the first node needs for some work. */
async function countStatements<T>(
  work: () => Promise<T>,
): Promise<{ result: T; statements: number; transactions: number }> {
  const unsafe = vi.spyOn(sql, "unsafe");
  const begin = vi.spyOn(sql, "begin");
  try {
    const result = await work();
    return { result, statements: unsafe.mock.calls.length, transactions: begin.mock.calls.length };
  } finally {
    unsafe.mockRestore();
    begin.mockRestore();
  }
}

test("a create, a claim and a finish with keys are one statement each, and no transaction is begun", async () => {
  await make();
  await engine.claim(caller, { lifecycle: "errand", ...key() });
  const created = await countStatements(make);
  expect(created).toMatchObject({ statements: 1, transactions: 0 });
  const claimed = await countStatements(() => engine.claim(caller, { lifecycle: "errand", ...key() }));
  expect(claimed).toMatchObject({
    statements: 1,
    transactions: 0,
    result: { tasks: [{ task: { id: created.result.id } }] },
  });
  const finished = await countStatements(() =>
    engine.perform(caller, { task_id: created.result.id, action: "finish", ...key() }),
  );
  expect(finished).toMatchObject({
    statements: 1,
    transactions: 0,
    result: { task: { status: "done", row_version: 3 } },
  });
  expect(await engine.verify("main")).toMatchObject({ differences: [] });
});

test("a task that this node has not seen is read first: two statements", async () => {
  const [other] = NODES.slice(1);
  const answer = await other!.create(caller, [{ lifecycle: "errand" }], key());
  const [task] = answer.kind === "created" ? answer.tasks : [];
  const moved = await countStatements(() =>
    engine.perform(caller, { task_id: task!.id, action: "take", ...key() }),
  );
  expect(moved).toMatchObject({ statements: 2, transactions: 0, result: { kind: "performed" } });
});

test("a change of a known row without a new version is kept: the move is repeated under a lock", async () => {
  const task = await make();
  await take(task.id);
  await sql`update pawl.task set open_holds = 2 where id = ${task.id}`;
  expect(await engine.perform(caller, { task_id: task.id, action: "finish", ...key() })).toMatchObject({
    task: { status: "done", open_holds: 2, row_version: 3 },
  });
  const [row] = await sql`select open_holds, row_version from pawl.task where id = ${task.id}`;
  expect(row).toEqual({ open_holds: 2, row_version: 3 });
});

test("concurrent takes of a task on three nodes have one winner, also with several tasks in one batch", async () => {
  for (let round = 0; round < 20; round++) {
    const tasks = await Promise.all([make(), make(), make()]);
    const answers = await Promise.all(
      tasks.flatMap(({ id }) =>
        NODES.map((node) => node.perform(caller, { task_id: id, action: "take", expected_row_version: 1 })),
      ),
    );
    expect(answers.filter(({ kind }) => kind === "performed")).toHaveLength(3);
  }
  const [row] = await sql`
    select count(*)::int as wrong from pawl.task t
    where t.row_version <> (select count(*) from pawl.event e where e.org_id = t.org_id and e.task_id = t.id)`;
  expect(row).toEqual({ wrong: 0 });
  expect(await engine.verify("main")).toMatchObject({ differences: [] });
});

test("a blocker that is finished from a cached row releases a dependent that was created on another node", async () => {
  const blocker = await make();
  await take(blocker.id);
  const answer = await NODES[1]!.create(caller, [{ lifecycle: "errand", after: [blocker.id] }], key());
  const [waiting] = answer.kind === "created" ? answer.tasks : [];
  expect(waiting).toMatchObject({ status: "waiting" });
  await engine.perform(caller, { task_id: blocker.id, action: "finish", ...key() });
  expect(await engine.find(caller, waiting!.id)).toMatchObject({ status: "open", open_blockers: 0 });
});

test("a blocker whose cached row has a dependent releases it", async () => {
  const blocker = await make();
  const waiting = await make({ after: [blocker.id] });
  await take(blocker.id);
  await engine.perform(caller, { task_id: blocker.id, action: "finish", ...key() });
  expect(await engine.find(caller, waiting.id)).toMatchObject({ status: "open", open_blockers: 0 });
});

test("a heartbeat on another node is visible in the answer to a move that keeps the lease, and is deleted with the lease", async () => {
  const task = await make();
  const { lease_token } = performed(await take(task.id));
  const beaten = await NODES[1]!.heartbeat(caller, [{ task_id: task.id, lease_token: lease_token! }]);
  const touched = performed(await engine.perform(caller, { task_id: task.id, action: "touch" }));
  expect(touched.task.lease?.until).toBe(beaten.extended[0]?.lease_until);
  await engine.perform(caller, { task_id: task.id, action: "finish", ...key() });
  const beats = await sql`select from pawl.heartbeat where task_id = ${task.id}`;
  expect(beats).toHaveLength(0);
});

test("a claim never takes a private task of another member, however urgent it is", async () => {
  await engine.claim(caller, { lifecycle: "errand", limit: 100 });
  const [hidden, common] = [await make(), await make()];
  await sql`update pawl.task set private = true, priority = 9 where id = ${hidden.id}`;
  const claimed = await countStatements(() =>
    engine.claim(env.by(bob), { lifecycle: "errand", limit: 2, ...key() }),
  );
  expect(claimed).toMatchObject({ transactions: 0, result: { tasks: [{ task: { id: common.id } }] } });
  expect(await engine.find(caller, hidden.id)).toMatchObject({ status: "open", row_version: 1 });
});

test("a claim takes the member's own private task before a less urgent public one", async () => {
  await engine.claim(caller, { lifecycle: "errand", limit: 100 });
  const [own, common] = [await make(), await make()];
  await sql`update pawl.task set private = true, priority = 9 where id = ${own.id}`;
  const claim = () => engine.claim(caller, { lifecycle: "errand", ...key() });
  expect(await claim()).toMatchObject({ tasks: [{ task: { id: own.id } }] });
  expect(await claim()).toMatchObject({ tasks: [{ task: { id: common.id } }] });
});

test("a private task in the pool is claimed only by its owner, also when others claim at the same time", async () => {
  await engine.claim(caller, { lifecycle: "errand", limit: 100 });
  const [own, common] = [await make(), await make()];
  await sql`update pawl.task set private = true, priority = 9 where id = ${own.id}`;
  const [first, second] = await Promise.all(
    [bob, ann].map((actor) => engine.claim(env.by(actor), { lifecycle: "errand", ...key() })),
  );
  expect(first).toMatchObject({ tasks: [{ task: { id: common.id } }] });
  expect(second).toMatchObject({ tasks: [{ task: { id: own.id } }] });
});
