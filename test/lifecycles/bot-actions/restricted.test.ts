import { expect, test } from "vitest";
import { answerMcp } from "../../../src/mcp/index.ts";
import { listen } from "../../http/listener.ts";
import { outcomeOf } from "../../http/test-server.ts";
import { connectFileAgent } from "../../mcp/agent.ts";
import { member } from "../../support/situation.ts";
import { actionIn, startChatServer } from "./chat-test-server.ts";

const mounts = [{ path: "/mcp", answer: answerMcp({ version: "0.0.0" }) } as const];
const server = await startChatServer({ server: { mounts, live: { heartbeatMs: 100, pollMs: 100 } } });
const { ask, start, update, ann, bot } = server;
const eve = await server.member({ id: "eve", kind: "human", roles: ["agent"] });
const boss = await server.member({ id: "boss", kind: "human", roles: ["admin"], project_ids: ["main"] });
const stray = await server.member({ id: "stray", kind: "service", roles: ["agent"] });
const HIDDEN_FROM = { "another member": eve, "an admin of the project": boss, "a bot": stray };
const SECRET = "Xyzzy";

const setReaders = (chatId: string, readers: readonly string[] | null, token = boss) =>
  ask(`PUT /api/chats/${chatId}/readers`, { token, body: { readers } });
const say = (chatId: string, text: string, token = ann) =>
  ask(`POST /api/chats/${chatId}/messages`, { token, body: { text } });
const tasksOf = async (token: string, query: string) =>
  (await ask(`GET /api/tasks?lifecycle=bot-actions&limit=200${query}`, { token })).body.tasks as {
    id: string;
    data: { chatId: string };
  }[];

/** Makes a chat with an action from before the restriction and one from after it; returns the ids of their tasks. */
async function restrictedChat(chatId: string): Promise<[string, string]> {
  await start("before", { chatId, displayText: `${SECRET} before` });
  await say(chatId, `${SECRET} said`);
  expect(outcomeOf(await setReaders(chatId, ["ann", "bot"]))).toBe("200");
  await start("after", { chatId, displayText: `${SECRET} after` });
  const ids = (await tasksOf(ann, "")).filter(({ data }) => data.chatId === chatId).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  return ids as [string, string];
}

const ids = await restrictedChat("secret");
const query = "chatId=secret&workspaceId=main";

test.each(Object.entries(HIDDEN_FROM))(
  "the routes of a restricted chat are 404 for %s, and serve its readers",
  async (_, token) => {
    const action = { workspaceId: "main", chatId: "secret", actionId: "before", actionType: "summarize" };
    const calls: [string, object?][] = [
      [`GET /api/chat/actions?${query}`],
      [`GET /api/chat/actions?${query}&status=done`],
      ["GET /api/chats/secret/messages"],
      ["GET /api/chats/secret/events"],
      ["POST /api/chats/secret/messages", { text: "hello" }],
      ["POST /api/chats/secret/callback-tokens", {}],
      ["POST /api/chat/actions/start", action],
      ["POST /api/chat/actions/start", { ...action, actionId: "new" }],
      ["POST /api/chat/actions/update", { ...action, status: "done" }],
      ["POST /api/chat/actions/update", { ...action, actionId: "none", status: "done" }],
      ...ids.flatMap((id): [string, object?][] => [
        [`GET /api/tasks/${id}`],
        [`GET /api/tasks/${id}/events`],
        [`GET /api/tasks/${id}/actions`],
        [`GET /api/tasks/${id}/links`],
        [`POST /api/tasks/${id}/transitions`, { action: "start", payload: {} }],
      ]),
    ];
    for (const [what, body] of calls) {
      const reply = await ask(what, { token, ...(body ? { body } : {}) });
      expect([what, reply.status]).toEqual([what, 404]);
      expect(reply.text).not.toContain(SECRET);
    }
    for (const [what, body] of calls.filter(
      ([what]) => what.startsWith("GET") && !what.endsWith("/secret/events"),
    ))
      for (const reader of [ann, bot])
        expect([what, (await ask(what, { token: reader, ...(body ? { body } : {}) })).status]).toEqual([
          what,
          200,
        ]);
  },
);

