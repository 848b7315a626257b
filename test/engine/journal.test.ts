import { expect, test } from "vitest";
import { ann, bob, cat, openDesk } from "./desk.ts";

const desk = await openDesk();

async function worked() {
  const task = await desk.make(cat, "board", { title: "Write it", description: "all" });
  await desk.act(ann, task, "claim");
  await desk.act(ann, task, "complete");
  return task;
}

test("verify rebuilds every task from its journal and reports its progress", async () => {
  const tasks = await Promise.all(Array.from({ length: 30 }, worked));
  const progress: number[] = [];
  const verified = await desk.engine.verify("main", ({ tasks }) => progress.push(tasks));
  expect(verified).toEqual({ tasks: tasks.length, events: tasks.length * 3, differences: [] });
  expect(progress.at(-1)).toBe(tasks.length);
});

const TAMPERED: [string, (id: string) => Promise<unknown>, RegExp][] = [
  [
    "a title",
    (id) => desk.sql`update pawl.task set title = 'Forged' where id = ${id}`,
    /"title" is "Forged"/,
  ],
  [
    "a field of data",
    (id) => desk.sql`update pawl.task set data = data || '{"description": "x"}' where id = ${id}`,
    /"data"/,
  ],
  [
    "the assignee",
    (id) => desk.sql`update pawl.task set assigned_to = 'eve' where id = ${id}`,
    /"assigned_to" is "eve"/,
  ],
  ["the version", (id) => desk.sql`update pawl.task set row_version = 4 where id = ${id}`, /missing/],
];

test.each(TAMPERED)("%s changed by hand is found", async (_, tamper, what) => {
  const task = await worked();
  await tamper(task.id);
  const { differences } = await desk.engine.verify("main");
  expect(differences.filter(({ task_id }) => task_id === task.id)).toEqual([
    expect.objectContaining({ what: expect.stringMatching(what) as string }),
  ]);
});

test.each([
  [
    "changed",
    (id: string) =>
      desk.sql`update pawl.event set comment = 'forged' where task_id = ${id} and row_version = 2`,
    "not as it was written",
    2,
  ],
  [
    "removed in the middle",
    (id: string) => desk.sql`delete from pawl.event where task_id = ${id} and row_version = 2`,
    "missing",
    2,
  ],
  [
    "removed at the end",
    (id: string) => desk.sql`delete from pawl.event where task_id = ${id} and row_version = 3`,
    "missing",
    3,
  ],
  [
    "put in another's place",
    (id: string) =>
      desk.sql`update pawl.event set actor_id = 'eve', hash = sha256('x') where task_id = ${id} and row_version = 3`,
    "not as it was written",
    3,
  ],
])(
  "a journal row %s by one who can switch the defences off is found",
  async (_, tamper, what, row_version) => {
    const task = await worked();
    await desk.sql`alter table pawl.event disable trigger user`;
    await tamper(task.id);
    await desk.sql`alter table pawl.event enable trigger user`;
    const { differences } = await desk.engine.verify("main");
    expect(differences).toContainEqual(
      expect.objectContaining({
        task_id: task.id,
        row_version,
        what: expect.stringContaining(what) as string,
      }),
    );
  },
);

test.each([
  [
    "an undeclared move",
    (id: string) => desk.sql`update pawl.task set status = 'IN_PROGRESS' where id = ${id}`,
    "task_status_change_declared",
  ],
  [
    "an unknown status",
    (id: string) => desk.sql`update pawl.task set status = 'LOST' where id = ${id}`,
    "task_status_change_declared",
  ],
  [
    "a birth in the wrong status",
    (id: string) =>
      desk.sql`insert into pawl.task select (t).* from (select jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'status', 'DONE')) as t from pawl.task t where id = ${id}) x`,
    "task_first_status_declared",
  ],
  [
    "a change of the journal",
    (id: string) => desk.sql`update pawl.event set comment = 'x' where task_id = ${id}`,
    "event_never_changed",
  ],
  [
    "a deletion from the journal",
    (id: string) => desk.sql`delete from pawl.event where task_id = ${id}`,
    "event_kept_with_task",
  ],
  ["the journal emptied", () => desk.sql`truncate pawl.event`, "event_never_changed"],
  ["all tasks gone at once", () => desk.sql`truncate pawl.task cascade`, "task_never_truncated"],
])("the database itself refuses %s", async (_, attempt, constraint) => {
  const task = await worked();
  await expect(attempt(task.id)).rejects.toMatchObject({ constraint_name: constraint });
});

test("an open task is never deleted", async () => {
  const task = await desk.make(cat, "board", { title: "Write it", description: "all" });
  await expect(desk.sql`delete from pawl.task where id = ${task.id}`).rejects.toMatchObject({
    constraint_name: "task_unfinished_never_removed",
  });
});

test("a final status is left by nobody, even to where its rules once led", async () => {
  const task = await desk.make(cat, "board", { title: "Write it", description: "all" });
  await desk.act(cat, task, "cancel");
  await expect(desk.sql`update pawl.task set status = 'NEW' where id = ${task.id}`).rejects.toMatchObject({
    constraint_name: "task_status_change_declared",
  });
});

test("the feed of an org is in commit order without gaps, while writers on several nodes commit out of order", async () => {
  const feedDesk = await openDesk();
  const nodes = [feedDesk.engine, feedDesk.node(), feedDesk.node()];
  const reader = feedDesk.node();
  const seen: number[] = [];
  const writing = new AbortController();
  const reading = (async () => {
    // Once more after the last write, so that nothing is missed at the end.
    for (let last = false; !last;) {
      last = writing.signal.aborted;
      const rows = await reader.feed(feedDesk.by(bob), { after: seen.at(-1) ?? 0, limit: 37 });
      seen.push(...rows.map((row) => Number(row.position)));
      if (rows.length === 37) last = false;
    }
  })();
  const writers = nodes.map(async (node, index) => {
    for (let round = 0; round < 30; round++) {
      const tasks = Array.from({ length: index + 1 }, () => ({
        lifecycle: "board",
        title: "Write it",
        description: "x",
      }));
      const made = await node.create(feedDesk.by(cat), tasks);
      if (made.kind === "refused") throw new Error(made.detail);
      // Long and short transactions side by side: this one holds its commit back until a neighbour has committed.
      if (round % 5 === 0) {
        await feedDesk.sql.begin(async (tx) => {
          const task_id = made.tasks[0]!.id;
          await tx`select from pawl.task where id = ${task_id} for update`;
          await nodes[(index + 1) % 3]!.create(feedDesk.by(cat), tasks);
          await node.perform(feedDesk.by(ann), { task_id, action: "claim", comment: "x" }, { tx });
        });
      }
    }
  });
  await Promise.all(writers);
  writing.abort();
  await reading;
  const total = await feedDesk.engine.feedPosition("main");
  expect(seen).toEqual(Array.from({ length: total }, (_, n) => n + 1));
  const resumed = await reader.feed(feedDesk.by(bob), { after: total - 10 });
  expect(resumed.map((row) => Number(row.position))).toEqual(seen.slice(-10));
});
