import { expect, test } from "vitest";
import { ann, bob, cat, openDesk, EVERYBODY_IS_ACTIVE } from "./desk.ts";

const desk = await openDesk();
const board = (more = {}) => desk.make(cat, "board", { title: "Write it", description: "all", ...more });
const minute = 60_000;

test("a due timer becomes an ordinary command by the system, once", async () => {
  const task = await board();
  expect(await desk.engine.sweep({ now: Date.now() + 119 * minute })).toMatchObject({ moved: 0 });
  expect(await desk.engine.sweep({ now: Date.now() + 121 * minute })).toMatchObject({ moved: 1 });
  expect(await desk.engine.sweep({ now: Date.now() + 500 * minute })).toMatchObject({
    looked_at: 0,
    moved: 0,
  });
  const events = (await desk.engine.events(desk.by(ann), task.id)) as object[];
  expect(events.at(-1)).toMatchObject({
    type: "deadline_expired",
    actor_id: null,
    comment: expect.stringMatching(/^Status deadline expired\. Was in NEW for 12[01] minutes\.$/) as string,
  });
});

test("deadlines of seconds, on the real clock", async () => {
  await desk.sql`update pawl.project set settings = '{"board": {"status_deadlines": {"NEW": 0.002}}}' where id = 'main'`;
  const task = await board();
  await expect
    .poll(async () => {
      await desk.engine.sweep();
      const found = await desk.engine.find(desk.by(ann), task.id);
      return "status" in found ? found.status : found.code;
    })
    .toBe("STUCK");
  await desk.sql`update pawl.project set settings = '{}' where id = 'main'`;
});

test("settings that somebody broke by hand do not stop a lifecycle", async () => {
  await desk.sql`update pawl.project set settings = '{"board": {"status_deadlines": {"NEW": "soon"}}}' where id = 'main'`;
  const task = await board();
  expect(task.due_at! - task.created_at).toBe(120 * minute);
  await desk.sql`update pawl.project set settings = '{}' where id = 'main'`;
});

test("two nodes that sweep at once do each task once", async () => {
  const tasks = await Promise.all(Array.from({ length: 300 }, () => board()));
  const nodes = [desk.engine, desk.node(), desk.node()];
  const now = Date.now() + 125 * minute;
  await Promise.all(nodes.map((node) => node.sweep({ now, limit: 20 })));
  // A node may pass over what another holds and find nothing else: the next sweep does the rest.
  await desk.engine.sweep({ now });
  const ids = tasks.map(({ id }) => id);
  const rows = await desk.sql`
    select t.status, t.row_version, count(*)::int as events from pawl.task t join pawl.event e on e.task_id = t.id
    where t.id = any(${ids}) group by t.id, t.status, t.row_version`;
  expect(rows).toHaveLength(300);
  expect(rows.every((row) => row.status === "STUCK" && row.row_version === 2 && row.events === 2)).toBe(true);
});

test("one bad task never stops the rest", async () => {
  const [bad, good] = [await board(), await board()];
  await desk.sql`update pawl.task set due_action = 'no_such_action', due_at = now() - interval '1 day' where id = ${bad.id}`;
  await desk.sql`update pawl.task set due_at = now() - interval '1 hour' where id = ${good.id}`;
  const swept = await desk.engine.sweep();
  expect(swept.put_off).toMatchObject([{ task_id: bad.id }]);
  expect(await desk.engine.find(desk.by(ann), good.id)).toMatchObject({ status: "STUCK" });
  expect(await desk.engine.sweep()).toMatchObject({ looked_at: 0 });
});

test("a task that cannot be written is put off, and stops neither its neighbours nor the next sweep", async () => {
  const [bad, good] = [await board(), await board()];
  // An invented rule of the database's own, which only this task breaks.
  await desk.sql.unsafe(
    `alter table pawl.task add constraint this_one_never_sticks check (status <> 'STUCK' or id <> '${bad.id}')`,
  );
  await desk.sql`update pawl.task set due_at = now() - interval '1 hour' where id in (${bad.id}, ${good.id})`;
  expect((await desk.engine.sweep()).put_off).toMatchObject([{ task_id: bad.id }]);
  expect(await desk.engine.find(desk.by(ann), good.id)).toMatchObject({ status: "STUCK" });
  expect(await desk.engine.find(desk.by(ann), bad.id)).toMatchObject({ status: "NEW", row_version: 1 });
  await desk.sql`alter table pawl.task drop constraint this_one_never_sticks`;
});

test("code: a lost lease, then the claim's time-out, bring a task back to ready and count the attempt", async () => {
  const task = await desk.make(cat, "code", { title: "Add a flag" });
  const claimed = await desk.engine.perform(desk.by(bob), { task_id: task.id, action: "claim" });
  const lease_token = claimed.kind === "performed" ? claimed.lease_token : null;
  const payload = { worktree: "/w", branch: "b" };
  expect(await desk.act(bob, task, "start", { payload, lease_token })).toBe("in_progress");
  const now = Date.now() + 61_000;
  await desk.engine.sweep({ now });
  expect(await desk.engine.find(desk.by(ann), task.id)).toMatchObject({
    status: "ready",
    attempt: 1,
    lease: null,
  });
});

test("a failed delivery waits for its backoff before anybody may take it", async () => {
  const job = await desk.make(bob, "delivery", {
    user_id: "u",
    file_id: "f",
    chat_id: "c",
    request_nonce: "1",
  });
  const node = desk.node({ parts: EVERYBODY_IS_ACTIVE });
  const run = async (action: string, more = {}) => {
    const done = await node.perform(desk.by(bob), { task_id: job.id, action, ...more });
    if (done.kind === "refused") throw new Error(done.detail);
    return done;
  };
  const { lease_token } = await run("claim");
  await run("start_download", { lease_token });
  const error = { code: "RESET", message: "", retryable: true };
  const { task } = await run("fail", { lease_token, payload: { error } });
  expect(task).toMatchObject({ status: "QUEUED", attempt: 1, data: { last_error: { code: "RESET" } } });
  expect(task.available_at! - task.updated_at).toBeGreaterThanOrEqual(2_500);
  const claimed = await node.claim(desk.by(bob), { lifecycle: "delivery" });
  expect(claimed).toMatchObject({ kind: "claimed", tasks: [] });
});
