import { expect, test, vi } from "vitest";
import { botActionTypes } from "../bot-action-names.ts";
import type { BotAction } from "../bot-action.ts";
import { botActionText, botActionTexts, INDICATOR_TEXTS, pageLanguage } from "./bot-action-texts.ts";
import { applyActionEvent, applyFetchedActions, busyActions, CONFIRMATION_MS } from "./busy-actions.ts";

const at = (second: number) => `2026-01-05T12:00:${String(second).padStart(2, "0")}.000Z`;

function action(actionId: string, second: number, more: Partial<BotAction> = {}): BotAction {
  return {
    workspaceId: "main",
    chatId: "c1",
    actionId,
    actionType: "summarize",
    status: "processing",
    createdAt: at(0),
    updatedAt: at(second),
    ...more,
  };
}

const ids = (actions: readonly BotAction[]) => actions.map(({ actionId }) => actionId).join(" ");

test("every known type has a text in every language, and there are no other texts", () => {
  expect(Object.keys(botActionTexts)).toEqual([...botActionTypes]);
  for (const { types } of Object.values(INDICATOR_TEXTS))
    expect(Object.keys(types)).toEqual([...botActionTypes]);
});

test.each([
  ["ru", "ru"],
  ["ru-RU", "ru"],
  ["", "ru"],
  ["en", "en"],
  ["de-AT", "en"],
  ["rue", "en"],
])("a page with lang=%j is shown in %j", (lang, language) => {
  vi.stubGlobal("document", { documentElement: { lang } });
  expect(pageLanguage()).toBe(language);
  vi.unstubAllGlobals();
});

test.each<[string, Partial<BotAction>, string]>([
  ["its displayText", { displayText: "Читаем файл", actionType: "summarize" }, "Читаем файл"],
  ["the text of its type", { actionType: "transcribe_audio" }, "Готовим стенограмму…"],
  ["the text of its type", { actionType: "summarize", displayText: null }, "Готовим саммари…"],
  ["the text of its type", { actionType: "generate_image" }, "Создаём изображение…"],
  ["the text of its type", { actionType: "process_file" }, "Обрабатываем файл…"],
  ["the general text", { actionType: "cook_dinner" }, "Выполняем действие…"],
  ["the general text", { actionType: "constructor" }, "Выполняем действие…"],
  ["the general text", { actionType: "__proto__" }, "Выполняем действие…"],
  ["its displayText", { status: "error", displayText: "Файл повреждён" }, "Файл повреждён"],
  ["the text of its status", { status: "done" }, "Готово"],
  ["the text of its status", { status: "error", actionType: "cook_dinner" }, "Не получилось"],
])("an action is shown by %s: %j", (_, fields, text) => {
  expect(botActionText(action("a", 1, fields))).toBe(text);
});

test("actions are sorted by updatedAt, or createdAt if it is missing, newest first", () => {
  const started = action("started last", 0, { updatedAt: null, createdAt: at(7) });
  const list = [action("old", 3), action("done", 9, { status: "done" }), started, action("new", 5)];
  expect(ids(busyActions(list))).toBe("started last new old");
});

const NOW = 1_000;
const visible = (...actions: BotAction[]) => actions.map((one) => ({ action: one, until: null }));
const shownIds = (all: ReturnType<typeof applyActionEvent>) =>
  all
    .map(({ action: { actionId, status } }) => (status === "processing" ? actionId : `${actionId}:${status}`))
    .join(" ");

test.each<[string, BotAction, string]>([
  ["a new action is shown first", action("c", 9), "c b a"],
  ["an older action whose event is late is shown last", action("c", 0), "b a c"],
  ["an updated action moves to the front", action("a", 9), "a b"],
  ["a late event with an old state changes nothing", action("b", 2), "b a"],
  ["a finished action follows the processing ones", action("b", 9, { status: "done" }), "a b:done"],
  [
    "a failed action follows them, even if its event has an earlier time",
    action("b", 0, { status: "error" }),
    "a b:error",
  ],
  [
    "an action that the watchdog ended is removed",
    action("b", 9, { status: "error", payload: { reason: "timeout" } }),
    "a",
  ],
  ["a finished action that was not in the list changes nothing", action("c", 9, { status: "done" }), "b a"],
])("%s", (_, event, after) => {
  expect(shownIds(applyActionEvent(visible(action("b", 5), action("a", 1)), event, NOW))).toBe(after);
});

test("an event that changes nothing returns the same array", () => {
  const list = visible(action("a", 5));
  expect(applyActionEvent(list, action("a", 2), NOW)).toBe(list);
  expect(applyActionEvent(list, action("b", 9, { status: "done" }), NOW)).toBe(list);
});

test("a confirmation has its own end, survives fetched lists, and is never processing again", () => {
  const done = applyActionEvent(visible(action("a", 5)), action("a", 9, { status: "done" }), NOW);
  expect(done).toMatchObject([{ until: NOW + CONFIRMATION_MS }]);
  expect(applyActionEvent(done, action("a", 10), NOW + 1)).toBe(done);
  const fetched = applyFetchedActions(done, [action("b", 1), action("a", 5)], NOW + CONFIRMATION_MS - 1);
  expect(shownIds(fetched)).toBe("b a:done");
  expect(shownIds(applyFetchedActions(fetched, [action("b", 1)], NOW + CONFIRMATION_MS))).toBe("b");
});

test("the confirmations of several actions are shown side by side, the latest first", () => {
  const one = applyActionEvent(
    visible(action("b", 5), action("a", 1)),
    action("b", 6, { status: "error" }),
    NOW,
  );
  const both = applyActionEvent(one, action("a", 7, { status: "done" }), NOW + 1);
  expect(shownIds(both)).toBe("a:done b:error");
});

test.each<[string, Partial<BotAction>, string | null]>([
  [
    "the text that it finished with",
    { status: "error", displayText: "The file is broken" },
    "The file is broken",
  ],
  ["no text, if it is still that of the work", { status: "done", displayText: "Reading…" }, null],
])("a confirmation has %s", (_, fields, text) => {
  const before = visible(action("a", 5, { displayText: "Reading…" }));
  const [end] = applyActionEvent(before, action("a", 9, fields), NOW);
  expect(end?.action.displayText).toBe(text);
  // A text that comes later replaces it, and the end stays.
  const later = applyActionEvent([end!], action("a", 10, { ...fields, displayText: "Later" }), NOW + 1);
  expect(later).toMatchObject([{ action: { displayText: "Later" }, until: NOW + CONFIRMATION_MS }]);
});
