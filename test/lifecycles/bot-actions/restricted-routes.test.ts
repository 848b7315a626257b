import { expect, test } from "vitest";
import { ALL_ROLES, outcomeOf } from "../../http/test-server.ts";
import { startChatServer } from "./chat-test-server.ts";

const server = await startChatServer();
const { ask, start, ann } = server;
const SECRET = "Xyzzy";
const OUTSIDERS = {
  "another member": await server.member({ id: "eve", kind: "human", roles: ["agent"] }),
  "an admin of the project": await server.member({ id: "boss", roles: ["admin"], project_ids: ["main"] }),
  "a member with every role": await server.member({ id: "zed", kind: "human", roles: ALL_ROLES }),
  "the admin of the org": server.admin,
};

const chat = { chatId: "secret", displayText: SECRET };
await start("before", chat);
await ask("POST /api/chats/secret/messages", { token: ann, body: { text: SECRET } });
await ask("PUT /api/chats/secret/readers", { body: { readers: ["ann", "bot"] } });
await start("after", chat);
const shownToAnn = async () => [
  (await ask("GET /api/tasks?lifecycle=bot-actions", { token: ann })).body.tasks,
  (await ask("GET /api/chats/secret/messages", { token: ann })).body.messages,
];
const before = await shownToAnn();
const ids = (before[0] as { id: string }[]).map(({ id }) => id);

type Document = { paths: Record<string, Record<string, unknown>> };
const document = (await ask("GET /openapi.json", { token: null })).body as Document;
/** Every route that the server serves, those of all plugins included. */
const ROUTES = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);
const isRead = (route: string) => route.startsWith("GET ");
const hasParameter = (route: string) => route.includes("{");
const isStream = (route: string) =>
  JSON.stringify(document.paths[route.slice(4)]?.get).includes("text/event-stream");

/** The feed has no end; restricted.test.ts reads it. */
const ENDLESS = ["GET /api/events"];
const QUERIES: Readonly<Record<string, string>> = { "GET /api/chat/actions": "?chatId=secret" };
const fill = (route: string, id: string) =>
  route.replace("{chatId}", "secret").replaceAll(/\{\w+\}/g, id) + (QUERIES[route] ?? "");

/** Returns the secrets in a reply that the request did not contain. */
const leaks = (what: string, text: string) =>
  [SECRET, ...ids].filter((secret) => text.includes(secret) && !what.includes(secret));

test("the server serves the chats and every other plugin", () => {
  for (const route of ["GET /api/chats", "GET /api/board/stats", "GET /api/code/graph", "GET /metrics"])
    expect(ROUTES).toContain(route);
  expect(ids).toHaveLength(2);
  expect(ROUTES.filter((route) => isRead(route) && isStream(route) && !hasParameter(route))).toEqual(ENDLESS);
});

test.each(Object.entries(OUTSIDERS))("no route shows a restricted chat to %s", async (_, token) => {
  const found: unknown[] = [];
  for (const route of ROUTES.filter((one) => isRead(one) && !ENDLESS.includes(one)))
    for (const id of hasParameter(route) && !route.includes("{chatId}") ? [...ids, "main", "ann"] : [""]) {
      const what = fill(route, id);
      const { status, text } = await ask(what, { token });
      if (status >= 500 || leaks(what, text).length > 0) found.push([what, status, leaks(what, text)]);
      const namesTask = ids.includes(id) && /\/(tasks|jobs)\/\{id\}/.test(route);
      const namesChat = QUERIES[route] !== undefined || route.includes("{chatId}");
      // Admins manage the list of readers.
      const expected = route.endsWith("/readers") ? [200, 404] : [403, 404];
      if ((namesTask || namesChat) && !expected.includes(status)) found.push([what, status]);
    }
  expect(found).toEqual([]);
});

test("a reader gets the chat from the same requests", async () => {
  for (const what of ["GET /api/chats", "GET /api/chat/actions?chatId=secret", `GET /api/tasks/${ids[0]!}`])
    expect((await ask(what, { token: ann })).text).toContain(SECRET);
});

