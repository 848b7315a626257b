import { createElement, StrictMode } from "react";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { BOT_ACTIONS_ROUTES, botActionTypes } from "../../../src/lifecycles/bot-actions/index.ts";
import { BotActionIndicator, PawlProvider, useBotActions, useChatMessages } from "../../../src/main/react.ts";
import { openBadLine } from "../../client/bad-line.ts";
import { stage } from "../../client/react-stage.ts";
import { openChatRoom } from "./chat-room.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";

const room = await openChatRoom();
const line = await openBadLine(room.url);
const bot = createClient({ url: room.url, token: room.bot }).calls(BOT_ACTIONS_ROUTES);
const soon = (expectation: () => void) => vi.waitFor(expectation, { timeout: WAIT_LIMIT_MS, interval: 5 });

const within = (children: ReactNode) =>
  createElement(PawlProvider, { client: createClient({ url: line.url, token: room.ann }) }, children);
const asked = (what: string) => line.requests.filter((request) => request.what.startsWith(what));
const place = (chatId: string) => ({ workspaceId: "main", chatId, actionType: "summarize" });

test("what bots are busy with is there at first, follows what happens, and costs one stream and one look a connection", async () => {
  await bot.startBotAction({ ...place("live"), actionId: "a" });
  line.requests.length = 0;
  const busy = stage(() => useBotActions({ workspaceId: "main", chatId: "live" }), within);
  const shown = () => busy.now.actions.map(({ actionId }) => actionId).join(" ");
  expect(busy.now).toMatchObject({ actions: [], loading: true, problem: undefined });
  await soon(() => {
    expect(shown()).toBe("a");
    expect(asked("GET /api/chats/live/events")).toHaveLength(1);
  });
  await bot.startBotAction({ ...place("live"), actionId: "b" });
  await soon(() => {
    expect(shown()).toBe("b a");
  });
  await bot.updateBotAction({ ...place("live"), actionId: "b", status: "done" });
  await soon(() => {
    expect(shown()).toBe("a");
  });
  // On mount, strictly twice, and when the stream stands; of the events themselves none was asked about.
  expect(asked("GET /api/chat/actions?").length).toBeLessThanOrEqual(3);
  expect(busy.now).toMatchObject({ loading: false, problem: undefined });
});

test("after a cut the list is asked for again, and what was missed is made good", async () => {
  await bot.startBotAction({ ...place("cut"), actionId: "a" });
  const busy = stage(() => useBotActions({ chatId: "cut" }), within);
  await soon(() => {
    expect(busy.now.actions).toHaveLength(1);
    expect(asked("GET /api/chats/cut/events")).toHaveLength(1);
  });
  const before = asked("GET /api/chat/actions?").length;
  for (const stream of line.streams) stream.destroy();
  await bot.updateBotAction({ ...place("cut"), actionId: "a", status: "error" });
  await soon(() => {
    expect(busy.now.actions).toEqual([]);
    expect(asked("GET /api/chat/actions?").length).toBeGreaterThan(before);
  });
});

test("messages and actions of a chat share its stream; chats do not, and it ends when nobody looks any more", async () => {
  line.requests.length = 0;
  const page = stage(() => {
    const { messages, say } = useChatMessages({ chatId: "talk" });
    const { actions } = useBotActions({ chatId: "talk" });
    const { actions: others } = useBotActions({ chatId: "other" });
    return { messages: messages.map(({ text }) => text), busy: actions.length, others: others.length, say };
  }, within);
  await soon(() => {
    expect(asked("GET /api/chats/talk/events")).toHaveLength(1);
    expect(asked("GET /api/chats/other/events")).toHaveLength(1);
  });
  await page.now.say("hello");
  await bot.startBotAction({ ...place("talk"), actionId: "a" });
  await soon(() => {
    expect(page.now).toMatchObject({ messages: ["hello"], busy: 1, others: 0 });
  });
  await expect(page.now.say(" ")).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  page.leave();
  await soon(() => {
    expect(line.streams.size).toBe(0);
  });
});

test("a chat that one may not see is a problem, told to whoever shows it", async () => {
  const busy = stage(() => useBotActions({ workspaceId: "nowhere", chatId: "c" }), within);
  await soon(() => {
    expect(busy.now).toMatchObject({ actions: [], loading: false, problem: { code: "NOT_FOUND" } });
  });
});

test("on a server the page is made without asking anything, with an empty region for what comes", () => {
  line.requests.length = 0;
  const Line = () => createElement(BotActionIndicator, useBotActions({ chatId: "live" }));
  const html = renderToString(createElement(StrictMode, null, within(createElement(Line))));
  expect(html).toBe('<div role="status" aria-live="polite" aria-atomic="true"></div>');
  expect(line.requests).toEqual([]);
});

test("one line, at most: of several actions the newest, and how many there are beside it", () => {
  const actions = botActionTypes.map((actionType, n) => ({
    ...place("c1"),
    actionId: `a${n}`,
    actionType,
    status: "processing" as const,
    updatedAt: `2026-01-05T12:00:0${n === 1 ? 9 : n}.000Z`,
  }));
  const shown = (props: Parameters<typeof BotActionIndicator>[0]) =>
    renderToString(createElement(BotActionIndicator, props)).replaceAll(/<[^>]*>/g, "|");
  expect(shown({ actions })).toBe("||||Готовим саммари…||and 3 more||");
  expect(shown({ actions: actions.slice(0, 1) })).toBe("||||Готовим стенограмму…||");
  expect(shown({ actions, more: (n) => `и ещё ${n}`, text: () => "Busy" })).toBe("||||Busy||и ещё 3||");
  const done = actions.map((action) => ({ ...action, status: "done" as const }));
  expect(shown({ actions: done })).toBe("||");
  const wicked = { ...actions[0]!, displayText: "<img src=x onerror=alert(1)>" };
  expect(renderToString(createElement(BotActionIndicator, { actions: [wicked] }))).not.toContain("<img");
});