test("a restricted chat answers the same for an existing and for a new actionId", async () => {
  const body = { lifecycle: "bot-actions", project_id: "main", chatId: "secret", actionType: "summarize" };
  const create = async (actionId: string, more: object = {}) => {
    const reply = await ask("POST /api/tasks", { token: eve, body: { ...body, actionId, ...more } });
    return [reply.status, reply.body.code, reply.body.detail];
  };
  expect(await create("before")).toEqual(await create("unused"));
  expect(await create("after")).toEqual([404, "NOT_FOUND", 'There is no chat "secret" that you can read.']);
  const batch = { tasks: [{ ...body, actionId: "before" }] };
  expect(outcomeOf(await ask("POST /api/tasks/batch", { token: eve, body: batch }))).toBe("404 NOT_FOUND");
});

test("a removed member gets no stored answer for a repeated key", async () => {
  const chat = { chatId: "keyed" };
  const options = { token: eve, headers: { "idempotency-key": "of eve" } };
  expect(outcomeOf(await start("a", chat, options))).toBe("200");
  const body = { lifecycle: "bot-actions", ...chat, actionId: "b", actionType: "summarize" };
  const generic = { token: eve, body, headers: { "idempotency-key": "of eve too" } };
  expect((await ask("POST /api/tasks", generic)).status).toBe(201);
  await setReaders("keyed", ["ann"]);
  expect(outcomeOf(await start("a", chat, options))).toBe("404 NOT_FOUND");
  expect(outcomeOf(await ask("POST /api/tasks", generic))).toBe("404 NOT_FOUND");
});

test.each(Object.entries(HIDDEN_FROM))(
  "lists, figures, search and the graph hide it from %s",
  async (_, token) => {
    for (const path of [
      "GET /api/tasks?limit=200",
      `GET /api/tasks?limit=200&q=${SECRET}`,
      "GET /api/tasks?limit=200&lifecycle=bot-actions&status=processing",
      "GET /api/tasks?limit=200&sort=updated",
      "GET /api/overview",
      "GET /api/graph",
      "GET /api/chats",
    ]) {
      const reply = await ask(path, { token });
      expect([path, reply.status]).toEqual([path, 200]);
      expect([path, reply.text.includes(SECRET) || ids.some((id) => reply.text.includes(id))]).toEqual([
        path,
        false,
      ]);
      expect(reply.text).not.toContain('"secret"');
    }
  },
);

test("the overview counts a restricted action only for readers", async () => {
  const figures = async (token: string) => {
    const { body } = await ask("GET /api/overview?lifecycle=bot-actions", { token });
    return body.lifecycles;
  };
  await setReaders("counted", ["ann", "bot"]);
  const before = { eve: await figures(eve), boss: await figures(boss) };
  const annBefore = (await tasksOf(ann, "&status=processing")).length;
  await start("x", { chatId: "counted" });
  expect({ eve: await figures(eve), boss: await figures(boss) }).toEqual(before);
  expect((await tasksOf(ann, "&status=processing")).length).toBe(annBefore + 1);
});

test("a restricted action that blocks another task is named by its id only", async () => {
  const body = {
    lifecycle: "board",
    title: "Write the minutes",
    description: "Until the bot is done",
    blocked_by: [ids[0]],
  };
  const refused = await ask("POST /api/tasks", { token: eve, body });
  expect(outcomeOf(refused)).toBe("422 VALIDATION_ERROR");
  const created = await ask("POST /api/tasks", { token: ann, body });
  expect(created.status).toBe(201);
  const { id } = created.body as { id: string };
  for (const path of [`GET /api/tasks/${id}/links`, "GET /api/graph", `GET /api/tasks/${id}/actions`]) {
    expect((await ask(path, { token: eve })).text).not.toContain(SECRET);
  }
  expect((await ask(`GET /api/tasks/${id}/links`, { token: ann })).text).toContain(SECRET);
});

test("the feed hides its events, also those from before the restriction", async () => {
  const events = async (token: string) => {
    const feed = await listen(server.url, token, { query: "?after=0" });
    const marker = (await start(`marker ${Math.random()}`, { chatId: "open" })).body.action as object;
    expect(marker).toBeDefined();
    const position = await server.engine.feedPosition("main");
    await feed.until(() => (feed.events.at(-1)?.position ?? 0) >= position);
    feed.close();
    return feed.events.filter(({ task_id }) => ids.includes(task_id)).length;
  };
  expect(await events(ann)).toBe(2);
  for (const token of Object.values(HIDDEN_FROM)) expect(await events(token)).toBe(0);
  const direct = async (id: string) =>
    (await server.engine.feed(server.testEngine.by(member(id, ["agent"])), { limit: 200 })).filter(
      ({ task_id }) => ids.includes(task_id),
    ).length;
  expect([await direct("ann"), await direct("eve")]).toEqual([2, 0]);
  for (const id of ids) {
    const one = await listen(server.url, eve, { query: `?after=0&task_id=${id}` }).catch(
      (error: unknown) => error,
    );
    if (one instanceof Error) expect(one.message).toMatch(/^404/);
    else expect((one as { events: unknown[] }).events).toEqual([]);
  }
});