test.each(Object.entries(OUTSIDERS))(
  "no route with an id changes or shows a restricted chat for %s",
  async (_, token) => {
    const body = { action: "start", actionType: "summarize", comment: "so", payload: {}, text: "hello" };
    const found: unknown[] = [];
    for (const route of ROUTES.filter((one) => !isRead(one) && hasParameter(one)))
      for (const id of route.includes("{chatId}") ? [""] : ids) {
        const what = fill(route, id);
        const { status, text } = await ask(what, { token, body });
        if (status >= 500 || leaks(what, text).length > 0) found.push([what, status, text]);
      }
    expect(found).toEqual([]);
    expect(await shownToAnn()).toEqual(before);
  },
);

const action = { workspaceId: "main", chatId: "secret", actionId: "before", actionType: "summarize" };
const generic = { ...action, lifecycle: "bot-actions", project_id: "main" };
const waiting = { title: "Write the minutes", description: "Of the meeting", blocked_by: [ids[0]] };

/** Requests that name the chat or its action, by route. */
const NAMING: Readonly<Record<string, unknown>> = {
  "POST /api/tasks": generic,
  "POST /api/tasks/batch": { tasks: [generic] },
  "POST /api/transitions": [{ id: ids[0], action: "start", payload: { actionType: "summarize" } }],
  "POST /api/chat/actions/start": { ...action, displayText: "changed" },
  "POST /api/chat/actions/update": { ...action, status: "done" },
  "POST /api/no-code/callback/actions/start": action,
  "POST /api/no-code/callback/actions/update": { ...action, status: "done" },
  "POST /api/heartbeats": { leases: [{ task_id: ids[0], lease_token: ids[1] }] },
  "POST /api/board/tasks": waiting,
  "POST /api/board/tasks/batch": { tasks: [waiting] },
  "POST /api/code/tasks": waiting,
  "POST /api/code/tasks/batch": { tasks: [waiting] },
  "POST /api/planner/tasks": { ...waiting, depends_on: [ids[0]] },
};

/** Routes whose requests cannot name a chat or a bot action. */
const WITHOUT_CHATS = [
  // Bot actions have no pool.
  /^POST \/api\/(claims|board\/claim-next|code\/claims|planner\/claims)$/,
  /^POST \/api\/(projects|members)$/,
  /^(POST|DELETE) \/api\/(session|demo)(\/\w+)?$/,
  /^POST \/api\/delivery\/(jobs|users|files|progress|recover|outages(\/(probe|end))?|source\/needs-admin|notices\/take)$/,
  /^POST \/api\/planner\/(deliverables|shifts|shifts\/copy|shift-patterns|templates|imports|imports\/preview)$/,
];

test.each(Object.entries(OUTSIDERS))("no request that names the chat reaches it for %s", async (_, token) => {
  for (const [what, body] of Object.entries(NAMING)) {
    const reply = await ask(what, { token, body });
    expect([what, reply.text.includes(SECRET)]).toEqual([what, false]);
    if (what.includes("chat/actions")) expect([what, reply.status]).toEqual([what, 404]);
  }
  expect(await shownToAnn()).toEqual(before);
  const moved = await ask("POST /api/transitions", { token, body: NAMING["POST /api/transitions"] });
  expect(moved.text).toContain("TASK_NOT_FOUND");
  const created = await ask("POST /api/tasks", { token, body: generic });
  expect(outcomeOf(created)).toBe("404 NOT_FOUND");
});

test("every route that writes is probed above, or cannot name a chat", () => {
  const undecided = ROUTES.filter((route) => !isRead(route) && !hasParameter(route))
    .filter((route) => !(route in NAMING))
    .filter((route) => !WITHOUT_CHATS.some((pattern) => pattern.test(route)));
  expect(undecided).toEqual([]);
});
