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
  free: string;
  unseen: (n: number) => string;
  open: string;
  clear: string;
  find: string;
  keys: string;
  choose: string;
  waitsFor: string;
  holdsUp: string;
  nothing: string;
  legend: { holds: string; dead: string; over: string };
  never: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    title: "Graph",
    tasks: (n) =>
      en(n, { one: `${n} task that is tied to others`, other: `${n} tasks that are tied to others` }),
    more: (n) => `The newest ${n} are shown.`,
    finished: "Finished too",
    empty: "Nothing waits for anything",
    emptyHint: "Tasks that are created with others to wait for appear here, with what holds them up.",
    waits: (n) => en(n, { one: `waits for ${n} task`, other: `waits for ${n} tasks` }),
    waitedFor: (n) => en(n, { one: `${n} task waits for it`, other: `${n} tasks wait for it` }),
    free: "waits for nothing",
    unseen: (n) => en(n, { one: `${n} of them is not shown`, other: `${n} of them are not shown` }),
    open: "Open the task",
    clear: "Show all alike",
    find: "Find in the graph",
    keys: "← → along the ties, ↑ ↓ beside, Enter opens",
    choose: "Choose a task to see what holds it up, and whom it holds up.",
    waitsFor: "Waits for",
    holdsUp: "Holds up",
    nothing: "nothing",
    legend: { holds: "holds up", dead: "will never end well", over: "no longer waited for" },
    never: "This one has ended, and not well: who waits for it waits for ever.",
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
    finished: "И завершённые",
    empty: "Никто никого не ждёт",
    emptyHint: "Здесь появятся задачи, созданные с зависимостями, и то, что их держит.",
    waits: (n) => ru(n, { one: `ждёт ${n} задачу`, few: `ждёт ${n} задачи`, other: `ждёт ${n} задач` }),
    waitedFor: (n) =>
      ru(n, { one: `её ждёт ${n} задача`, few: `её ждут ${n} задачи`, other: `её ждут ${n} задач` }),
    free: "ничего не ждёт",
    unseen: (n) =>
      ru(n, {
        one: `${n} из них не показана`,
        few: `${n} из них не показаны`,
        other: `${n} из них не показаны`,
      }),
    open: "Открыть задачу",
    clear: "Показать все одинаково",
    find: "Найти в графе",
    keys: "← → по связям, ↑ ↓ рядом, Enter открывает",
    choose: "Выберите задачу, чтобы увидеть, что её держит и кого держит она.",
    waitsFor: "Ждёт",
    holdsUp: "Держит",
    nothing: "ничего",
    legend: { holds: "держит", dead: "уже не будет выполнена", over: "больше не ждут" },
    never: "Она завершилась неудачей: те, кто её ждёт, не дождутся.",
  },
};
