// Commands that are carried out without a lock: by one statement, which writes nothing over what has changed meanwhile.
import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { ann, bob, openDesk, performed } from "./desk.ts";
import { errand } from "./errand.ts";

const desk = await openDesk({ lifecycles: [errand] });
const { engine, sql } = desk;
const by = desk.by(ann);
const NODES = [engine, desk.node(), desk.node()];

const key = () => ({ client_event_id: randomUUID() });
const make = async (fields = {}) => {
  const made = await engine.create(by, [{ lifecycle: "errand", ...fields }], key());
  if (made.kind === "refused") throw new Error(made.detail);
  return made.tasks[0]!;
};
const take = (id: string) => engine.perform(by, { task_id: id, action: "take", ...key() });

/** How many statements and transactions some work of the first node takes. */
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
  await engine.claim(by, { lifecycle: "errand", ...key() });
  const created = await countStatements(make);
  expect(created).toMatchObject({ statements: 1, transactions: 0 });
  const claimed = await countStatements(() => engine.claim(by, { lifecycle: "errand", ...key() }));
  expect(claimed).toMatchObject({
    statements: 1,
    transactions: 0,
    result: { tasks: [{ task: { id: created.result.id } }] },
  });
  const finished = await countStatements(() =>
    engine.perform(by, { task_id: created.result.id, action: "finish", ...key() }),
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
  const made = await other!.create(by, [{ lifecycle: "errand" }], key());
  const [task] = made.kind === "created" ? made.tasks : [];
  const moved = await countStatements(() =>
    engine.perform(by, { task_id: task!.id, action: "take", ...key() }),
  );
  expect(moved).toMatchObject({ statements: 2, transactions: 0, result: { kind: "performed" } });
});

test("what somebody changes in a known row without a version is kept: the move is made again, under a lock", async () => {
  const task = await make();
  await take(task.id);
  await sql`update pawl.task set open_holds = 2 where id = ${task.id}`;
  expect(await engine.perform(by, { task_id: task.id, action: "finish", ...key() })).toMatchObject({
    task: { status: "done", open_holds: 2, row_version: 3 },
  });
  const [row] = await sql`select open_holds, row_version from pawl.task where id = ${task.id}`;
  expect(row).toEqual({ open_holds: 2, row_version: 3 });
});

test("of many who take a task at once on three nodes one gets it, and many tasks in one batch are all looked at", async () => {
  for (let round = 0; round < 20; round++) {
    const tasks = await Promise.all([make(), make(), make()]);
    const answers = await Promise.all(
      tasks.flatMap(({ id }) =>
        NODES.map((node) => node.perform(by, { task_id: id, action: "take", expected_row_version: 1 })),
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

test("a task that another begins to wait for, on another node, sets it free when it is finished from memory", async () => {
  const blocker = await make();
  await take(blocker.id);
  const made = await NODES[1]!.create(by, [{ lifecycle: "errand", after: [blocker.id] }], key());
  const [waiting] = made.kind === "created" ? made.tasks : [];
  expect(waiting).toMatchObject({ status: "waiting" });
  await engine.perform(by, { task_id: blocker.id, action: "finish", ...key() });
  expect(await engine.find(by, waiting!.id)).toMatchObject({ status: "open", open_blockers: 0 });
});

test("a heartbeat on another node is seen in the answer to a move that keeps the lease, and gone with the lease", async () => {
  const task = await make();
  const { lease_token } = performed(await take(task.id));
  const beaten = await NODES[1]!.heartbeat(by, [{ task_id: task.id, lease_token: lease_token! }]);
  const touched = performed(await engine.perform(by, { task_id: task.id, action: "touch" }));
  expect(touched.task.lease?.until).toBe(beaten.extended[0]?.lease_until);
  await engine.perform(by, { task_id: task.id, action: "finish", ...key() });
  const beats = await sql`select from pawl.heartbeat where task_id = ${task.id}`;
  expect(beats).toHaveLength(0);
});

test("a private task in the pool is taken by its owner and by nobody else, whoever claims with him", async () => {
  await engine.claim(by, { lifecycle: "errand", limit: 100 });
  const [own, common] = [await make(), await make()];
  await sql`update pawl.task set private = true, priority = 9 where id = ${own.id}`;
  const [first, second] = await Promise.all(
    [bob, ann].map((actor) => engine.claim(desk.by(actor), { lifecycle: "errand", ...key() })),
  );
  expect(first).toMatchObject({ tasks: [{ task: { id: common.id } }] });
  expect(second).toMatchObject({ tasks: [{ task: { id: own.id } }] });
});