test("no MCP tool shows it", async () => {
  const agent = await connectFileAgent("http", { url: server.url, token: eve });
  const replies = [
    await agent.call("list_tasks", { limit: 100 }),
    await agent.call("list_tasks", { q: SECRET }),
    await agent.call("wait_for_changes", { after: 0, seconds: 1 }),
    ...(await Promise.all(ids.map((task_id) => agent.call("get_task", { task_id })))),
  ];
  const text = JSON.stringify(replies.slice(0, 3));
  expect(text).not.toContain(SECRET);
  for (const id of ids) expect(text).not.toContain(id);
  for (const reply of replies.slice(3))
    expect([reply.refused, reply.text.includes(SECRET)]).toEqual([true, false]);
});

test("open streams of a removed member get nothing further and end; readers get everything", async () => {
  await setReaders("open-stream", ["ann", "bot", "eve"]);
  const chat = { chatId: "open-stream" };
  const [removed, kept] = [
    await server.listen("open-stream", { token: eve }),
    await server.listen("open-stream", { token: ann }),
  ];
  const [feedOfEve, feedOfAnn] = [await listen(server.url, eve), await listen(server.url, ann)];
  await start("a", { ...chat, displayText: "one" });
  for (const one of [removed, kept, feedOfEve, feedOfAnn]) await one.until(() => one.events.length === 1);
  await setReaders("open-stream", ["ann", "bot"]);
  await say("open-stream", "after the change");
  await start("a", { ...chat, displayText: "two" });
  await kept.until(() => kept.events.length === 3);
  await feedOfAnn.until(() => feedOfAnn.events.length === 2);
  await removed.ended;
  expect(removed.events).toHaveLength(1);
  expect(removed.text()).not.toContain("after the change");
  // The feed of tasks goes on without the chat.
  const marker = actionIn(await start("marker", { chatId: "open" }));
  expect(marker.status).toBe("processing");
  await feedOfEve.until(() => feedOfEve.events.length === 2);
  expect(new Set(feedOfEve.events.map(({ task_id }) => task_id)).size).toBe(2);
  await expect(server.listen("open-stream", { token: eve })).rejects.toThrow(/^404/);
  await expect(server.listen("open-stream", { token: eve, after: 0 })).rejects.toThrow(/^404/);
  // A member that comes back reads everything again.
  await setReaders("open-stream", ["ann", "bot", "eve"]);
  const again = await server.listen("open-stream", { token: eve, query: "?after=0" });
  await again.until(() => again.events.length === 3);
  for (const one of [kept, feedOfEve, feedOfAnn, again]) one.close();
});

test("a reconnecting reader of the feed gets no recent event of a chat that was restricted meanwhile", async () => {
  const watcher = await listen(server.url, ann);
  const position = await server.engine.feedPosition("main");
  await start("kept in memory", { chatId: "recent" });
  await watcher.until(() => watcher.events.length === 1);
  const { task_id } = watcher.events[0]!;
  await setReaders("recent", ["ann", "bot"]);
  const reader = await listen(server.url, eve, { query: `?after=${position}` });
  await start("visible", { chatId: "open" });
  await reader.until(() => reader.events.length > 0);
  expect(reader.events.map((event) => event.task_id)).not.toContain(task_id);
  watcher.close();
  reader.close();
});

test("a bot that is not on the list cannot finish its own action", async () => {
  expect(outcomeOf(await start("own", { chatId: "lost" }, { token: stray }))).toBe("200");
  const { token: key } = (await ask("POST /api/chats/lost/callback-tokens", { token: stray, body: {} }))
    .body as {
    token: string;
  };
  await setReaders("lost", ["ann"]);
  expect(outcomeOf(await update("own", { chatId: "lost" }, { token: stray }))).toBe("404 UNKNOWN_ACTION_ID");
  const callback = { workspaceId: "main", chatId: "lost", actionId: "own" };
  const path = "POST /api/no-code/callback/actions";
  const started = await ask(`${path}/start`, { token: key, body: { ...callback, actionType: "summarize" } });
  expect(outcomeOf(started)).toBe("404 NOT_FOUND");
  const updated = await ask(`${path}/update`, { token: key, body: { ...callback, status: "done" } });
  expect(outcomeOf(updated)).toBe("404 UNKNOWN_ACTION_ID");
  // The watchdog is the system, and still ends it.
  await server.engine.sweep({ now: Date.now() + 3 * 3_600_000, lifecycles: ["bot-actions"] });
  const { body } = await ask("GET /api/chat/actions?chatId=lost&status=error", { token: ann });
  expect(body.actions).toMatchObject([{ actionId: "own", payload: { reason: "timeout" } }]);
});

