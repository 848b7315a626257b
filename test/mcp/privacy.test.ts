import { expect, test } from "vitest";
import { connectAgent, employAgent, openMcpDesk, tasksIn } from "./agent.ts";

const desk = await openMcpDesk();
const { url } = desk;
await desk.ask("POST /api/projects", { body: { id: "vault" } });
const ann = await employAgent("http", { url, token: await desk.member({ id: "ann", roles: ["agent"] }) });
const eve = await employAgent("http", {
  url,
  token: await desk.member({ id: "eve", roles: ["agent"], project_ids: ["main"] }),
});
const theirs = await employAgent("http", {
  url,
  token: await desk.member({ id: "ann", roles: ["agent", "admin"] }, "other"),
});

const SECRET = "Xyzzy";
const hidden = { lifecycle: "board", description: `${SECRET} inside`, title: `${SECRET} is the word` };

const made = await ann.call("create_tasks", {
  tasks: [
    { ...hidden, visibility: "private", ref: "private" },
    { ...hidden, project_id: "vault" },
    { lifecycle: "board", title: "Open to everybody", description: "x", blocked_by: ["private"] },
  ],
});
const [secret, vaulted, open] = tasksIn(made).map(({ id }) => id) as [string, string, string];

test.each([
  ["eve of the same org", eve, [secret, vaulted]],
  ["ann of another org", theirs, [secret, vaulted, open]],
] as const)("no tool tells %s of what she may not see", async (_, agent, ids) => {
  const told: string[] = [];
  const call = async (tool: string, given: Record<string, unknown> = {}) => {
    const said = await agent.call(tool, given);
    told.push(said.text + JSON.stringify(said.data));
    return said;
  };
  await call("list_tasks", { limit: 100 });
  await call("list_tasks", { q: SECRET });
  await call("list_tasks", { project_id: "vault" });
  await call("list_tasks", { assigned_to: "ann" });
  await call("wait_for_changes", { after: 0, seconds: 1 });
  await call("claim_task", { lifecycle: "board", comment: "give me", project_id: "vault" });
  for (const task_id of ids) {
    const words = { task_id, comment: "hello" };
    const answers = [
      await call("get_task", { task_id }),
      await call("claim_task", words),
      await call("act", { ...words, action: "cancel" }),
      await call("comment", words),
      await call("wait_for_changes", { after: 0, seconds: 1, task_id }),
    ];
    // The very words for a task that is nowhere.
    for (const { text } of answers) expect(text).toMatch(/^TASK_NOT_FOUND: there is no task/);
  }
  expect(told.join("\n")).not.toContain(SECRET);
  expect((await ann.call("get_task", { task_id: secret })).data).toMatchObject({ task: { row_version: 1 } });
});

test("a private task that is in the way is named, and nothing else is told of it", async () => {
  const said = await eve.call("claim_task", { task_id: open, comment: "mine" });
  expect(said.text).toContain(`blocked by ${secret}, a task you may not see`);
  expect(said.text + JSON.stringify(said.data)).not.toContain(SECRET);
});

test("create_tasks refuses a blocker in another project, named by ref", async () => {
  const task = { lifecycle: "board", description: "x" };
  const said = await ann.call("create_tasks", {
    tasks: [
      { ...task, title: "In the vault", project_id: "vault", ref: "first" },
      { ...task, title: "In main", blocked_by: ["first"] },
    ],
  });
  expect(said.refused).toBe(true);
  expect(said.text).toContain("there is no task first in project main");
  const listed = await ann.call("list_tasks", { q: "In the vault" });
  expect(tasksIn(listed)).toEqual([]);
});

test("a blocker in a hidden project, from before such blockers were refused, is shown by its id only", async () => {
  const made = await ann.call("create_tasks", {
    tasks: [{ lifecycle: "board", title: "Waits for the vault", description: "x" }],
  });
  const id = tasksIn(made)[0]!.id;
  await desk.sql`insert into pawl.dependency (org_id, task_id, blocker_id, on_failure, resolved)
    values ('main', ${id}, ${vaulted}, 'wait', false)`;
  await desk.sql`update pawl.task set open_blockers = 1 where id = ${id}`;
  const claimed = await eve.call("claim_task", { task_id: id, comment: "mine" });
  expect(claimed.text).toContain(`blocked by ${vaulted}, a task you may not see`);
  const shown = await eve.call("get_task", { task_id: id });
  for (const { text, data } of [claimed, shown]) expect(text + JSON.stringify(data)).not.toContain(SECRET);
});

test("a token that is revoked ends at the next call", async () => {
  const { body } = await desk.ask("POST /api/members/ann/tokens");
  const agent = await connectAgent("http", { url, token: String(body.token) });
  expect((await agent.call("list_tasks")).refused).toBe(false);
  await desk.ask(`DELETE /api/tokens/${String(body.id)}`);
  await expect(agent.call("list_tasks")).rejects.toThrow("INVALID_TOKEN");
});
