import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, test } from "vitest";
import { wordOf } from "../../http/front-desk.ts";
import { actionIn, openChatRoom } from "./chat-room.ts";

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
const room = await openChatRoom({ server: { logger } });
const { ask } = room;

const issue = async (token: string, chatId: string, workspaceId = "main") => {
  const heard = await ask(`POST /api/chats/${chatId}/callback-tokens`, { token, body: { workspaceId } });
  if (heard.status !== 201) throw new Error(heard.text);
  return heard.body as { id: string; token: string };
};
const { id: keyId, token: key } = await issue(room.ann, "c1");
const place = { workspaceId: "main", chatId: "c1" };
const begin = { ...place, actionId: "a1", actionType: "transcribe_audio" };

test("a callback token starts and updates in its chat, as a header or in the address", async () => {
  const heard = await room.listen("c1");
  const started = await ask("POST /api/no-code/callback/actions/start", { token: key, body: begin });
  expect(actionIn(started).status).toBe("processing");
  const path = `/api/no-code/callback/actions/update?callbackKey=${key}`;
  const missing = { ...place, actionId: "none", status: "done" };
  const unknown = await ask(`POST ${path}`, { token: null, body: missing });
  expect(wordOf(unknown)).toBe("404 UNKNOWN_ACTION_ID");
  expect(unknown.body.detail).toBe("Действие с actionId 'none' не найдено. Сначала вызовите start.");
  const done = await ask(`POST ${path}`, {
    token: null,
    body: { ...place, actionId: "a1", status: "done", displayText: "<b>Готово</b>" },
  });
  expect(actionIn(done)).toMatchObject({ status: "done", displayText: "Готово" });
  // The same as by the other door.
  expect(actionIn(await room.start("a1"))).toEqual(actionIn(done));
  await heard.until(() => heard.events.length === 2);
  heard.close();
});

test.each([
  ["another chat", { chatId: "c2" }],
  ["another workspace", { workspaceId: "shop" }],
])("%s is 403, for a start and for an update", async (_, elsewhere) => {
  for (const [verb, body] of [
    ["start", { ...begin, ...elsewhere }],
    ["update", { ...begin, ...elsewhere, status: "done" }],
  ] as const) {
    const heard = await ask(`POST /api/no-code/callback/actions/${verb}`, { token: key, body });
    expect(wordOf(heard)).toBe("403 TOKEN_CONFINED");
  }
  expect(await room.list(new URLSearchParams({ ...place, ...elsewhere }).toString())).toEqual([]);
});

test("it opens nothing else, not even in its chat", async () => {
  const body = { ...begin, text: "x", lifecycle: "bot-actions", status: "done" };
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
    const heard = await ask(what, { token: key, ...(what.startsWith("POST") ? { body } : {}) });
    if (what !== "POST /mcp") expect([what, wordOf(heard)]).toEqual([what, "403 TOKEN_CONFINED"]);
    else expect(heard.status).toBeGreaterThanOrEqual(403);
  }
  // In an address it is heard by the callbacks alone.
  expect(wordOf(await ask(`GET /api/me?callbackKey=${key}`, { token: null }))).toBe("401 INVALID_TOKEN");
});

test("another kind of token is sent to make one, and nobody is let in without", async () => {
  const body = begin;
  const path = "/api/no-code/callback/actions/start";
  expect(wordOf(await ask(`POST ${path}`, { token: room.ann, body }))).toBe("403 FORBIDDEN");
  expect(wordOf(await ask(`POST ${path}?callbackKey=${room.ann}`, { token: null, body }))).toBe(
    "403 FORBIDDEN",
  );
  expect(wordOf(await ask(`POST ${path}`, { token: null, body }))).toBe("401 INVALID_TOKEN");
  expect(wordOf(await ask(`POST ${path}?callbackKey=`, { token: null, body }))).toBe("401 INVALID_TOKEN");
  expect(wordOf(await ask(`POST ${path}?callbackKey=a&callbackKey=b`, { token: null, body }))).toBe(
    "401 INVALID_TOKEN",
  );
  expect(wordOf(await ask(`POST ${path}?callbackKey=pawl_main_x`, { token: null, body }))).toBe(
    "401 INVALID_TOKEN",
  );
});

test("one is made by whoever may act in the workspace", async () => {
  const make = (token: string, workspaceId: string) =>
    ask("POST /api/chats/c1/callback-tokens", { token, body: { workspaceId } });
  expect(wordOf(await make(room.vic, "main"))).toBe("403 FORBIDDEN");
  expect(wordOf(await make(room.wim, "main"))).toBe("404 NOT_FOUND");
  expect(wordOf(await make(room.wim, "shop"))).toBe("201");
  expect(wordOf(await make(room.bot, "nowhere"))).toBe("404 NOT_FOUND");
});

test("it is worth what its maker is worth: whoever loses the workspace, or is switched off, has no callbacks there", async () => {
  const gil = await room.member({ id: "gil", roles: ["agent"] });
  const { token } = await issue(gil, "c9");
  const body = { ...begin, chatId: "c9" };
  const call = async () => wordOf(await ask("POST /api/no-code/callback/actions/start", { token, body }));
  expect(await call()).toBe("200");
  await ask("PATCH /api/members/gil", { body: { project_ids: ["shop"] } });
  expect(await call()).toBe("404 NOT_FOUND");
  await ask("PATCH /api/members/gil", { body: { project_ids: null, roles: ["viewer"] } });
  expect(await call()).toBe("403 FORBIDDEN");
  await ask("PATCH /api/members/gil", { body: { active: false } });
  expect(await call()).toBe("401 MEMBER_INACTIVE");
});

test("it can be revoked, and stands in no log", async () => {
  const path = `/api/no-code/callback/actions/start?callbackKey=${key}`;
  const headers = { "content-type": "application/json" };
  await ask(`POST ${path}`, { token: null, body: begin });
  await ask(`POST ${path}`, { token: null, body: "{", headers });
  await ask(`GET ${path}`, { token: null });
  await ask(`DELETE /api/tokens/${keyId}`);
  expect(wordOf(await ask(`POST ${path}`, { token: null, body: begin }))).toBe("401 INVALID_TOKEN");
  expect(logged.join("")).toContain("/api/no-code/callback/actions/start");
  expect(logged.filter((line) => line.includes(key) || line.includes("callbackKey"))).toEqual([]);
});
