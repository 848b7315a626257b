import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { outcomeOf } from "../../http/test-server.ts";
import { actionIn, startChatServer } from "./chat-test-server.ts";
import type { ChatListener } from "./chat-test-server.ts";

const server = await startChatServer();
const { ask, start, update, list } = server;

let ids = 0;
const nextId = () => `a${++ids}`;

/** Brings an action into a state; it is started with this content. */
const CONTENT = { displayText: "Working", payload: { step: 1 } };
const STATES: Record<string, (id: string) => Promise<unknown>> = {
  none: () => Promise.resolve(),
  processing: (id) => start(id, CONTENT),
  done: async (id) => {
    await start(id, CONTENT);
    await update(id, { status: "done" });
  },
  error: async (id) => {
    await start(id, CONTENT);
    await update(id, { status: "error" });
  },
};

const CALLS: Record<string, (id: string) => ReturnType<typeof start>> = {
  start: (id) => start(id),
  "start same": (id) => start(id, { displayText: "<b>Working</b>", payload: { step: 1 } }),
  "start new text": (id) => start(id, { displayText: "Nearly there" }),
  "start new payload": (id) => start(id, { payload: { step: 2 } }),
  "start other type": (id) => start(id, { actionType: "generate_image" }),
  done: (id) => update(id, { status: "done" }),
  "done new text": (id) => update(id, { status: "done", displayText: "Ready" }),
  "done new payload": (id) => update(id, { status: "done", payload: { pages: 3 } }),
  "done other type": (id) => update(id, { status: "done", actionType: "generate_image" }),
  error: (id) => update(id, { status: "error" }),
  "error new text": (id) => update(id, { status: "error", displayText: "Broken" }),
};

// call | state before | status, displayText, payload.step or pages after | event published | updatedAt changed
const TABLE = `
start             | none       | processing | -            | -  | event |
start same        | none       | processing | Working      | 1  | event |
start             | processing | processing | Working      | 1  |       | touched
start same        | processing | processing | Working      | 1  |       | touched
start new text    | processing | processing | Nearly there | 1  | event | touched
start new payload | processing | processing | Working      | 2  | event | touched
start other type  | processing | processing | Working      | 1  |       | touched
start             | done       | done       | Working      | 1  |       |
start new text    | done       | done       | Working      | 1  |       |
start new payload | error      | error      | Working      | 1  |       |
start             | error      | error      | Working      | 1  |       |
done              | none       | 404        | -            | -  |       |
error             | none       | 404        | -            | -  |       |
done              | processing | done       | Working      | 1  | event | touched
done new text     | processing | done       | Ready        | 1  | event | touched
done new payload  | processing | done       | Working      | 3  | event | touched
done other type   | processing | done       | Working      | 1  | event | touched
error             | processing | error      | Working      | 1  | event | touched
error new text    | processing | error      | Broken       | 1  | event | touched
done              | done       | done       | Working      | 1  |       |
done new text     | done       | done       | Ready        | 1  | event | touched
done new payload  | done       | done       | Working      | 3  | event | touched
error             | done       | done       | Working      | 1  |       |
error new text    | done       | done       | Working      | 1  |       |
done              | error      | error      | Working      | 1  |       |
done new text     | error      | error      | Working      | 1  |       |
error             | error      | error      | Working      | 1  |       |
error new text    | error      | error      | Broken       | 1  | event | touched
`;
const CELLS = TABLE.trim()
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()) as [string, string, ...string[]]);

/** Returns all actions published so far. Sends a message and waits for it, because its event comes after them. */
async function publishedActions(listener: ChatListener) {
  const { body } = await ask("POST /api/chats/c1/messages", { token: server.ann, body: { text: nextId() } });
  const { id } = body.message as { id: string };
  await listener.until(() => listener.events.some((e) => e.type === "message" && e.message.id === id));
  return listener.events.filter((event) => event.type === "bot_action").map(({ action }) => action);
}

