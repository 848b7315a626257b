import { expect, test } from "vitest";
import { botActionTypes } from "../bot-action-names.ts";
import type { BotAction } from "../bot-action.ts";
import { botActionText, botActionTexts } from "./bot-action-texts.ts";
import { afterHearing, busyActions } from "./busy-actions.ts";

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

test("every type that is known has a text, and there are no others", () => {
  expect(Object.keys(botActionTexts)).toEqual([...botActionTypes]);
});

test.each<[string, Partial<BotAction>, string]>([
  ["its own words", { displayText: "Читаем файл", actionType: "summarize" }, "Читаем файл"],
  ["the text of its type", { actionType: "transcribe_audio" }, "Готовим стенограмму…"],
  ["the text of its type", { actionType: "summarize", displayText: null }, "Готовим саммари…"],
  ["the text of its type", { actionType: "generate_image" }, "Создаём изображение…"],
  ["the text of its type", { actionType: "process_file" }, "Обрабатываем файл…"],
  ["the text for all others", { actionType: "cook_dinner" }, "Выполняем действие…"],
  ["the text for all others", { actionType: "constructor" }, "Выполняем действие…"],
  ["the text for all others", { actionType: "__proto__" }, "Выполняем действие…"],
])("an action is shown by %s: %j", (_, said, text) => {
  expect(botActionText(action("a", 1, said))).toBe(text);
});

test("the one that was heard of last comes first; where that is not known, the one that began last", () => {
  const started = action("started last", 0, { updatedAt: null, createdAt: at(7) });
  const list = [action("old", 3), action("done", 9, { status: "done" }), started, action("new", 5)];
  expect(ids(busyActions(list))).toBe("started last new old");
});

test.each<[string, BotAction, string]>([
  ["a new one is shown first", action("c", 9), "c b a"],
  ["one that began before, and is told of late, is shown behind", action("c", 0), "b a c"],
  ["one that says something new is heard of last", action("a", 9), "a b"],
  ["a late word of the past changes nothing", action("b", 2), "b a"],
  ["one that has finished goes", action("b", 9, { status: "done" }), "a"],
  ["one that has failed goes, however its clock stands", action("b", 0, { status: "error" }), "a"],
  ["one that nobody knew and has finished changes nothing", action("c", 9, { status: "done" }), "b a"],
])("%s", (_, heard, after) => {
  expect(ids(afterHearing([action("b", 5), action("a", 1)], heard))).toBe(after);
});

test("where nothing changes the list is the same one", () => {
  const list = [action("a", 5)];
  expect(afterHearing(list, action("a", 2))).toBe(list);
  expect(afterHearing(list, action("b", 9, { status: "done" }))).toBe(list);
});
