import { expect, test } from "vitest";
import type { BotAction } from "../../../src/lifecycles/bot-actions/bot-action.ts";
import { outcomeOf } from "../../http/test-server.ts";
import { listen, positionsOf } from "../../http/listener.ts";
import { actionIn, startChatServer } from "./chat-test-server.ts";
import type { ChatListener } from "./chat-test-server.ts";

const server = await startChatServer({ server: { live: { heartbeatMs: 100, checkMs: 100, pollMs: 200 } } });
const otherNode = await startChatServer({ sameDatabaseAs: server, server: { live: { pollMs: 50 } } });
const { ask, start, update } = server;

const say = async (chatId: string, text: string, more: object = {}) => {
  const reply = await ask(`POST /api/chats/${chatId}/messages`, {
    token: server.ann,
    body: { text, ...more },
  });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body.message as { id: string };
};

/** Describes each event in a short text. */
const summaries = ({ events }: ChatListener) =>
  events.map((event) =>
    event.type === "message"
      ? event.message.text
      : `${event.action.actionId} ${event.action.status} ${event.action.displayText ?? "-"}`,
  );

test("a stream delivers the events of its chat in order, each with the state at that moment", async () => {
  const listener = await server.listen("order");
  const chat = { chatId: "order" };
  await say("order", "hello");
  // The reader does not wait for each event: a late event still has the state of its time.
  await start("a", { ...chat, displayText: "one" });
  await start("a", { ...chat, displayText: "two" });
  await start("a", chat);
  await update("a", { ...chat, payload: { pages: 3 } });
  await update("a", { ...chat, status: "error" });
  await say("order", "bye");
  await listener.until(() => summaries(listener).includes("bye"));
  expect(summaries(listener)).toEqual(["hello", "a processing one", "a processing two", "a done two", "bye"]);
  const [, first, , last] = listener.events as { action: BotAction }[];
  expect(last!.action).toEqual({ ...actionIn(await start("a", chat)), payload: { pages: 3 } });
  expect(first!.action.createdAt).toBe(last!.action.createdAt);
  expect(positionsOf(listener.events)).toEqual([...positionsOf(listener.events)].sort((a, b) => a - b));
  listener.close();

  // A later reader that starts at the beginning gets exactly the same events.
  const later = await server.listen("order", { query: "?after=0" });
  await later.until(() => later.events.length === listener.events.length);
  expect(later.events).toEqual(listener.events);
  later.close();
});

test("a stream has no events of another chat, or of the same chatId in another workspace", async () => {
  const [one, two, shop] = await Promise.all([
    server.listen("one"),
    server.listen("two"),
    server.listen("one", { query: "?workspaceId=shop", token: server.wim }),
  ]);
  for (const chatId of ["one", "two"]) await start("a", { chatId, displayText: chatId });
  await start("a", { chatId: "one", workspaceId: "shop", displayText: "shop" });
  for (const chatId of ["one", "two"]) await say(chatId, `bye ${chatId}`);
  await say("one", "bye shop", { workspaceId: "shop" });
  await Promise.all([one, two, shop].map((it) => it.until(() => it.events.length === 2)));
  expect([one, two, shop].map(summaries)).toEqual([
    ["a processing one", "bye one"],
    ["a processing two", "bye two"],
    ["a processing shop", "bye shop"],
  ]);
  for (const it of [one, two, shop]) it.close();
});

test("a chat in an unknown or invisible workspace is not found", async () => {
  for (const [token, query] of [
    [server.wim, ""],
    [server.bot, "?workspaceId=nowhere"],
  ] as const)
    for (const path of ["events", "messages"]) {
      const reply = await ask(`GET /api/chats/one/${path}${query}`, { token });
      expect(outcomeOf(reply)).toBe("404 NOT_FOUND");
    }
  expect(outcomeOf(await ask("GET /api/chats/%00/messages", { token: server.bot }))).toBe("404 NOT_FOUND");
  expect(outcomeOf(await ask("GET /api/chats/one/events", { token: null }))).toBe("401 INVALID_TOKEN");
});

test("a member that loses the project gets no more events of its chats", async () => {
  const token = await server.member({ id: "gil", roles: ["agent"], project_ids: ["main"] });
  const listener = await server.listen("leaving", { token });
  await say("leaving", "first");
  await listener.until(() => listener.events.length === 1);
  await ask("PATCH /api/members/gil", { body: { project_ids: ["shop"] } });
  const comments = listener.comments.length;
  await listener.until(() => listener.comments.length > comments + 4);
  await say("leaving", "second");
  const after = listener.comments.length;
  await listener.until(() => listener.comments.length > after + 4);
  expect(summaries(listener)).toEqual(["first"]);
  listener.close();
});

test("a reader that reconnects many times, to changing nodes, gets every event exactly once", async () => {
  const chat = { chatId: "cut" };
  const expected: string[] = [];
  const writing = (async () => {
    for (let n = 0; n < 60; n++) {
      await start(`a${n % 7}`, { ...chat, displayText: `${n}` });
      expected.push(`a${n % 7} processing ${n}`);
      // Events of another chat between them are not sent to this reader.
      await say("beside", `${n}`);
    }
  })();
  const received: string[] = [];
  let position: number | undefined;
  for (let turn = 0; received.length < 60; turn++) {
    const listener = await (turn % 2 ? otherNode : server).listen("cut", {
      ...(position === undefined ? { query: "?after=0" } : { after: position }),
    });
    const enough = Math.min(1 + (turn % 5), 60 - received.length);
    await listener.until(() => listener.events.length >= enough);
    listener.close();
    received.push(...summaries(listener));
    position = positionsOf(listener.events).at(-1);
  }
  await writing;
  expect(received).toEqual(expected);
});