test("every row of the table, over HTTP, with its published event", async () => {
  const listener = await server.listen("c1");
  const mismatches: unknown[] = [];
  for (const [call, state, ...after] of CELLS) {
    const id = nextId();
    await STATES[state]!(id);
    const [before] = [await find(id)];
    const published = (await publishedActions(listener)).length;
    const answer = await CALLS[call]!(id);
    const action = answer.status === 200 ? actionIn(answer) : null;
    const now = await find(id);
    const payload = (now?.payload ?? {}) as { step?: number; pages?: number };
    const news = (await publishedActions(listener)).slice(published);
    const actual = [
      action?.status ?? String(answer.status),
      now?.displayText ?? "-",
      String(payload.pages ?? payload.step ?? "-"),
      news.length > 0 ? "event" : "",
      before && now && before.updatedAt !== now.updatedAt ? "touched" : "",
    ];
    if (JSON.stringify(actual) !== JSON.stringify(after)) mismatches.push({ call, state, actual, after });
    // The answer, the list and the event are equal; there is at most one event.
    if (JSON.stringify(action) !== JSON.stringify(now)) mismatches.push({ call, state, action, now });
    if (news.length > 0 && JSON.stringify(news) !== JSON.stringify([now]))
      mismatches.push({ call, state, news, now });
  }
  listener.close();
  expect(mismatches).toEqual([]);
});

async function find(actionId: string) {
  for (const status of ["processing", "done", "error"]) {
    const found = (await list(`chatId=c1&status=${status}`)).find((action) => action.actionId === actionId);
    if (found) return found;
  }
  return null;
}

test("an update before the start is refused, and the refusal asks for start", async () => {
  const reply = await update("uuid-123");
  expect(outcomeOf(reply)).toBe("404 UNKNOWN_ACTION_ID");
  expect(reply.body.detail).toBe("Действие с actionId 'uuid-123' не найдено. Сначала вызовите start.");
  expect(outcomeOf(await start("uuid-123"))).toBe("200");
  expect(actionIn(await update("uuid-123")).status).toBe("done");
});

test("the same actionId in another chat, or in another workspace, is another action", async () => {
  const id = nextId();
  for (const chat of [{}, { chatId: "c2" }, { workspaceId: "shop" }])
    await start(id, { ...chat, displayText: JSON.stringify(chat) });
  await update(id, { chatId: "c2" });
  expect(actionIn(await start(id)).status).toBe("processing");
  expect(actionIn(await start(id, { chatId: "c2" })).status).toBe("done");
  expect(await list("workspaceId=shop&chatId=c1")).toMatchObject([
    { workspaceId: "shop", chatId: "c1", actionId: id, status: "processing" },
  ]);
});

test("chats whose ids share a prefix have separate actions", async () => {
  for (const chatId of ['q"', 'q","x', "q", "q'", "q#"]) await start(`in ${chatId}`, { chatId });
  for (const chatId of ['q"', 'q","x', "q", "q'", "q#"])
    expect((await list(`chatId=${encodeURIComponent(chatId)}`)).map(({ actionId }) => actionId)).toEqual([
      `in ${chatId}`,
    ]);
});

test("the list contains the processing actions, last updated first", async () => {
  const ids = [nextId(), nextId(), nextId()];
  const chat = { chatId: "sorted" };
  for (const id of ids) await start(id, chat);
  await start(ids[0]!, chat);
  await update(ids[1]!, chat);
  expect((await list("chatId=sorted")).map(({ actionId }) => actionId)).toEqual([ids[0], ids[2]]);
  expect((await list("chatId=sorted&status=done")).map(({ actionId }) => actionId)).toEqual([ids[1]]);
});

test.each<[string, JsonObject, string]>([
  ["start", { actionId: undefined }, "actionId"],
  ["start", { chatId: "" }, "chatId"],
  ["start", { workspaceId: undefined }, "workspaceId"],
  ["start", { actionType: 7 }, "actionType"],
  ["start", { displayText: ["x"] }, "displayText"],
  ["start", { displayText: "a\0b" }, "displayText"],
  ["start", { payload: [1] }, "payload"],
  ["start", { payload: { text: "x".repeat(70_000) } }, "payload"],
  ["start", { chatId: "a\nb" }, "chatId"],
  ["start", { chatId: "x".repeat(201) }, "chatId"],
  ["update", { status: "processing" }, "status"],
  ["update", { status: undefined }, "status"],
  ["update", { actionId: null }, "actionId"],
])("%s with an invalid %o is refused", async (call, fields, path) => {
  const reply = await (call === "start" ? start : update)(nextId(), fields);
  expect(outcomeOf(reply)).toBe("422 VALIDATION_ERROR");
  expect(reply.body.errors).toMatchObject([{ path }]);
});

