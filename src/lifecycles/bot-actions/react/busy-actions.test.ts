import { expect, test } from "vitest";
import { botActionTypes } from "../bot-action-names.ts";
import type { BotAction } from "../bot-action.ts";
import { botActionText, botActionTexts } from "./bot-action-texts.ts";
import { applyActionEvent, busyActions } from "./busy-actions.ts";

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

test("every known type has a text, and there are no other texts", () => {
  expect(Object.keys(botActionTexts)).toEqual([...botActionTypes]);
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
])("an action is shown by %s: %j", (_, fields, text) => {
  expect(botActionText(action("a", 1, fields))).toBe(text);
});

test("actions are sorted by updatedAt, or createdAt if it is missing, newest first", () => {
  const started = action("started last", 0, { updatedAt: null, createdAt: at(7) });
  const list = [action("old", 3), action("done", 9, { status: "done" }), started, action("new", 5)];
  expect(ids(busyActions(list))).toBe("started last new old");
});

test.each<[string, BotAction, string]>([
  ["a new action is shown first", action("c", 9), "c b a"],
  ["an older action whose event is late is shown last", action("c", 0), "b a c"],
  ["an updated action moves to the front", action("a", 9), "a b"],
  ["a late event with an old state changes nothing", action("b", 2), "b a"],
  ["a finished action is removed", action("b", 9, { status: "done" }), "a"],
  [
    "a failed action is removed, even if its event has an earlier time",
    action("b", 0, { status: "error" }),
    "a",
  ],
  ["a finished action that was not in the list changes nothing", action("c", 9, { status: "done" }), "b a"],
])("%s", (_, event, after) => {
  expect(ids(applyActionEvent([action("b", 5), action("a", 1)], event))).toBe(after);
});

test("an event that changes nothing returns the same array", () => {
  const list = [action("a", 5)];
  expect(applyActionEvent(list, action("a", 2))).toBe(list);
  expect(applyActionEvent(list, action("b", 9, { status: "done" }))).toBe(list);
});
