import { expect, test } from "vitest";
import { RecentClaims } from "../../src/mcp/recent-claims.ts";
import { connectAgent, connectFileAgent, startMcpServer, tasksIn } from "./agent.ts";
import type { Agent, ToolReply } from "./agent.ts";

const server = await startMcpServer();
const { url } = server;
const alpha = { url, token: await server.member({ id: "alpha", roles: ["agent", "worker"] }) };
const agent = await connectFileAgent("http", alpha);
const board = { lifecycle: "board", description: "x" };

async function newTask(title: string, by: Agent = agent): Promise<string> {
  const reply = await by.call("create_tasks", { tasks: [{ ...board, title }] });
  return tasksIn(reply)[0]!.id;
}

async function journal(id: string): Promise<string[]> {
  const { body } = await server.ask(`GET /api/tasks/${id}/events`);
  return (body.events as { action: string }[]).map(({ action }) => action);
}

async function count(q: string): Promise<number> {
  const { body } = await server.ask(`GET /api/tasks?q=${encodeURIComponent(q)}`);
  return (body.tasks as unknown[]).length;
}

const ids = (reply: ToolReply) => tasksIn(reply).map(({ id }) => id);

test("a repeated creation, in sequence or ten at once, creates nothing twice", async () => {
  const given = {
    tasks: [
      { ...board, title: "Made once" },
      { ...board, title: "Made once too" },
    ],
  };
  const first = await agent.call("create_tasks", given);
  const again = await agent.call("create_tasks", given);
  expect(ids(again)).toEqual(ids(first));
  const other = { tasks: [{ ...board, title: "Made at once" }] };
  const all = await Promise.all(Array.from({ length: 10 }, () => agent.call("create_tasks", other)));
  expect(new Set(all.flatMap(ids)).size).toBe(1);
  expect([await count("Made once"), await count("Made at once")]).toEqual([2, 1]);
});

test("a new request_id creates the same again, and so does another agent with the same request_id", async () => {
  const given = { tasks: [{ ...board, title: "Made on purpose" }] };
  await agent.call("create_tasks", { ...given, request_id: "one" });
  await agent.call("create_tasks", { ...given, request_id: "one" });
  await agent.call("create_tasks", { ...given, request_id: "two" });
  const token = await server.member({ id: "beta", roles: ["agent"] });
  const beta = await connectAgent("http", { url, token });
  await beta.call("create_tasks", { ...given, request_id: "one" });
  expect(await count("Made on purpose")).toBe(3);
});

test("the same creation after an hour creates a new task", async () => {
  const given = { tasks: [{ ...board, title: "Made every hour" }] };
  const [first] = ids(await agent.call("create_tasks", given));
  await server.sql`alter table pawl.task disable trigger user`;
  await server.sql`update pawl.task set created_at = created_at - interval '1 hour' where id = ${first!}`;
  await server.sql`alter table pawl.task enable trigger user`;
  const [second] = ids(await agent.call("create_tasks", given));
  expect(second).not.toBe(first);
  expect(ids(await agent.call("create_tasks", given))).toEqual([second]);
});

test("a repeated comment, in sequence or ten at once, is added once", async () => {
  const task_id = await newTask("To be talked about");
  const given = { task_id, comment: "Once is enough" };
  await agent.call("comment", given);
  await agent.call("comment", given);
  await Promise.all(
    Array.from({ length: 10 }, () => agent.call("comment", { ...given, comment: "At once" })),
  );
  expect(await journal(task_id)).toEqual(["create", "comment", "comment"]);
  await agent.call("comment", { ...given, request_id: "on purpose" });
  expect(await journal(task_id)).toHaveLength(4);
});

test("the same action after a different one is performed again", async () => {
  const task_id = await newTask("Taken and given back");
  const take = { task_id, comment: "on it" };
  const give = { task_id, action: "release", comment: "later" };
  for (let round = 0; round < 3; round++) {
    for (let time = 0; time < 2; time++) {
      const taken = await agent.call("claim_task", take);
      expect(taken.data).toMatchObject({ task: { status: "IN_PROGRESS", assigned_to: "alpha" } });
    }
    for (let time = 0; time < 2; time++) {
      const given = await agent.call("act", give);
      expect(given.data).toMatchObject({ task: { status: "NEW", assigned_to: null } });
    }
  }
  expect(await journal(task_id)).toEqual([
    "create",
    ...Array.from({ length: 3 }, () => ["claim", "release"]).flat(),
  ]);
  await agent.call("act", { task_id, action: "cancel", comment: "enough" });
});

test("a repeated claim gives the same task until it is acted on, then the next one", async () => {
  await agent.call("create_tasks", {
    tasks: ["one", "two", "three"].map((n) => ({ lifecycle: "code", title: `Piece ${n}` })),
  });
  const claim = () => agent.call("claim_task", { lifecycle: "code" });
  const replies = [...(await Promise.all([claim(), claim(), claim()])), await claim()];
  expect(new Set(replies.flatMap(ids)).size).toBe(1);
  const tokens = replies.map(({ data }) => (data.tasks as { lease_token: string }[])[0]!.lease_token);
  expect(new Set(tokens).size).toBe(1);
  const [first] = ids(replies[0]!);
  const release = { task_id: first!, action: "release", lease_token: tokens[0]!, comment: "not me" };
  expect((await agent.call("act", release)).refused).toBe(false);
  const [next] = tasksIn(await claim());
  expect(next!.row_version).not.toBe(tasksIn(replies[0]!)[0]!.row_version);
  const more = await agent.call("claim_task", { lifecycle: "code", request_id: "one more" });
  expect(ids(more)).not.toContain(next!.id);
});

test("a repeated claim through another process gives the same task", async () => {
  await newTask("Free for the taking");
  const [first] = ids(await agent.call("claim_task", { lifecycle: "board", comment: "mine" }));
  // Over standard streams it is another process, which does not know the first claim.
  const anew = await connectAgent("stdio", alpha);
  await newTask("Free as well", anew);
  const again = await anew.call("claim_task", { lifecycle: "board", comment: "mine" });
  expect(ids(again)).toEqual([first]);
  expect(again.text).toContain("to take one more, give a request_id");
});

test("claims are forgotten after two minutes", () => {
  const claims = new RecentClaims();
  const nothing = () => Promise.resolve([]);
  const first = claims.rememberOrReuse("a", 0, nothing);
  expect(first.again).toBe(false);
  expect(claims.rememberOrReuse("a", 119_999, nothing)).toEqual({ ...first, again: true });
  expect(claims.rememberOrReuse("b", 1, nothing).key).not.toBe(first.key);
  const next = claims.next("a", first, 2);
  expect(claims.next("a", first, 3)).toBe(next);
  expect(claims.rememberOrReuse("a", 120_003, nothing)).toMatchObject({ again: false });
});
