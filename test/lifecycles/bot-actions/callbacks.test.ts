import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, test } from "vitest";
import { outcomeOf } from "../../http/test-server.ts";
import { actionIn, startChatServer } from "./chat-test-server.ts";

const logged: string[] = [];
const logger = pino(
  { level: "trace" },
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged.push(chunk.toString());
      done();
    },
  }),
);
const server = await startChatServer({ server: { logger } });
const { ask } = server;

const issue = async (token: string, chatId: string, workspaceId = "main") => {
  const reply = await ask(`POST /api/chats/${chatId}/callback-tokens`, { token, body: { workspaceId } });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body as { id: string; token: string };
};
const { id: keyId, token: key } = await issue(server.ann, "c1");
const chat = { workspaceId: "main", chatId: "c1" };
const startBody = { ...chat, actionId: "a1", actionType: "transcribe_audio" };

test("a callback token starts and updates actions in its chat, in a header or in the URL", async () => {
  const listener = await server.listen("c1");
  const started = await ask("POST /api/no-code/callback/actions/start", { token: key, body: startBody });
  expect(actionIn(started).status).toBe("processing");
  const path = `/api/no-code/callback/actions/update?callbackKey=${key}`;
  const missing = { ...chat, actionId: "none", status: "done" };
  const unknown = await ask(`POST ${path}`, { token: null, body: missing });
  expect(outcomeOf(unknown)).toBe("404 UNKNOWN_ACTION_ID");
  expect(unknown.body.detail).toBe("Действие с actionId 'none' не найдено. Сначала вызовите start.");
  const done = await ask(`POST ${path}`, {
    token: null,
    body: { ...chat, actionId: "a1", status: "done", displayText: "<b>Готово</b>" },
  });
  expect(actionIn(done)).toMatchObject({ status: "done", displayText: "Готово" });
  // The regular route has the same state.
  expect(actionIn(await server.start("a1"))).toEqual(actionIn(done));
  await listener.until(() => listener.events.length === 2);
  listener.close();
});

test.each([
  ["another chat", { chatId: "c2" }],
  ["another workspace", { workspaceId: "shop" }],
])("%s is 403, for a start and for an update", async (_, elsewhere) => {
  for (const [verb, body] of [
    ["start", { ...startBody, ...elsewhere }],
    ["update", { ...startBody, ...elsewhere, status: "done" }],
  ] as const) {
    const reply = await ask(`POST /api/no-code/callback/actions/${verb}`, { token: key, body });
    expect(outcomeOf(reply)).toBe("403 TOKEN_CONFINED");
  }
  expect(await server.list(new URLSearchParams({ ...chat, ...elsewhere }).toString())).toEqual([]);
});

test("a callback token is refused by all other routes, also for its own chat", async () => {
  const body = { ...startBody, text: "x", lifecycle: "bot-actions", status: "done" };
  for (const what of [
    "POST /api/chat/actions/start",
    "POST /api/chat/actions/update",
    "GET /api/chat/actions?chatId=c1",
    "GET /api/chats/c1/events",
    "GET /api/chats/c1/messages",
    "POST /api/chats/c1/messages",
    "POST /api/chats/c1/callback-tokens",
    "GET /api/tasks",
    "POST /api/tasks",
    "GET /api/events",
    "GET /api/me",
    "GET /api/members",
    "POST /mcp",
  ]) {
    const reply = await ask(what, { token: key, ...(what.startsWith("POST") ? { body } : {}) });
    if (what !== "POST /mcp") expect([what, outcomeOf(reply)]).toEqual([what, "403 TOKEN_CONFINED"]);
    else expect(reply.status).toBeGreaterThanOrEqual(403);
  }
  // Only the callbacks accept a token in the URL.
  expect(outcomeOf(await ask(`GET /api/me?callbackKey=${key}`, { token: null }))).toBe("401 INVALID_TOKEN");
});

