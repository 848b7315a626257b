import { expect, test } from "vitest";
import { connectAgent, connectFileAgent, startMcpServer, tasksIn } from "./agent.ts";

const server = await startMcpServer();
const { url } = server;
const alpha = { url, token: await server.member({ id: "alpha", roles: ["agent"] }) };
const beta = { url, token: await server.member({ id: "beta", roles: ["agent"] }) };
const viewer = { url, token: await server.member({ id: "eve", roles: ["viewer"] }) };

const agents = {
  alpha: await connectFileAgent("http", alpha),
  beta: await connectFileAgent("http", beta),
  eve: await connectFileAgent("http", viewer),
};

const created = await agents.alpha.call("create_tasks", {
  tasks: [
    { lifecycle: "board", title: "The first one", description: "x", ref: "first" },
    { lifecycle: "board", title: "The second one", description: "x", blocked_by: ["first"] },
    { lifecycle: "board", title: "The given up one", description: "x", ref: "dead" },
    { lifecycle: "board", title: "The hopeless one", description: "x", blocked_by: ["dead"] },
  ],
});
const [first, second, dead, hopeless] = tasksIn(created).map(({ id }) => id) as [
  string,
  string,
  string,
  string,
];
await agents.beta.call("claim_task", { task_id: first, comment: "mine" });
await agents.alpha.call("act", { task_id: dead, action: "cancel", comment: "no use" });

const NOWHERE = "0197a000-0000-7000-8000-000000000001";
const board = { lifecycle: "board", description: "x" };

type Row = [code: string, who: keyof typeof agents, tool: string, given: object, texts: RegExp[]];

const ROWS: Row[] = [
  [
    "UNRESOLVED_BLOCKERS",
    "alpha",
    "claim_task",
    { task_id: second, comment: "on it" },
    [
      new RegExp(`blocked by ${first} "The first one", still IN_PROGRESS by beta since \\d\\d:\\d\\d UTC`),
      /claim_task.*wait_for_changes \{after: \d+\}/,
    ],
  ],
  [
    "UNRESOLVED_BLOCKERS",
    "alpha",
    "act",
    { task_id: hopeless, action: "claim", comment: "on it" },
    [/still CANCELLED/, new RegExp(`${dead} will never be done`)],
  ],
  [
    "TASK_ALREADY_CLAIMED",
    "alpha",
    "claim_task",
    { task_id: first, comment: "on it" },
    [/beta claimed it first; it is IN_PROGRESS since/, /claim_task without task_id/],
  ],
  [
    "TASK_ALREADY_CLAIMED",
    "beta",
    "act",
    { task_id: first, action: "claim", comment: "once more" },
    [/it is yours already/],
  ],
  [
    "FORBIDDEN",
    "alpha",
    "act",
    { task_id: first, action: "complete", comment: "done" },
    [
      /You are alpha \(roles: agent\); complete is allowed for: assignee \(created by alpha, held by beta\)/,
      /you may: escalate, cancel/,
    ],
  ],
  ["FORBIDDEN", "eve", "comment", { task_id: first, comment: "hello" }, [/You are eve \(roles: viewer\)/]],
  ["FORBIDDEN", "eve", "create_tasks", { tasks: [{ ...board, title: "Not for me" }] }, [/You are eve/]],
  [
    "COMMENT_REQUIRED",
    "beta",
    "act",
    { task_id: first, action: "complete" },
    [/send the same act call again with `comment`/],
  ],
  [
    "COMMENT_REQUIRED",
    "alpha",
    "claim_task",
    { lifecycle: "board" },
    [/claim_task call again with `comment`/],
  ],
  [
    "VERSION_CONFLICT",
    "beta",
    "act",
    { task_id: first, action: "block", comment: "wait", expected_row_version: 1 },
    [/IN_PROGRESS at row_version 2/, /expected_row_version 2, or without/],
  ],
  [
    "INVALID_TRANSITION",
    "alpha",
    "act",
    { task_id: second, action: "resume", comment: "go" },
    [/"resume" starts from BLOCKED, STUCK/, /It is NEW now; you may: cancel, comment/],
  ],
  ["TASK_NOT_FOUND", "alpha", "get_task", { task_id: NOWHERE }, [new RegExp(NOWHERE), /list_tasks/]],
  ["TASK_NOT_FOUND", "alpha", "act", { task_id: "T-12", action: "claim" }, [/Ids are complete UUIDs/]],
  [
    "VALIDATION_ERROR",
    "alpha",
    "create_tasks",
    {
      tasks: [
        { ...board, title: "Long enough" },
        { ...board, title: "Tiny" },
      ],
    },
    [/tasks\.1\.title: /, /call create_tasks again/],
  ],
  [
    "VALIDATION_ERROR",
    "alpha",
    "create_tasks",
    { task: { ...board, title: "Long enough" } },
    [/tasks: /, /Unrecognized key: "task"/, /create_tasks takes: tasks\*/],
  ],
  ["TASK_NOT_FOUND", "alpha", "wait_for_changes", { task_id: NOWHERE, seconds: 50 }, [/list_tasks/]],
  ["VALIDATION_ERROR", "alpha", "wait_for_changes", { seconds: 600 }, [/seconds: .*50/]],
  [
    "VALIDATION_ERROR",
    "alpha",
    "act",
    { task_id: first, action: "dance", comment: "x" },
    [/action: one of start, claim/],
  ],
  ["VALIDATION_ERROR", "alpha", "claim_task", { lifecycle: "bot-actions" }, [/no pool/]],
  [
    "CYCLIC_DEPENDENCY",
    "alpha",
    "create_tasks",
    {
      tasks: [
        { ...board, title: "The hen of it", ref: "hen", blocked_by: ["egg"] },
        { ...board, title: "The egg of it", ref: "egg", blocked_by: ["hen"] },
      ],
    },
    [/hen/, /egg/, /Nothing was created/],
  ],
];

