import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { wordOf } from "../../http/front-desk.ts";
import { actionIn, openChatRoom } from "./chat-room.ts";
import type { ChatListener } from "./chat-room.ts";

const room = await openChatRoom();
const { ask, start, update, list } = room;

let made = 0;
const anew = () => `a${++made}`;

/** How an action comes into a state; it was started with these words. */
const WORDS = { displayText: "Working", payload: { step: 1 } };
const STATES: Record<string, (id: string) => Promise<unknown>> = {
  none: () => Promise.resolve(),
  processing: (id) => start(id, WORDS),
  done: async (id) => {
    await start(id, WORDS);
    await update(id, { status: "done" });
  },
  error: async (id) => {
    await start(id, WORDS);
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

// call | state before | status, displayText, payload.step or pages after | is an event published, is updatedAt later
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

/** Everything that was told so far: what is said now is told after it. */
async function told(listener: ChatListener) {
  const { body } = await ask("POST /api/chats/c1/messages", { token: room.ann, body: { text: anew() } });
  const { id } = body.message as { id: string };
  await listener.until(() => listener.events.some((e) => e.type === "message" && e.message.id === id));
  return listener.events.filter((event) => event.type === "bot_action").map(({ action }) => action);
}

test("every cell of the table, over HTTP, with what is published", async () => {
  const heard = await room.listen("c1");
  const wrong: unknown[] = [];
  for (const [call, state, ...after] of CELLS) {
    const id = anew();
    await STATES[state]!(id);
    const [before] = [await find(id)];
    const published = (await told(heard)).length;
    const answer = await CALLS[call]!(id);
    const action = answer.status === 200 ? actionIn(answer) : null;
    const now = await find(id);
    const payload = (now?.payload ?? {}) as { step?: number; pages?: number };
    const news = (await told(heard)).slice(published);
    const got = [
      action?.status ?? String(answer.status),
      now?.displayText ?? "-",
      String(payload.pages ?? payload.step ?? "-"),
      news.length > 0 ? "event" : "",
      before && now && before.updatedAt !== now.updatedAt ? "touched" : "",
    ];
    if (JSON.stringify(got) !== JSON.stringify(after)) wrong.push({ call, state, got, after });
    // The answer, the list and the event tell the same; there is one event at most.
    if (JSON.stringify(action) !== JSON.stringify(now)) wrong.push({ call, state, action, now });
    if (news.length > 0 && JSON.stringify(news) !== JSON.stringify([now]))
      wrong.push({ call, state, news, now });
  }
  heard.close();
  expect(wrong).toEqual([]);
});

async function find(actionId: string) {
  for (const status of ["processing", "done", "error"]) {
    const found = (await list(`chatId=c1&status=${status}`)).find((action) => action.actionId === actionId);
    if (found) return found;
  }
  return null;
}

test("an update before the start is told, in these words, to start first", async () => {
  const heard = await update("uuid-123");
  expect(wordOf(heard)).toBe("404 UNKNOWN_ACTION_ID");
  expect(heard.body.detail).toBe("Действие с actionId 'uuid-123' не найдено. Сначала вызовите start.");
  expect(wordOf(await start("uuid-123"))).toBe("200");
  expect(actionIn(await update("uuid-123")).status).toBe("done");
});

test("the same actionId in another chat, or in another workspace, is another action", async () => {
  const id = anew();
  for (const place of [{}, { chatId: "c2" }, { workspaceId: "shop" }])
    await start(id, { ...place, displayText: JSON.stringify(place) });
  await update(id, { chatId: "c2" });
  expect(actionIn(await start(id)).status).toBe("processing");
  expect(actionIn(await start(id, { chatId: "c2" })).status).toBe("done");
  expect(await list("workspaceId=shop&chatId=c1")).toMatchObject([
    { workspaceId: "shop", chatId: "c1", actionId: id, status: "processing" },
  ]);
});

test("of two chats whose names begin the same each has its own actions", async () => {
  for (const chatId of ['q"', 'q","x', "q", "q'", "q#"]) await start(`in ${chatId}`, { chatId });
  for (const chatId of ['q"', 'q","x', "q", "q'", "q#"])
    expect((await list(`chatId=${encodeURIComponent(chatId)}`)).map(({ actionId }) => actionId)).toEqual([
      `in ${chatId}`,
    ]);
});

test("the list is of those that are processing, the one that was heard of last first", async () => {
  const ids = [anew(), anew(), anew()];
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
])("%s with a wrong %o is told so", async (call, fields, path) => {
  const heard = await (call === "start" ? start : update)(anew(), fields);
  expect(wordOf(heard)).toBe("422 VALIDATION_ERROR");
  expect(heard.body.errors).toMatchObject([{ path }]);
});

test("words are cleaned on the way in, and what is nothing then leaves what was there", async () => {
  const id = anew();
  const shown = async (displayText: unknown) => actionIn(await start(id, { displayText })).displayText;
  expect(await shown("   ")).toBe(null);
  expect(await shown(" <p>Готовим <b>стенограмму</b>…</p> ")).toBe("Готовим стенограмму…");
  expect(await shown("<i></i>")).toBe("Готовим стенограмму…");
  expect(await shown("<<b>script>alert(1)<</b>/script>")).toBe("alert(1)");
  expect(await shown("Tom &amp; Jerry <img src=x onerror=alert(1)")).toBe("Tom &amp; Jerry");
  expect(await shown("👩‍👩‍👧‍👦".repeat(301))).toBe("👩‍👩‍👧‍👦".repeat(300));
  expect(await shown("é".normalize("NFD").repeat(400))).toBe("é".normalize("NFD").repeat(300));
});

test("who only looks starts nothing; who is of another project does not see it", async () => {
  const id = anew();
  expect(wordOf(await start(id, {}, { token: room.vic }))).toBe("403 FORBIDDEN");
  expect(wordOf(await start(id, { chatId: 7 }, { token: room.vic }))).toBe("403 FORBIDDEN");
  expect(wordOf(await start(id, {}, { token: room.wim }))).toBe("404 NOT_FOUND");
  expect(wordOf(await start(id, { workspaceId: "nowhere" }))).toBe("404 NOT_FOUND");
  await start(id);
  expect(wordOf(await update(id, {}, { token: room.vic }))).toBe("403 FORBIDDEN");
  expect(wordOf(await update(id, {}, { token: room.wim }))).toBe("404 UNKNOWN_ACTION_ID");
  expect(wordOf(await ask("GET /api/chat/actions?chatId=c1", { token: room.vic }))).toBe("200");
  expect(wordOf(await ask("GET /api/chat/actions?chatId=c1", { token: room.wim }))).toBe("404 NOT_FOUND");
});

test("a key says a start or an update once, and the first answer again", async () => {
  const id = anew();
  const headers = { "idempotency-key": `key of ${id}` };
  const first = await start(id, {}, { headers });
  await update(id);
  const again = await start(id, {}, { headers });
  expect([again.headers.get("idempotent-replayed"), again.body]).toEqual(["true", first.body]);
  expect(wordOf(await start(id, { displayText: "other" }, { headers }))).toBe("409 IDEMPOTENCY_CONFLICT");

  const repeat = { headers: { "idempotency-key": `repeat of ${id}` } };
  const found = await start(id, {}, repeat);
  const foundAgain = await start(id, {}, repeat);
  expect([foundAgain.headers.get("idempotent-replayed"), foundAgain.body]).toEqual(["true", found.body]);
});

test("a key that outlives its action, which is too old to be kept, still gets an answer", async () => {
  const [id, chat] = [anew(), { chatId: "pruned" }];
  const headers = { "idempotency-key": `outlives ${id}` };
  await start(id, chat);
  const { createdAt } = actionIn(await start(id, chat, { headers }));
  await update(id, chat);
  await room.engine.prune({ org_id: "main", before: Date.now() + 3_600_000 });
  expect(wordOf(await update(id, chat))).toBe("404 UNKNOWN_ACTION_ID");
  expect(actionIn(await start(id, chat, { headers }))).toMatchObject({ actionId: id, createdAt });
  expect(actionIn(await start(id, chat)).status).toBe("processing");
});

test("by the shared routes an action has the same key, and its workspace is its project", async () => {
  const id = anew();
  const action = { lifecycle: "bot-actions", chatId: "c1", actionId: id, actionType: "summarize" };
  const there = { ...action, project_id: "shop" };
  const one = await ask("POST /api/tasks", { body: there });
  const two = await ask("POST /api/tasks", { body: { ...action, project_id: "main" } });
  expect(one.body.id).not.toBe(two.body.id);
  expect(actionIn(await start(id, { workspaceId: "shop" })).createdAt).toBe(one.body.created_at);
  const astray = await ask("POST /api/tasks", {
    body: { ...there, actionId: anew(), workspaceId: "main" },
  });
  expect(wordOf(astray)).toBe("422 VALIDATION_ERROR");
});
