import { expect, test } from "vitest";
import { ann, bob, cat, openTestEngine, EVERYBODY_IS_ACTIVE } from "./test-engine.ts";

const env = await openTestEngine();
const board = (more = {}) => env.make(cat, "board", { title: "Write it", description: "all", ...more });
const minute = 60_000;

test("a due timer performs its action as the system, once", async () => {
  const task = await board();
  expect(await env.engine.sweep({ now: Date.now() + 119 * minute })).toMatchObject({ moved: 0 });
  expect(await env.engine.sweep({ now: Date.now() + 121 * minute })).toMatchObject({ moved: 1 });
  expect(await env.engine.sweep({ now: Date.now() + 500 * minute })).toMatchObject({
    checked: 0,
    moved: 0,
  });
  const events = (await env.engine.events(env.by(ann), task.id)) as object[];
  expect(events.at(-1)).toMatchObject({
    type: "deadline_expired",
    actor_id: null,
    comment: expect.stringMatching(/^Status deadline expired\. Was in NEW for 12[01] minutes\.$/) as string,
  });
});

test("a deadline of less than a second works on the real clock", async () => {
  await env.sql`update pawl.project set settings = '{"board": {"status_deadlines": {"NEW": 0.002}}}' where id = 'main'`;
  const task = await board();
  await expect
    .poll(async () => {
      await env.engine.sweep();
      const found = await env.engine.find(env.by(ann), task.id);
      return "status" in found ? found.status : found.code;
    })
    .toBe("STUCK");
  await env.sql`update pawl.project set settings = '{}' where id = 'main'`;
});

test("invalid settings in the database fall back to the defaults", async () => {
  await env.sql`update pawl.project set settings = '{"board": {"status_deadlines": {"NEW": "soon"}}}' where id = 'main'`;
  const task = await board();
  expect(task.due_at! - task.created_at).toBe(120 * minute);
  await env.sql`update pawl.project set settings = '{}' where id = 'main'`;
});

test("nodes that sweep at once move each task once", async () => {
  const tasks = await Promise.all(Array.from({ length: 300 }, () => board()));
  const nodes = [env.engine, env.node(), env.node()];
  const now = Date.now() + 125 * minute;
  await Promise.all(nodes.map((node) => node.sweep({ now, limit: 20 })));
  // A node may skip tasks that another has locked and find nothing else; the next sweep moves the rest.
  await env.engine.sweep({ now });
  const ids = tasks.map(({ id }) => id);
  const rows = await env.sql`
    select t.status, t.row_version, count(*)::int as events from pawl.task t join pawl.event e on e.task_id = t.id
    where t.id = any(${ids}) group by t.id, t.status, t.row_version`;
  expect(rows).toHaveLength(300);
  expect(rows.every((row) => row.status === "STUCK" && row.row_version === 2 && row.events === 2)).toBe(true);
});

test("a task with an unknown timer action does not stop the others", async () => {
  const [bad, good] = [await board(), await board()];
  await env.sql`update pawl.task set due_action = 'no_such_action', due_at = now() - interval '1 day' where id = ${bad.id}`;
  await env.sql`update pawl.task set due_at = now() - interval '1 hour' where id = ${good.id}`;
  const swept = await env.engine.sweep();
  expect(swept.postponed).toMatchObject([{ task_id: bad.id }]);
  expect(await env.engine.find(env.by(ann), good.id)).toMatchObject({ status: "STUCK" });
  expect(await env.engine.sweep()).toMatchObject({ checked: 0 });
});

test("a task that cannot be written is postponed, and stops neither the others nor the next sweep", async () => {
  const [bad, good] = [await board(), await board()];
  // A constraint that only this task violates.
  await env.sql.unsafe(
    `alter table pawl.task add constraint this_one_never_sticks check (status <> 'STUCK' or id <> '${bad.id}')`,
  );
  await env.sql`update pawl.task set due_at = now() - interval '1 hour' where id in (${bad.id}, ${good.id})`;
  expect((await env.engine.sweep()).postponed).toMatchObject([{ task_id: bad.id }]);
  expect(await env.engine.find(env.by(ann), good.id)).toMatchObject({ status: "STUCK" });
  expect(await env.engine.find(env.by(ann), bad.id)).toMatchObject({ status: "NEW", row_version: 1 });
  await env.sql`alter table pawl.task drop constraint this_one_never_sticks`;
});

test("code: a task whose lease expires returns to ready and counts the attempt", async () => {
  const task = await env.make(cat, "code", { title: "Add a flag" });
  const claimed = await env.engine.perform(env.by(bob), { task_id: task.id, action: "claim" });
  const lease_token = claimed.kind === "performed" ? claimed.lease_token : null;
  const payload = { worktree: "/w", branch: "b" };
  expect(await env.act(bob, task, "start", { payload, lease_token })).toBe("in_progress");
  const now = Date.now() + 61_000;
  await env.engine.sweep({ now });
  expect(await env.engine.find(env.by(ann), task.id)).toMatchObject({
    status: "ready",
    attempt: 1,
    lease: null,
  });
});

test("a failed delivery cannot be claimed before its backoff ends", async () => {
  const job = await env.make(bob, "delivery", {
    user_id: "u",
    file_id: "f",
    chat_id: "c",
    request_nonce: "1",
  });
  const node = env.node({ parts: EVERYBODY_IS_ACTIVE });
  const run = async (action: string, more = {}) => {
    const done = await node.perform(env.by(bob), { task_id: job.id, action, ...more });
    if (done.kind === "refused") throw new Error(done.detail);
    return done;
  };
  const { lease_token } = await run("claim");
  await run("start_download", { lease_token });
  const error = { code: "RESET", message: "", retryable: true };
  const { task } = await run("fail", { lease_token, payload: { error } });
  expect(task).toMatchObject({ status: "QUEUED", attempt: 1, data: { last_error: { code: "RESET" } } });
  expect(task.available_at! - task.updated_at).toBeGreaterThanOrEqual(2_500);
  const claimed = await node.claim(env.by(bob), { lifecycle: "delivery" });
  expect(claimed).toMatchObject({ kind: "claimed", tasks: [] });
});