test.each(ROWS)("%s for %s, who calls %s %j, contains advice", async (code, who, tool, given, texts) => {
  const reply = await agents[who].call(tool, given as Record<string, unknown>);
  expect(reply).toMatchObject({ refused: true, data: { code } });
  expect(reply.text.startsWith(`${code}: `)).toBe(true);
  for (const text of texts) expect(reply.text).toMatch(text);
});

test("a request_id that is reused for another call is refused", async () => {
  const { alpha: agent } = agents;
  const given = { task_id: second, comment: "first words", request_id: "talk" };
  expect((await agent.call("comment", given)).refused).toBe(false);
  const other = await agent.call("comment", { ...given, comment: "other words" });
  expect(other.text).toMatch(/^IDEMPOTENCY_CONFLICT: .*use a new request_id or none/);
});

test("an unknown tool and an unknown or missing lifecycle are answered with the existing ones", async () => {
  const { alpha: agent } = agents;
  expect((await agent.call("dance")).text).toContain("Tools: list_tasks, get_task");
  expect((await agent.call("get_task", { lifecycle: "bord" })).text).toContain("- board: ");
  expect((await agent.call("get_task")).text).toContain("- board: ");
  expect((await agent.call("claim_task")).text).toContain("one of board, planner, delivery, code");
  const misspelt = await agent.call("claim_task", { lifecycle: "bord" });
  expect(misspelt.text).toContain('There is no lifecycle "bord": give `lifecycle`, one of board');
  const waiting = await agent.call("wait_for_changes", { lifecycle: "bord", seconds: 50 });
  expect(waiting).toMatchObject({ refused: true });
  expect(waiting.text).toMatch(/^There is no lifecycle "bord". There are:\n- board: /);
  expect((await agent.call("get_task", { task_id: ".." })).text).toContain("task_id: is not an id");
  const unknown = await agent.call("create_tasks", { tasks: [{ lifecycle: "bord", title: "Hello there" }] });
  expect(unknown).toMatchObject({ refused: true });
  expect(unknown.text).toContain("board");
});

test("a request without a token or with an unknown one is refused", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const ask = (more: Record<string, string>) =>
    fetch(`${url}/mcp`, { method: "POST", headers: { ...headers, ...more }, body });
  expect((await ask({})).status).toBe(401);
  expect((await ask({ authorization: "Bearer nobody" })).status).toBe(401);
  expect((await ask({ authorization: `Bearer ${alpha.token}` })).status).toBe(200);
  await expect(connectAgent("http", { url, token: "nobody" })).rejects.toThrow();
  const { status, headers: replyHeaders } = await fetch(`${url}/mcp`, {
    headers: { authorization: `Bearer ${alpha.token}` },
  });
  expect([status, replyHeaders.get("allow")]).toEqual([405, "POST"]);
});
