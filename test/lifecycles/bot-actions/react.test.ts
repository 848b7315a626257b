import { createElement, StrictMode } from "react";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { BOT_ACTIONS_ROUTES, botActionTypes } from "../../../src/lifecycles/bot-actions/index.ts";
import { BotActionIndicator, PawlProvider, useBotActions, useChatMessages } from "../../../src/main/react.ts";
import { openBadLine } from "../../client/faulty-proxy.ts";
import { stage } from "../../client/render-hook.ts";
import { startChatServer } from "./chat-test-server.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";

const server = await startChatServer();
const proxy = await openBadLine(server.url);
const bot = createClient({ url: server.url, token: server.bot }).calls(BOT_ACTIONS_ROUTES);
const soon = (expectation: () => void) => vi.waitFor(expectation, { timeout: WAIT_LIMIT_MS, interval: 5 });

const within = (children: ReactNode) =>
  createElement(PawlProvider, { client: createClient({ url: proxy.url, token: server.ann }) }, children);
const requestsTo = (what: string) => proxy.requests.filter((request) => request.what.startsWith(what));
const actionIn = (chatId: string) => ({ workspaceId: "main", chatId, actionType: "summarize" });

test("useBotActions fetches the actions, follows events, and needs one stream and one fetch per connection", async () => {
  await bot.startBotAction({ ...actionIn("live"), actionId: "a" });
  proxy.requests.length = 0;
  const busy = stage(() => useBotActions({ workspaceId: "main", chatId: "live" }), within);
  const shown = () => busy.now.actions.map(({ actionId }) => actionId).join(" ");
  expect(busy.now).toMatchObject({ actions: [], loading: true, problem: undefined });
  await soon(() => {
    expect(shown()).toBe("a");
    expect(requestsTo("GET /api/chats/live/events")).toHaveLength(1);
  });
  await bot.startBotAction({ ...actionIn("live"), actionId: "b" });
  await soon(() => {
    expect(shown()).toBe("b a");
  });
  await bot.updateBotAction({ ...actionIn("live"), actionId: "b", status: "done" });
  await soon(() => {
    expect(shown()).toBe("a");
  });
  // At most: twice on mount (strict mode), and once when the stream is connected. Events cause no fetch.
  expect(requestsTo("GET /api/chat/actions?").length).toBeLessThanOrEqual(3);
  expect(busy.now).toMatchObject({ loading: false, problem: undefined });
});

test("after a reconnect the list is fetched again, with the missed changes", async () => {
  await bot.startBotAction({ ...actionIn("cut"), actionId: "a" });
  const busy = stage(() => useBotActions({ chatId: "cut" }), within);
  await soon(() => {
    expect(busy.now.actions).toHaveLength(1);
    expect(requestsTo("GET /api/chats/cut/events")).toHaveLength(1);
  });
  const before = requestsTo("GET /api/chat/actions?").length;
  for (const stream of proxy.streams) stream.destroy();
  await bot.updateBotAction({ ...actionIn("cut"), actionId: "a", status: "error" });
  await soon(() => {
    expect(busy.now.actions).toEqual([]);
    expect(requestsTo("GET /api/chat/actions?").length).toBeGreaterThan(before);
  });
});

test("a finished action stays visible with its text for a while, and then disappears", async () => {
  await bot.startBotAction({ ...actionIn("end"), actionId: "a", displayText: "Reading…" });
  const rendered: string[] = [];
  const busy = stage(() => {
    const { actions } = useBotActions({ chatId: "end" });
    const shown = actions.map(
      ({ actionId, status, displayText }) => `${actionId} ${status} ${displayText ?? ""}`,
    );
    if (shown.join() !== rendered.at(-1)) rendered.push(shown.join());
    return actions;
  }, within);
  await soon(() => {
    expect(busy.now).toHaveLength(1);
    expect(requestsTo("GET /api/chats/end/events")).toHaveLength(1);
  });
  await bot.updateBotAction({ ...actionIn("end"), actionId: "a", status: "error", displayText: "Broken" });
  await soon(() => {
    expect(rendered).toEqual(["", "a processing Reading…", "a error Broken", ""]);
  });
});

test("hooks of one chat share a stream, different chats do not, and it is closed after unmounting", async () => {
  proxy.requests.length = 0;
  const page = stage(() => {
    const { messages, say } = useChatMessages({ chatId: "talk" });
    const { actions } = useBotActions({ chatId: "talk" });
    const { actions: others } = useBotActions({ chatId: "other" });
    return { messages: messages.map(({ text }) => text), busy: actions.length, others: others.length, say };
  }, within);
  await soon(() => {
    expect(requestsTo("GET /api/chats/talk/events")).toHaveLength(1);
    expect(requestsTo("GET /api/chats/other/events")).toHaveLength(1);
  });
  await page.now.say("hello");
  await bot.startBotAction({ ...actionIn("talk"), actionId: "a" });
  await soon(() => {
    expect(page.now).toMatchObject({ messages: ["hello"], busy: 1, others: 0 });
  });
  await expect(page.now.say(" ")).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  page.leave();
  await soon(() => {
    expect(proxy.streams.size).toBe(0);
  });
});

test("an invisible chat is returned as a problem", async () => {
  const busy = stage(() => useBotActions({ workspaceId: "nowhere", chatId: "c" }), within);
  await soon(() => {
    expect(busy.now).toMatchObject({ actions: [], loading: false, problem: { code: "NOT_FOUND" } });
  });
});

test("server-side rendering sends no request and renders an empty live region", () => {
  proxy.requests.length = 0;
  const Line = () => createElement(BotActionIndicator, useBotActions({ chatId: "live" }));
  const html = renderToString(createElement(StrictMode, null, within(createElement(Line))));
  expect(html).toBe('<div role="status" aria-live="polite" aria-atomic="true"></div>');
  expect(proxy.requests).toEqual([]);
});

test("the indicator shows the newest action in one line, with the number of others", () => {
  const actions = botActionTypes.map((actionType, n) => ({
    ...actionIn("c1"),
    actionId: `a${n}`,
    actionType,
    status: "processing" as const,
    updatedAt: `2026-01-05T12:00:0${n === 1 ? 9 : n}.000Z`,
  }));
  const shown = (props: Parameters<typeof BotActionIndicator>[0]) =>
    renderToString(createElement(BotActionIndicator, props))
      .split(/<[^>]*>/)
      .filter((text) => text !== "");
  expect(shown({ actions })).toEqual(["Готовим саммари…", "и ещё 3"]);
  expect(shown({ actions, language: "en" })).toEqual(["Summarizing…", "and 3 more"]);
  expect(shown({ actions: actions.slice(0, 1) })).toEqual(["Готовим стенограмму…"]);
  expect(shown({ actions, more: (n) => `+${n}`, text: () => "Busy" })).toEqual(["Busy", "+3"]);
  const failed = { ...actions[0]!, actionId: "f", status: "error" as const, displayText: "Файл повреждён" };
  expect(shown({ actions: [...actions, failed] })).toEqual(["Готовим саммари…", "Файл повреждён", "и ещё 3"]);
  const malicious = { ...actions[0]!, displayText: "<img src=x onerror=alert(1)>" };
  expect(renderToString(createElement(BotActionIndicator, { actions: [malicious] }))).not.toContain("<img");
});
