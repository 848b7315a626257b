import { expect, test } from "vitest";
import type { BotAction } from "../../../src/lifecycles/bot-actions/bot-action.ts";
import { wordOf } from "../../http/front-desk.ts";
import { listen, positionsOf } from "../../http/listener.ts";
import { actionIn, openChatRoom } from "./chat-room.ts";
import type { ChatListener } from "./chat-room.ts";

const room = await openChatRoom({ server: { live: { heartbeatMs: 100, checkMs: 100, lookMs: 200 } } });
const there = await openChatRoom({ beside: room, server: { live: { lookMs: 50 } } });
const { ask, start, update } = room;

const say = async (chatId: string, text: string, more: object = {}) => {
  const heard = await ask(`POST /api/chats/${chatId}/messages`, { token: room.ann, body: { text, ...more } });
  if (heard.status !== 201) throw new Error(heard.text);
  return heard.body.message as { id: string };
};

/** Each event in a word. */
const words = ({ events }: ChatListener) =>
  events.map((event) =>
    event.type === "message"
      ? event.message.text
      : `${event.action.actionId} ${event.action.status} ${event.action.displayText ?? "-"}`,
  );

test("a chat hears what happens in it, in order, each event as it was then", async () => {
  const heard = await room.listen("order");
  const chat = { chatId: "order" };
  await say("order", "hello");
  // Not awaited one by one on the reader's side: what comes late still tells what it told.
  await start("a", { ...chat, displayText: "one" });
  await start("a", { ...chat, displayText: "two" });
  await start("a", chat);
  await update("a", { ...chat, payload: { pages: 3 } });
  await update("a", { ...chat, status: "error" });
  await say("order", "bye");
  await heard.until(() => words(heard).includes("bye"));
  expect(words(heard)).toEqual(["hello", "a processing one", "a processing two", "a done two", "bye"]);
  const [, first, , last] = heard.events as { action: BotAction }[];
  expect(last!.action).toEqual({ ...actionIn(await start("a", chat)), payload: { pages: 3 } });
  expect(first!.action.createdAt).toBe(last!.action.createdAt);
  expect(positionsOf(heard.events)).toEqual([...positionsOf(heard.events)].sort((a, b) => a - b));
  heard.close();

  // Whoever comes later and asks for all of it hears the same, word by word.
  const later = await room.listen("order", { query: "?after=0" });
  await later.until(() => later.events.length === heard.events.length);
  expect(later.events).toEqual(heard.events);
  later.close();
});

test("nobody hears of another chat, nor of a chat of that name in another workspace", async () => {
  const [one, two, shop] = await Promise.all([
    room.listen("one"),
    room.listen("two"),
    room.listen("one", { query: "?workspaceId=shop", token: room.wim }),
  ]);
  for (const chatId of ["one", "two"]) await start("a", { chatId, displayText: chatId });
  await start("a", { chatId: "one", workspaceId: "shop", displayText: "shop" });
  for (const chatId of ["one", "two"]) await say(chatId, `bye ${chatId}`);
  await say("one", "bye shop", { workspaceId: "shop" });
  await Promise.all([one, two, shop].map((it) => it.until(() => it.events.length === 2)));
  expect([one, two, shop].map(words)).toEqual([
    ["a processing one", "bye one"],
    ["a processing two", "bye two"],
    ["a processing shop", "bye shop"],
  ]);
  for (const it of [one, two, shop]) it.close();
});

test("a chat in a workspace that one may not see, or that is nowhere, is not there", async () => {
  for (const [token, query] of [
    [room.wim, ""],
    [room.bot, "?workspaceId=nowhere"],
  ] as const)
    for (const path of ["events", "messages"]) {
      const heard = await ask(`GET /api/chats/one/${path}${query}`, { token });
      expect(wordOf(heard)).toBe("404 NOT_FOUND");
    }
  expect(wordOf(await ask("GET /api/chats/%00/messages", { token: room.bot }))).toBe("404 NOT_FOUND");
  expect(wordOf(await ask("GET /api/chats/one/events", { token: null }))).toBe("401 INVALID_TOKEN");
});

test("who loses the project hears nothing more of its chats", async () => {
  const token = await room.member({ id: "gil", roles: ["agent"], project_ids: ["main"] });
  const heard = await room.listen("leaving", { token });
  await say("leaving", "first");
  await heard.until(() => heard.events.length === 1);
  await ask("PATCH /api/members/gil", { body: { project_ids: ["shop"] } });
  const told = heard.comments.length;
  await heard.until(() => heard.comments.length > told + 4);
  await say("leaving", "second");
  const after = heard.comments.length;
  await heard.until(() => heard.comments.length > after + 4);
  expect(words(heard)).toEqual(["first"]);
  heard.close();
});

test("a reader who is cut off again and again, now here and now there, misses nothing and hears nothing twice", async () => {
  const chat = { chatId: "cut" };
  const wanted: string[] = [];
  const speaking = (async () => {
    for (let n = 0; n < 60; n++) {
      await start(`a${n % 7}`, { ...chat, displayText: `${n}` });
      wanted.push(`a${n % 7} processing ${n}`);
      // Another chat's, and another lifecycle's: what lies between is not told.
      await say("beside", `${n}`);
    }
  })();
  const got: string[] = [];
  let position: number | undefined;
  for (let turn = 0; got.length < 60; turn++) {
    const heard = await (turn % 2 ? there : room).listen("cut", {
      ...(position === undefined ? { query: "?after=0" } : { after: position }),
    });
    const enough = Math.min(1 + (turn % 5), 60 - got.length);
    await heard.until(() => heard.events.length >= enough);
    heard.close();
    got.push(...words(heard));
    position = positionsOf(heard.events).at(-1);
  }
  await speaking;
  expect(got).toEqual(wanted);
});

