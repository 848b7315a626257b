import { pluralIn } from "../../texts/plural.ts";
import type { LocalizedTexts } from "../../texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Texts = {
  title: string;
  tasks: (n: number) => string;
  more: (n: string) => string;
  finished: string;
  empty: string;
  emptyHint: string;
  waits: (n: number) => string;
  waitedFor: (n: number) => string;
  notWaitedFor: string;
  notBlocked: string;
  notShown: (n: number) => string;
  open: string;
  clearSelection: string;
  find: string;
  keys: string;
  select: string;
  waitsFor: string;
  blocks: string;
  nothing: string;
  legend: { blocks: string; failed: string; resolved: string };
  cannotStart: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    title: "Graph",
    tasks: (n) => en(n, { one: `${n} connected task`, other: `${n} connected tasks` }),
    more: (n) => `Showing the newest ${n}.`,
    finished: "Show finished",
    empty: "No dependencies",
    emptyHint: "Tasks that wait for other tasks appear here, with their blockers.",
    waits: (n) => en(n, { one: `waits for ${n} task`, other: `waits for ${n} tasks` }),
    waitedFor: (n) => en(n, { one: `${n} task waits for it`, other: `${n} tasks wait for it` }),
    notWaitedFor: "no task waits for it",
    notBlocked: "not blocked",
    notShown: (n) => `${n} not shown`,
    open: "Open the task",
    clearSelection: "Clear selection",
    find: "Find in the graph",
    keys: "← → follow dependencies, ↑ ↓ move up and down, Enter opens",
    select: "Select a task to see what blocks it and what it blocks.",
    waitsFor: "Waits for",
    blocks: "Blocks",
    nothing: "nothing",
    legend: { blocks: "blocks", failed: "failed, still blocks", resolved: "resolved" },
    cannotStart: "This task did not succeed: tasks that wait for it cannot start.",
  },
  ru: {
    title: "Граф",
    tasks: (n) =>
      ru(n, {
        one: `${n} связанная задача`,
        few: `${n} связанные задачи`,
        other: `${n} связанных задач`,
      }),
    more: (n) => `Показаны самые новые: ${n}.`,
    finished: "Показать завершённые",
    empty: "Зависимостей нет",
    emptyHint: "Здесь появятся задачи, которые ждут другие задачи, и то, что их блокирует.",
    waits: (n) => ru(n, { one: `ждёт ${n} задачу`, few: `ждёт ${n} задачи`, other: `ждёт ${n} задач` }),
    waitedFor: (n) =>
      ru(n, { one: `её ждёт ${n} задача`, few: `её ждут ${n} задачи`, other: `её ждут ${n} задач` }),
    notWaitedFor: "её никто не ждёт",
    notBlocked: "ничего не ждёт",
    notShown: (n) =>
      ru(n, {
        one: `${n} не показана`,
        few: `${n} не показаны`,
        other: `${n} не показано`,
      }),
    open: "Открыть задачу",
    clearSelection: "Снять выделение",
    find: "Найти в графе",
    keys: "← → по зависимостям, ↑ ↓ вверх и вниз, Enter открывает",
    select: "Выберите задачу, чтобы увидеть, что её блокирует и что блокирует она.",
    waitsFor: "Ждёт",
    blocks: "Блокирует",
    nothing: "ничего",
    legend: { blocks: "блокирует", failed: "не удалась, блокирует", resolved: "выполнена" },
    cannotStart: "Задача завершилась неудачей: ожидающие её задачи не могут начаться.",
  },
};
