import { expect, test } from "vitest";
import { ann, bob, cat, openTestEngine } from "./test-engine.ts";

const env = await openTestEngine();

async function finishedTask() {
  const task = await env.make(cat, "board", { title: "Write it", description: "all" });
  await env.act(ann, task, "claim");
  await env.act(ann, task, "complete");
  return task;
}

test("verify rebuilds every task from its journal and reports its progress", async () => {
  const tasks = await Promise.all(Array.from({ length: 30 }, finishedTask));
  const progress: number[] = [];
  const verified = await env.engine.verify("main", ({ tasks }) => progress.push(tasks));
  expect(verified).toEqual({ tasks: tasks.length, events: tasks.length * 3, differences: [] });
  expect(progress.at(-1)).toBe(tasks.length);
});

const TAMPERED: [string, (id: string) => Promise<unknown>, RegExp][] = [
  ["a title", (id) => env.sql`update pawl.task set title = 'Forged' where id = ${id}`, /"title" is "Forged"/],
  [
    "a field of data",
    (id) => env.sql`update pawl.task set data = data || '{"description": "x"}' where id = ${id}`,
    /"data"/,
  ],
  [
    "the assignee",
    (id) => env.sql`update pawl.task set assigned_to = 'eve' where id = ${id}`,
    /"assigned_to" is "eve"/,
  ],
  ["the version", (id) => env.sql`update pawl.task set row_version = 4 where id = ${id}`, /missing/],
];

test.each(TAMPERED)("%s changed by hand is found", async (_, tamper, what) => {
  const task = await finishedTask();
  await tamper(task.id);
  const { differences } = await env.engine.verify("main");
  expect(differences.filter(({ task_id }) => task_id === task.id)).toEqual([
    expect.objectContaining({ what: expect.stringMatching(what) as string }),
  ]);
});

test.each([
  [
    "changed",
    (id: string) =>
      env.sql`update pawl.event set comment = 'forged' where task_id = ${id} and row_version = 2`,
    "was changed after it was written",
    2,
  ],
  [
    "removed in the middle",
    (id: string) => env.sql`delete from pawl.event where task_id = ${id} and row_version = 2`,
    "missing",
    2,
  ],
  [
    "removed at the end",
    (id: string) => env.sql`delete from pawl.event where task_id = ${id} and row_version = 3`,
    "missing",
    3,
  ],
  [
    "forged with a new hash",
    (id: string) =>
      env.sql`update pawl.event set actor_id = 'eve', hash = sha256('x') where task_id = ${id} and row_version = 3`,
    "was changed after it was written",
    3,
  ],
])("a journal row %s with the triggers disabled is found", async (_, tamper, what, row_version) => {
  const task = await finishedTask();
  await env.sql`alter table pawl.event disable trigger user`;
  await tamper(task.id);
  await env.sql`alter table pawl.event enable trigger user`;
  const { differences } = await env.engine.verify("main");
  expect(differences).toContainEqual(
    expect.objectContaining({
      task_id: task.id,
      row_version,
      what: expect.stringContaining(what) as string,
    }),
  );
});

test.each([
  [
    "an undeclared move",
    (id: string) => env.sql`update pawl.task set status = 'IN_PROGRESS' where id = ${id}`,
    "task_status_change_declared",
  ],
  [
    "an unknown status",
    (id: string) => env.sql`update pawl.task set status = 'LOST' where id = ${id}`,
    "task_status_change_declared",
  ],
  [
    "a creation in the wrong status",
    (id: string) =>
      env.sql`insert into pawl.task select (t).* from (select jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'status', 'DONE')) as t from pawl.task t where id = ${id}) x`,
    "task_first_status_declared",
  ],
  [
    "a change of the journal",
    (id: string) => env.sql`update pawl.event set comment = 'x' where task_id = ${id}`,
    "event_never_changed",
  ],
  [
    "a deletion from the journal",
    (id: string) => env.sql`delete from pawl.event where task_id = ${id}`,
    "event_kept_with_task",
  ],
  ["a truncation of the journal", () => env.sql`truncate pawl.event`, "event_never_changed"],
  ["a truncation of all tasks", () => env.sql`truncate pawl.task cascade`, "task_never_truncated"],
])("the database itself refuses %s", async (_, attempt, constraint) => {
  const task = await finishedTask();
  await expect(attempt(task.id)).rejects.toMatchObject({ constraint_name: constraint });
});

test("an open task is never deleted", async () => {
  const task = await env.make(cat, "board", { title: "Write it", description: "all" });
  await expect(env.sql`delete from pawl.task where id = ${task.id}`).rejects.toMatchObject({
    constraint_name: "task_unfinished_never_removed",
  });
});

test("a final status cannot be changed, not even back to an earlier one", async () => {
  const task = await env.make(cat, "board", { title: "Write it", description: "all" });
  await env.act(cat, task, "cancel");
  await expect(env.sql`update pawl.task set status = 'NEW' where id = ${task.id}`).rejects.toMatchObject({
    constraint_name: "task_status_change_declared",
  });
});

test("a final task keeps its status, although some version declares the transition", async () => {
  const { id } = await env.make(ann, "board", { title: "Final", description: "-" });
  await env.sql`update pawl.task set final = true where id = ${id}`;
  await expect(env.sql`update pawl.task set status = 'IN_PROGRESS' where id = ${id}`).rejects.toThrow(
    "may not go from NEW to IN_PROGRESS",
  );
  await env.sql`update pawl.task set final = false where id = ${id}`;
});

test("the feed of an org is in commit order without gaps, while writers on several nodes commit out of order", async () => {
  const feed = await openTestEngine();
  const nodes = [feed.engine, feed.node(), feed.node()];
  const reader = feed.node();
  const seen: number[] = [];
  const writing = new AbortController();
  const reading = (async () => {
    // Read once more after the last write, so that nothing is missed at the end.
    for (let last = false; !last;) {
      last = writing.signal.aborted;
      const rows = await reader.feed(feed.by(bob), { after: seen.at(-1) ?? 0, limit: 37 });
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
      const created = await node.create(feed.by(cat), tasks);
      if (created.kind === "refused") throw new Error(created.detail);
      // Long and short transactions side by side: this one commits only after another node has committed.
      if (round % 5 === 0) {
        await feed.sql.begin(async (tx) => {
          const task_id = created.tasks[0]!.id;
          await tx`select from pawl.task where id = ${task_id} for update`;
          await nodes[(index + 1) % 3]!.create(feed.by(cat), tasks);
          await node.perform(feed.by(ann), { task_id, action: "claim", comment: "x" }, { tx });
        });
      }
    }
  });
  await Promise.all(writers);
  writing.abort();
  await reading;
  const total = await feed.engine.feedPosition("main");
  expect(seen).toEqual(Array.from({ length: total }, (_, n) => n + 1));
  const resumed = await reader.feed(feed.by(bob), { after: total - 10 });
  expect(resumed.map((row) => Number(row.position))).toEqual(seen.slice(-10));
});