test("one who hears nothing is told how far he has heard, so that he loses nothing either", async () => {
  const heard = await room.listen("quiet");
  await say("elsewhere", "loud");
  const position = () => Number(/^at (\d+)$/.exec(heard.comments.at(-1)?.trim() ?? "")?.[1]);
  const before = position();
  await heard.until(() => position() > before);
  heard.close();
  const missed = await say("quiet", "while you were away");
  const again = await room.listen("quiet", { after: position() });
  await again.until(() => again.events.length === 1);
  expect(again.events).toMatchObject([{ type: "message", message: { id: missed.id } }]);
  again.close();
});

test("the feed of tasks tells of actions, and of messages nothing", async () => {
  const feed = await listen(room.url, room.bot, { query: "?lifecycle=bot-actions" });
  await say("c1", "no task of anybody's");
  await start("told", { chatId: "c1" });
  await feed.until(() => feed.events.length > 0);
  expect(feed.events).toMatchObject([{ type: "created", row_version: 1 }]);
  const all = await room.engine.feed(room.desk.by({ ...ANYBODY }), { after: 0, lifecycle: "bot-actions" });
  expect(all.filter(({ type }) => type === "message")).toEqual([]);
  feed.close();
});

const ANYBODY = {
  id: "anybody",
  name: "Anybody",
  kind: "human",
  roles: ["agent"],
  project_ids: null,
  skill_level: null,
  specializations: [],
} as const;

test("messages are listed as they were told, in pages from the newest on, and an action is none of them", async () => {
  for (const text of ["1", "2", "3", "4", "5"]) await say("talk", text);
  await start("a", { chatId: "talk" });
  const page = async (query: string) => {
    const { body } = await ask(`GET /api/chats/talk/messages?${query}`, { token: room.vic });
    return body.messages as { id: string; text: string; authorId: string }[];
  };
  const newest = await page("limit=2");
  expect(newest.map(({ text }) => text)).toEqual(["4", "5"]);
  expect((await page(`limit=9&before=${newest[0]!.id}`)).map(({ text }) => text)).toEqual(["1", "2", "3"]);
  expect(newest[0]).toMatchObject({ authorId: "ann", chatId: "talk", workspaceId: "main" });
});

test("a message with a key is said once; who only looks says nothing", async () => {
  const headers = { "idempotency-key": "hello" };
  const body = { text: "once" };
  const first = await ask("POST /api/chats/keyed/messages", { token: room.ann, body, headers });
  const again = await ask("POST /api/chats/keyed/messages", { token: room.ann, body, headers });
  expect([again.status, again.body]).toEqual([201, first.body]);
  const { body: list } = await ask("GET /api/chats/keyed/messages", { token: room.ann });
  expect(list.messages).toHaveLength(1);
  for (const wrong of [{ text: " " }, { text: "a\0b" }, { text: 7 }, {}])
    expect(wordOf(await ask("POST /api/chats/keyed/messages", { token: room.ann, body: wrong }))).toBe(
      "422 VALIDATION_ERROR",
    );
  expect(wordOf(await ask("POST /api/chats/keyed/messages", { token: room.vic, body }))).toBe(
    "403 FORBIDDEN",
  );
});

test.each([
  ["?after=-1", {}],
  ["?after=abc", {}],
  ["?after=1.5", {}],
  ["?after=1e3", {}],
  ["?after=99999999999999999999", {}],
  ["", { "last-event-id": "abc" }],
  ["", { "last-event-id": "-1" }],
])("a place in the feed that is none, %j %j, is told so", async (query, headers) => {
  const heard = await ask(`GET /api/chats/c1/events${query}`, { token: room.bot, headers });
  expect(wordOf(heard)).toBe("422 VALIDATION_ERROR");
});

test("from a place that the feed has not reached, as after a restore, a chat is heard from now on", async () => {
  const heard = await room.listen("restored", { after: 1_000_000_000 });
  await say("restored", "after the restore");
  await heard.until(() => heard.events.length === 1);
  expect(words(heard)).toEqual(["after the restore"]);
  heard.close();
});

test("messages that are old go, with all that was kept of them, and the others stay", async () => {
  const headers = { "idempotency-key": "an old key" };
  const told = { token: room.ann, body: { text: "a secret of last year" }, headers };
  const old = (await ask("POST /api/chats/aging/messages", told)).body.message as { id: string };
  const [{ now }] =
    (await room.sql`select pg_sleep(0.01), extract(epoch from clock_timestamp()) * 1000 as now`) as [
      { now: string },
    ];
  const young = await say("aging", "of today");
  await room.engine.prune({ org_id: "main", before: Number(now) });
  const messages = async (query = "") =>
    (await ask(`GET /api/chats/aging/messages${query}`, { token: room.ann })).body.messages as object[];
  expect(await messages()).toMatchObject([{ id: young.id }]);
  // Whoever pages back beyond what is kept comes to an end.
  expect(await messages(`?before=${old.id}`)).toEqual([]);
  const again = await room.listen("aging", { query: "?after=0" });
  await again.until(() => again.events.length > 0);
  expect(words(again)).toEqual(["of today"]);
  again.close();
  const kept = await room.sql`
    select 1 from pawl.request where answer::text like '%last year%'
    union all select 1 from pawl.event where task_id = ${old.id}`;
  expect(kept).toHaveLength(0);
  expect((await ask("POST /api/chats/aging/messages", told)).headers.get("idempotent-replayed")).toBeNull();
});