test("admins of the project set the list; the same list changes nothing, null opens the chat", async () => {
  const set = (readers: unknown, token = boss, more: object = {}) =>
    ask("PUT /api/chats/managed/readers", { token, body: { readers, ...more } });
  await start("a", { chatId: "managed" });
  for (const token of [ann, eve, bot]) expect(outcomeOf(await set(["eve"], token))).toBe("403 FORBIDDEN");
  const first = await set(["bot", "ann", "ann"]);
  expect(first.body).toMatchObject({ chatId: "managed", readers: ["ann", "bot"], changedBy: "boss" });
  const position = await server.engine.feedPosition("main");
  expect((await set(["ann", "bot"], undefined)).body).toEqual(first.body);
  expect(await server.engine.feedPosition("main")).toBe(position);
  const list = async (token: string) => await ask("GET /api/chats/managed/readers", { token });
  for (const token of [boss, ann, bot]) expect((await list(token)).body).toEqual(first.body);
  expect(outcomeOf(await list(eve))).toBe("404 NOT_FOUND");
  // Each change is a row of the feed.
  const rows = await server.sql`
    select actor_id, payload from pawl.event where type = 'readers_changed' and payload ->> 'chatId' = 'managed'`;
  expect(rows).toMatchObject([{ actor_id: "boss", payload: { chatId: "managed", readers: ["ann", "bot"] } }]);
  expect((await set(null)).body).toMatchObject({ readers: null, changedBy: "boss" });
  expect((await list(eve)).body).toMatchObject({ readers: null });
  expect(outcomeOf(await ask("GET /api/chat/actions?chatId=managed", { token: eve }))).toBe("200");
  expect((await tasksOf(eve, "")).some(({ data }) => data.chatId === "managed")).toBe(true);
  expect(await server.engine.verify("main")).toMatchObject({ differences: [] });
});

const TOO_MANY = Array.from({ length: 501 }, (_, n) => `m${n}`);

test.each([
  ["an empty list", []],
  ["an unknown member", ["nobody"]],
  ["a text", "ann"],
  ["a number", [7]],
  ["no list", undefined],
  ["too many members", TOO_MANY],
])("%s is refused", async (_, readers) => {
  const reply = await ask("PUT /api/chats/wrong/readers", { token: boss, body: { readers } });
  expect(outcomeOf(reply)).toBe("422 VALIDATION_ERROR");
});

test("an admin of other projects cannot see or set the list", async () => {
  const other = await server.member({
    id: "other-boss",
    kind: "human",
    roles: ["admin"],
    project_ids: ["shop"],
  });
  expect(outcomeOf(await setReaders("secret", ["other-boss"], other))).toBe("404 NOT_FOUND");
  expect(outcomeOf(await ask("GET /api/chats/secret/readers", { token: other }))).toBe("404 NOT_FOUND");
});

test("the same chatId in another project has its own list", async () => {
  await start("a", { chatId: "secret", workspaceId: "shop" });
  expect(outcomeOf(await ask("GET /api/chat/actions?chatId=secret&workspaceId=shop", { token: eve }))).toBe(
    "200",
  );
});

test("actions that are started while the list changes are all restricted", async () => {
  for (let round = 0; round < 10; round++) {
    const chatId = `race ${round}`;
    await Promise.all([
      ...[1, 2, 3, 4].map((n) => start(`a${n}`, { chatId })),
      setReaders(encodeURIComponent(chatId), ["ann", "bot"]),
      ...[5, 6, 7, 8].map((n) => start(`a${n}`, { chatId })),
    ]);
    expect((await server.list(new URLSearchParams({ chatId }).toString())).length).toBe(8);
  }
  expect(
    (await tasksOf(eve, "&status=processing")).filter(({ data }) => data.chatId.startsWith("race")),
  ).toEqual([]);
});