test("displayText is cleaned before it is stored, and an empty one keeps the stored text", async () => {
  const id = nextId();
  const shown = async (displayText: unknown) => actionIn(await start(id, { displayText })).displayText;
  expect(await shown("   ")).toBe(null);
  expect(await shown(" <p>Готовим <b>стенограмму</b>…</p> ")).toBe("Готовим стенограмму…");
  expect(await shown("<i></i>")).toBe("Готовим стенограмму…");
  expect(await shown("<<b>script>alert(1)<</b>/script>")).toBe("alert(1)");
  expect(await shown("Tom &amp; Jerry <img src=x onerror=alert(1)")).toBe("Tom &amp; Jerry");
  expect(await shown("👩‍👩‍👧‍👦".repeat(301))).toBe("👩‍👩‍👧‍👦".repeat(300));
  expect(await shown("é".normalize("NFD").repeat(400))).toBe("é".normalize("NFD").repeat(300));
});

test("a viewer cannot start an action; a member of another project cannot see it", async () => {
  const id = nextId();
  expect(outcomeOf(await start(id, {}, { token: server.vic }))).toBe("403 FORBIDDEN");
  expect(outcomeOf(await start(id, { chatId: 7 }, { token: server.vic }))).toBe("403 FORBIDDEN");
  expect(outcomeOf(await start(id, {}, { token: server.wim }))).toBe("404 NOT_FOUND");
  expect(outcomeOf(await start(id, { workspaceId: "nowhere" }))).toBe("404 NOT_FOUND");
  await start(id);
  expect(outcomeOf(await update(id, {}, { token: server.vic }))).toBe("403 FORBIDDEN");
  expect(outcomeOf(await update(id, {}, { token: server.wim }))).toBe("404 UNKNOWN_ACTION_ID");
  expect(outcomeOf(await ask("GET /api/chat/actions?chatId=c1", { token: server.vic }))).toBe("200");
  expect(outcomeOf(await ask("GET /api/chat/actions?chatId=c1", { token: server.wim }))).toBe(
    "404 NOT_FOUND",
  );
});

test("a repeated idempotency key gets the first answer", async () => {
  const id = nextId();
  const headers = { "idempotency-key": `key of ${id}` };
  const first = await start(id, {}, { headers });
  await update(id);
  const again = await start(id, {}, { headers });
  expect([again.headers.get("idempotent-replayed"), again.body]).toEqual(["true", first.body]);
  expect(outcomeOf(await start(id, { displayText: "other" }, { headers }))).toBe("409 IDEMPOTENCY_CONFLICT");

  const repeat = { headers: { "idempotency-key": `repeat of ${id}` } };
  const found = await start(id, {}, repeat);
  const foundAgain = await start(id, {}, repeat);
  expect([foundAgain.headers.get("idempotent-replayed"), foundAgain.body]).toEqual(["true", found.body]);
});

test("a key whose action was pruned still gets the first answer", async () => {
  const [id, chat] = [nextId(), { chatId: "pruned" }];
  const headers = { "idempotency-key": `outlives ${id}` };
  await start(id, chat);
  const { createdAt } = actionIn(await start(id, chat, { headers }));
  await update(id, chat);
  await server.engine.prune({ org_id: "main", before: Date.now() + 3_600_000 });
  expect(outcomeOf(await update(id, chat))).toBe("404 UNKNOWN_ACTION_ID");
  expect(actionIn(await start(id, chat, { headers }))).toMatchObject({ actionId: id, createdAt });
  expect(actionIn(await start(id, chat)).status).toBe("processing");
});

test("the shared task routes use the same key, and the workspace is the project", async () => {
  const id = nextId();
  const action = { lifecycle: "bot-actions", chatId: "c1", actionId: id, actionType: "summarize" };
  const inShop = { ...action, project_id: "shop" };
  const one = await ask("POST /api/tasks", { body: inShop });
  const two = await ask("POST /api/tasks", { body: { ...action, project_id: "main" } });
  expect(one.body.id).not.toBe(two.body.id);
  expect(actionIn(await start(id, { workspaceId: "shop" })).createdAt).toBe(one.body.created_at);
  const mismatch = await ask("POST /api/tasks", {
    body: { ...inShop, actionId: nextId(), workspaceId: "main" },
  });
  expect(outcomeOf(mismatch)).toBe("422 VALIDATION_ERROR");
});
