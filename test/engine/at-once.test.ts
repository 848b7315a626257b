// Moves that are settled without a lock (rule 4 and 6): what has changed since they were looked at is never written over.
import { expect, test } from "vitest";
import { ann, openDesk } from "./desk.ts";
import { errand } from "./errand.ts";

const desk = await openDesk({ lifecycles: [errand] });
const { engine, sql } = desk;
const by = desk.by(ann);
const NODES = [engine, desk.node(), desk.node()];

const make = () => desk.make(ann, "errand");
const take = (id: string) => engine.perform(by, { task_id: id, action: "take" });

test("an action that only moves tasks is settled by two statements, and no transaction is begun", async () => {
  const task = await make();
  const { workshop } = engine;
  expect(["take", "drop", "touch", "hold"].map((action) => workshop.onlyMoves(action))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(await take(task.id)).toMatchObject({ kind: "performed", task: { status: "taken", row_version: 2 } });
  expect(await engine.verify("main")).toMatchObject({ differences: [] });
});

test("what somebody changes without a version after the look is kept: the move is made again, under a lock", async () => {
  const task = await make();
  let moving: ReturnType<typeof take> | undefined;
  await sql.begin(async (tx) => {
    await tx`update pawl.task set open_holds = 2 where id = ${task.id}`;
    moving = take(task.id);
    await untilSomebodyWaits();
  });
  expect(await moving).toMatchObject({ task: { status: "taken", open_holds: 2, row_version: 2 } });
  const [row] = await sql`select open_holds, row_version from pawl.task where id = ${task.id}`;
  expect(row).toEqual({ open_holds: 2, row_version: 2 });
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

/** The statement that would write has met the row's lock. */
async function untilSomebodyWaits(): Promise<void> {
  const [row] = await sql<{ waiting: boolean }[]>`
    select exists (select from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock') as waiting`;
  if (!row?.waiting) await untilSomebodyWaits();
}
