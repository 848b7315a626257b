import { expect, test } from "vitest";
import { answerMcp } from "../../src/mcp/index.ts";
import { ALL_ROLES, startTestServer, outcomeOf } from "./test-server.ts";

const MAX_DEPTH = 100;
const TOO_DEEP = 5_000;

const mcp = answerMcp({ version: "0.0.0" });
const server = await startTestServer({ server: { mounts: [{ path: "/mcp", answer: mcp }] } });
const token = await server.member({
  id: "boss",
  roles: ALL_ROLES,
});

const lists = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);

/** Every field that accepts any JSON, and one unknown field. */
const BODIES: [what: string, around: (deep: string) => string][] = [
  ["POST /api/tasks", (deep) => `{"lifecycle":"board","title":"A title","description":"x","more":${deep}}`],
  ["POST /api/tasks", (deep) => `{"lifecycle":"board","title":"A title","description":${deep}}`],
  ["POST /api/tasks/batch", (deep) => `{"tasks":[{"lifecycle":"code","title":"A title","more":${deep}}]}`],
  ["POST /api/tasks/nowhere/transitions", (deep) => `{"action":"claim","payload":{"a":${deep}}}`],
  [
    "POST /api/transitions",
    (deep) =>
      `[{"id":"0197a000-0000-7000-8000-000000000001","action":"claim","client_event_id":"k","payload":{"a":${deep}}}]`,
  ],
  ["POST /api/claims", (deep) => `{"lifecycle":"board","filter":${deep}}`],
  ["POST /api/heartbeats", (deep) => `{"leases":${deep}}`],
  ["POST /api/projects", (deep) => `{"settings":{"board":${deep}}}`],
  ["PATCH /api/projects/main", (deep) => `{"settings":{"unknown":${deep}}}`],
  ["POST /api/members", (deep) => `{"roles":${deep}}`],
  ["POST /api/session", (deep) => `{"token":${deep}}`],
  ["POST /api/demo", (deep) => deep],
  [
    "POST /api/chat/actions/start",
    (deep) => `{"workspaceId":"main","chatId":"c","actionId":"a","actionType":"t","payload":{"a":${deep}}}`,
  ],
  [
    "POST /api/chat/actions/update",
    (deep) => `{"workspaceId":"main","chatId":"c","actionId":"a","status":"done","payload":{"a":${deep}}}`,
  ],
  [
    "POST /api/no-code/callback/actions/start",
    (deep) => `{"workspaceId":"main","chatId":"c","actionId":"a","actionType":"t","payload":{"a":${deep}}}`,
  ],
  ["POST /api/planner/tasks/nowhere/transitions", (deep) => `{"action":"assign","payload":{"a":${deep}}}`],
  ["PATCH /api/planner/tasks/nowhere", (deep) => `{"status":${deep}}`],
  [
    "POST /api/planner/deliverables/nowhere/inspections",
    (deep) => `{"result":"approved","measurements":{"a":${deep}},"client_event_id":"k"}`,
  ],
  ["POST /api/delivery/jobs/nowhere/transitions", (deep) => `{"action":"claim","payload":{"a":${deep}}}`],
  ["POST /api/code/tasks/nowhere/transitions", (deep) => `{"action":"claim","payload":{"a":${deep}}}`],
  [
    "POST /mcp",
    (deep) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act","arguments":{"payload":${deep}}}}`,
  ],
];

test.each(BODIES)(
  "%s refuses a body that is nested too deep, and names the maximum",
  async (what, around) => {
    for (const deep of [lists(TOO_DEEP), objects(TOO_DEEP), lists(MAX_DEPTH + 1)]) {
      const reply = await server.ask(what, { token, body: around(deep) });
      expect(outcomeOf(reply), reply.text.slice(0, 300)).toBe("422 VALIDATION_ERROR");
      expect(reply.body.detail).toContain("nested more than 100 deep");
    }
  },
);

test("a body may be nested up to the maximum, and brackets inside texts do not count", async () => {
  const task = { lifecycle: "board", title: "A title", description: `\\"[${"[{".repeat(500)}` };
  const body = (levels: number) => JSON.stringify({ ...task, more: JSON.parse(lists(levels)) as unknown });
  expect(outcomeOf(await server.ask("POST /api/tasks", { token, body: body(MAX_DEPTH - 1) }))).toBe("201");
  expect(outcomeOf(await server.ask("POST /api/tasks", { token, body: body(MAX_DEPTH) }))).toBe(
    "422 VALIDATION_ERROR",
  );
});