test("a reader without events gets its position in comments, and can resume there", async () => {
  const listener = await server.listen("quiet");
  await say("elsewhere", "loud");
  const position = () => Number(/^at (\d+)$/.exec(listener.comments.at(-1)?.trim() ?? "")?.[1]);
  const before = position();
  await listener.until(() => position() > before);
  listener.close();
  const missed = await say("quiet", "while you were away");
  const again = await server.listen("quiet", { after: position() });
  await again.until(() => again.events.length === 1);
  expect(again.events).toMatchObject([{ type: "message", message: { id: missed.id } }]);
  again.close();
});

test("the feed of tasks contains actions, but no messages", async () => {
  const feed = await listen(server.url, server.bot, { query: "?lifecycle=bot-actions" });
  await say("c1", "not a task");
  await start("in the feed", { chatId: "c1" });
  await feed.until(() => feed.events.length > 0);
  expect(feed.events).toMatchObject([{ type: "created", row_version: 1 }]);
  const all = await server.engine.feed(server.testEngine.by({ ...ANY_MEMBER }), {
    after: 0,
    lifecycle: "bot-actions",
  });
  expect(all.filter(({ type }) => type === "message")).toEqual([]);
  feed.close();
});

const ANY_MEMBER = {
  id: "any-member",
  name: "Any member",
  kind: "human",
  roles: ["agent"],
  project_ids: null,
  skill_level: null,
  specializations: [],
} as const;

test("messages are listed in pages, newest page first, without actions", async () => {
  for (const text of ["1", "2", "3", "4", "5"]) await say("talk", text);
  await start("a", { chatId: "talk" });
  const page = async (query: string) => {
    const { body } = await ask(`GET /api/chats/talk/messages?${query}`, { token: server.vic });
    return body.messages as { id: string; text: string; authorId: string }[];
  };
  const newest = await page("limit=2");
  expect(newest.map(({ text }) => text)).toEqual(["4", "5"]);
  expect((await page(`limit=9&before=${newest[0]!.id}`)).map(({ text }) => text)).toEqual(["1", "2", "3"]);
  expect(newest[0]).toMatchObject({ authorId: "ann", chatId: "talk", workspaceId: "main" });
});

test("a message with a repeated key is stored once; a viewer cannot send messages", async () => {
  const headers = { "idempotency-key": "hello" };
  const body = { text: "once" };
  const first = await ask("POST /api/chats/keyed/messages", { token: server.ann, body, headers });
  const again = await ask("POST /api/chats/keyed/messages", { token: server.ann, body, headers });
  expect([again.status, again.body]).toEqual([201, first.body]);
  const { body: list } = await ask("GET /api/chats/keyed/messages", { token: server.ann });
  expect(list.messages).toHaveLength(1);
  for (const wrong of [{ text: " " }, { text: "a\0b" }, { text: 7 }, {}])
    expect(outcomeOf(await ask("POST /api/chats/keyed/messages", { token: server.ann, body: wrong }))).toBe(
      "422 VALIDATION_ERROR",
    );
  expect(outcomeOf(await ask("POST /api/chats/keyed/messages", { token: server.vic, body }))).toBe(
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
])("an invalid position, %j %j, is refused", async (query, headers) => {
  const reply = await ask(`GET /api/chats/c1/events${query}`, { token: server.bot, headers });
  expect(outcomeOf(reply)).toBe("422 VALIDATION_ERROR");
});

test("a position beyond the feed, as after a restore, streams new events", async () => {
  const listener = await server.listen("restored", { after: 1_000_000_000 });
  await say("restored", "after the restore");
  await listener.until(() => listener.events.length === 1);
  expect(summaries(listener)).toEqual(["after the restore"]);
  listener.close();
});

test("pruning deletes old messages with their events and stored answers, and keeps the others", async () => {
  const headers = { "idempotency-key": "an old key" };
  const request = { token: server.ann, body: { text: "a secret of last year" }, headers };
  const old = (await ask("POST /api/chats/aging/messages", request)).body.message as { id: string };
  const [{ now }] =
    (await server.sql`select pg_sleep(0.01), extract(epoch from clock_timestamp()) * 1000 as now`) as [
      { now: string },
    ];
  const young = await say("aging", "of today");
  await server.engine.prune({ org_id: "main", before: Number(now) });
  const messages = async (query = "") =>
    (await ask(`GET /api/chats/aging/messages${query}`, { token: server.ann })).body.messages as object[];
  expect(await messages()).toMatchObject([{ id: young.id }]);
  // Paging back beyond the stored messages ends.
  expect(await messages(`?before=${old.id}`)).toEqual([]);
  const again = await server.listen("aging", { query: "?after=0" });
  await again.until(() => again.events.length > 0);
  expect(summaries(again)).toEqual(["of today"]);
  again.close();
  const kept = await server.sql`
    select 1 from pawl.request where answer::text like '%last year%'
    union all select 1 from pawl.event where task_id = ${old.id}`;
  expect(kept).toHaveLength(0);
  expect(
    (await ask("POST /api/chats/aging/messages", request)).headers.get("idempotent-replayed"),
  ).toBeNull();
});