test("a token created with `read` reads its own chat, and nothing else", async () => {
  const make = (body: object) => ask("POST /api/chats/read/callback-tokens", { token: server.ann, body });
  const { token } = (await make({ read: true })).body as { token: string };
  const own = { workspaceId: "main", chatId: "read" };
  await ask("POST /api/no-code/callback/actions/start", { token, body: { ...startBody, ...own } });
  const outcome = async (what: string, by = token, body?: object) =>
    outcomeOf(await ask(what, { token: by, ...(body ? { body } : {}) }));
  const { body } = await ask("GET /api/chat/actions?chatId=read", { token });
  expect(body.actions).toMatchObject([{ actionId: "a1", chatId: "read" }]);
  expect(await outcome("GET /api/chats/read/messages?workspaceId=main")).toBe("200");
  const listener = await server.listen("read", { token, query: "?after=0" });
  await listener.until(() => listener.events.length === 1);
  listener.close();
  for (const what of [
    "GET /api/chat/actions?chatId=c1",
    "GET /api/chat/actions?chatId=read&workspaceId=shop",
    "GET /api/chat/actions?chatId=read&workspaceId=nowhere",
    "GET /api/chats/c1/messages",
    "GET /api/chats/c1/events",
    "GET /api/chats/read/readers",
    "GET /api/chats",
    "GET /api/tasks",
    "GET /api/events",
    "GET /api/me",
  ])
    expect([what, await outcome(what)]).toEqual([what, "403 TOKEN_CONFINED"]);
  for (const what of ["POST /api/chats/read/messages", "POST /api/chats/read/callback-tokens"])
    expect(await outcome(what, token, { text: "x" })).toBe("403 TOKEN_CONFINED");
  // Without the grant, and with the token in the URL, nothing can be read.
  for (const grant of [{}, { read: false }, { read: null }]) {
    const other = (await make(grant)).body as { token: string };
    expect(await outcome("GET /api/chats/read/messages", other.token)).toBe("403 TOKEN_CONFINED");
  }
  const inUrl = await ask(`GET /api/chats/read/messages?callbackKey=${token}`, { token: null });
  expect(outcomeOf(inUrl)).toBe("401 INVALID_TOKEN");
  expect(await outcome("POST /api/chats/read/callback-tokens", server.ann, { read: "yes" })).toBe(
    "422 VALIDATION_ERROR",
  );
  // The token reads as its creator, who may be taken off the list.
  await ask("PUT /api/chats/read/readers", { body: { readers: ["bot"] } });
  expect(await outcome("GET /api/chats/read/messages")).toBe("404 NOT_FOUND");
});

test("callbacks refuse other kinds of tokens, and requests without a token", async () => {
  const body = startBody;
  const path = "/api/no-code/callback/actions/start";
  expect(outcomeOf(await ask(`POST ${path}`, { token: server.ann, body }))).toBe("403 FORBIDDEN");
  expect(outcomeOf(await ask(`POST ${path}?callbackKey=${server.ann}`, { token: null, body }))).toBe(
    "403 FORBIDDEN",
  );
  expect(outcomeOf(await ask(`POST ${path}`, { token: null, body }))).toBe("401 INVALID_TOKEN");
  expect(outcomeOf(await ask(`POST ${path}?callbackKey=`, { token: null, body }))).toBe("401 INVALID_TOKEN");
  expect(outcomeOf(await ask(`POST ${path}?callbackKey=a&callbackKey=b`, { token: null, body }))).toBe(
    "401 INVALID_TOKEN",
  );
  expect(outcomeOf(await ask(`POST ${path}?callbackKey=pawl_main_x`, { token: null, body }))).toBe(
    "401 INVALID_TOKEN",
  );
});

test("members that may act in the workspace can create a callback token", async () => {
  const make = (token: string, workspaceId: string) =>
    ask("POST /api/chats/c1/callback-tokens", { token, body: { workspaceId } });
  expect(outcomeOf(await make(server.vic, "main"))).toBe("403 FORBIDDEN");
  expect(outcomeOf(await make(server.wim, "main"))).toBe("404 NOT_FOUND");
  expect(outcomeOf(await make(server.wim, "shop"))).toBe("201");
  expect(outcomeOf(await make(server.bot, "nowhere"))).toBe("404 NOT_FOUND");
});

test("a callback token stops working when its creator loses the workspace or is deactivated", async () => {
  const gil = await server.member({ id: "gil", roles: ["agent"] });
  const { token } = await issue(gil, "c9");
  const body = { ...startBody, chatId: "c9" };
  const call = async () => outcomeOf(await ask("POST /api/no-code/callback/actions/start", { token, body }));
  expect(await call()).toBe("200");
  await ask("PATCH /api/members/gil", { body: { project_ids: ["shop"] } });
  expect(await call()).toBe("404 NOT_FOUND");
  await ask("PATCH /api/members/gil", { body: { project_ids: null, roles: ["viewer"] } });
  expect(await call()).toBe("403 FORBIDDEN");
  await ask("PATCH /api/members/gil", { body: { active: false } });
  expect(await call()).toBe("401 MEMBER_INACTIVE");
});

test("a callback token can be revoked, and is never logged", async () => {
  const path = `/api/no-code/callback/actions/start?callbackKey=${key}`;
  const headers = { "content-type": "application/json" };
  await ask(`POST ${path}`, { token: null, body: startBody });
  await ask(`POST ${path}`, { token: null, body: "{", headers });
  await ask(`GET ${path}`, { token: null });
  await ask(`DELETE /api/tokens/${keyId}`);
  expect(outcomeOf(await ask(`POST ${path}`, { token: null, body: startBody }))).toBe("401 INVALID_TOKEN");
  expect(logged.join("")).toContain("/api/no-code/callback/actions/start");
  expect(logged.filter((line) => line.includes(key) || line.includes("callbackKey"))).toEqual([]);
});
