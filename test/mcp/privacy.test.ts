import { expect, test } from "vitest";
import { connectAgent, connectFileAgent, startMcpServer, tasksIn } from "./agent.ts";

const server = await startMcpServer();
const { url } = server;
await server.ask("POST /api/projects", { body: { id: "vault" } });
const ann = await connectFileAgent("http", {
  url,
  token: await server.member({ id: "ann", roles: ["agent"] }),
});
const eve = await connectFileAgent("http", {
  url,
  token: await server.member({ id: "eve", roles: ["agent"], project_ids: ["main"] }),
});
const theirs = await connectFileAgent("http", {
  url,
  token: await server.member({ id: "ann", roles: ["agent", "admin"] }, "other"),
});

const SECRET = "Xyzzy";
const hidden = { lifecycle: "board", description: `${SECRET} inside`, title: `${SECRET} is the word` };

const created = await ann.call("create_tasks", {
  tasks: [
    { ...hidden, visibility: "private", ref: "private" },
    { ...hidden, project_id: "vault" },
    { lifecycle: "board", title: "Open to everybody", description: "x", blocked_by: ["private"] },
  ],
});
const [secret, vaulted, open] = tasksIn(created).map(({ id }) => id) as [string, string, string];

test.each([
  ["eve of the same org", eve, [secret, vaulted]],
  ["ann of another org", theirs, [secret, vaulted, open]],
] as const)("no tool shows %s a hidden task", async (_, agent, ids) => {
  const replies: string[] = [];
  const call = async (tool: string, given: Record<string, unknown> = {}) => {
    const reply = await agent.call(tool, given);
    replies.push(reply.text + JSON.stringify(reply.data));
    return reply;
  };
  await call("list_tasks", { limit: 100 });
  await call("list_tasks", { q: SECRET });
  await call("list_tasks", { project_id: "vault" });
  await call("list_tasks", { assigned_to: "ann" });
  await call("wait_for_changes", { after: 0, seconds: 1 });
  await call("claim_task", { lifecycle: "board", comment: "give me", project_id: "vault" });
  for (const task_id of ids) {
    const given = { task_id, comment: "hello" };
    const answers = [
      await call("get_task", { task_id }),
      await call("claim_task", given),
      await call("act", { ...given, action: "cancel" }),
      await call("comment", given),
      await call("wait_for_changes", { after: 0, seconds: 1, task_id }),
    ];
    // The same text as for a task that does not exist.
    for (const { text } of answers) expect(text).toMatch(/^TASK_NOT_FOUND: there is no task/);
  }
  expect(replies.join("\n")).not.toContain(SECRET);
  expect((await ann.call("get_task", { task_id: secret })).data).toMatchObject({ task: { row_version: 1 } });
});

test("only the id of a private blocker is shown", async () => {
  const reply = await eve.call("claim_task", { task_id: open, comment: "mine" });
  expect(reply.text).toContain(`blocked by ${secret}, a task you may not see`);
  expect(reply.text + JSON.stringify(reply.data)).not.toContain(SECRET);
});

test("create_tasks refuses a blocker in another project, named by ref", async () => {
  const task = { lifecycle: "board", description: "x" };
  const reply = await ann.call("create_tasks", {
    tasks: [
      { ...task, title: "In the vault", project_id: "vault", ref: "first" },
      { ...task, title: "In main", blocked_by: ["first"] },
    ],
  });
  expect(reply.refused).toBe(true);
  expect(reply.text).toContain("there is no task first in project main");
  const listed = await ann.call("list_tasks", { q: "In the vault" });
  expect(tasksIn(listed)).toEqual([]);
});

test("only the id of a blocker in a hidden project is shown, if it was created before such blockers were refused", async () => {
  const reply = await ann.call("create_tasks", {
    tasks: [{ lifecycle: "board", title: "Waits for the vault", description: "x" }],
  });
  const id = tasksIn(reply)[0]!.id;
  await server.sql`insert into pawl.dependency (org_id, task_id, blocker_id, on_failure, resolved)
    values ('main', ${id}, ${vaulted}, 'wait', false)`;
  await server.sql`update pawl.task set open_blockers = 1 where id = ${id}`;
  const claimed = await eve.call("claim_task", { task_id: id, comment: "mine" });
  expect(claimed.text).toContain(`blocked by ${vaulted}, a task you may not see`);
  const shown = await eve.call("get_task", { task_id: id });
  for (const { text, data } of [claimed, shown]) expect(text + JSON.stringify(data)).not.toContain(SECRET);
});

test("a revoked token is refused at the next call", async () => {
  const { body } = await server.ask("POST /api/members/ann/tokens");
  const agent = await connectAgent("http", { url, token: String(body.token) });
  expect((await agent.call("list_tasks")).refused).toBe(false);
  await server.ask(`DELETE /api/tokens/${String(body.id)}`);
  await expect(agent.call("list_tasks")).rejects.toThrow("INVALID_TOKEN");
});
