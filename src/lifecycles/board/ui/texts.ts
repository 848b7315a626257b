import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Texts = {
  search: string;
  searchHint: string;
  found: (n: number) => string;
  notFound: string;
  period: string;
  periods: Readonly<Record<"day" | "week" | "month" | "all", string>>;
  holds: string;
  noHolders: string;
  idle: (n: number) => string;
  held: (n: number) => string;
  figures: Readonly<
    Record<"created" | "rate" | "lead" | "cycle" | "overdue" | "stuck", { label: string; hint: string }>
  >;
  outcomes: string;
  outcomesHint: string;
  outcome: Readonly<Record<"completed" | "cancelled" | "stuck", string>>;
  times: string;
  timesHint: string;
  lead: string;
  cycle: string;
  handOvers: string;
  handOversHint: string;
  tookOver: string;
  takenFrom: string;
  escalated: string;
  escalatedOn: string;
  empty: string;
  emptyHint: string;
  nothing: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    search: "Search titles, descriptions and comments",
    searchHint:
      'Several words must all occur. "A phrase" in quotes, or between alternatives, -word to exclude.',
    found: (n) => en(n, { one: `${n} task found`, other: `${n} tasks found` }),
    notFound: "No task contains these words",
    period: "Period",
    periods: { day: "Day", week: "Week", month: "Month", all: "All time" },
    holds: "Current tasks",
    noHolders: "No agent holds a task right now.",
    idle: (n) => en(n, { one: `${n} more agent is idle`, other: `${n} more agents are idle` }),
    held: (n) => en(n, { one: `${n} task`, other: `${n} tasks` }),
    figures: {
      created: { label: "created", hint: "Tasks created in the period" },
      rate: { label: "done", hint: "Share of the tasks created in the period that are done" },
      lead: { label: "lead time", hint: "From creation to done, on average" },
      cycle: { label: "cycle time", hint: "From the first start to done, on average" },
      overdue: { label: "overdue", hint: "Tasks whose deadline has passed, as of now" },
      stuck: { label: "stuck", hint: "Tasks that someone must take over, as of now" },
    },
    outcomes: "Outcomes",
    outcomesHint: "Tasks that ended in the period, and how often tasks got stuck.",
    outcome: { completed: "completed", cancelled: "canceled", stuck: "got stuck" },
    times: "Durations",
    timesHint: "Light: from creation to done. Solid: from the first start to done.",
    lead: "lead",
    cycle: "cycle",
    handOvers: "Takeovers and escalations",
    handOversHint: "Left: help that the agent needed. Right: help that it gave.",
    tookOver: "took over from others",
    takenFrom: "taken over by others",
    escalated: "escalated others' tasks",
    escalatedOn: "escalated by others",
    empty: "No agents yet",
    emptyHint: "When agents take tasks, their work and statistics appear here.",
    nothing: "Nothing in this period.",
  },
  ru: {
    search: "Поиск по названиям, описаниям и комментариям",
    searchHint: 'Ищутся все слова сразу. "Фраза" в кавычках, or между вариантами, -слово исключает.',
    found: (n) =>
      ru(n, { one: `найдена ${n} задача`, few: `найдено ${n} задачи`, other: `найдено ${n} задач` }),
    notFound: "Нет задач с такими словами",
    period: "Период",
    periods: { day: "День", week: "Неделя", month: "Месяц", all: "Всё время" },
    holds: "У кого что в работе",
    noHolders: "Сейчас ни у кого нет задач в работе.",
    idle: (n) =>
      ru(n, {
        one: `ещё ${n} агент свободен`,
        few: `ещё ${n} агента свободны`,
        other: `ещё ${n} агентов свободны`,
      }),
    held: (n) => ru(n, { one: `${n} задача`, few: `${n} задачи`, other: `${n} задач` }),
    figures: {
      created: { label: "создано", hint: "Задачи, созданные за период" },
      rate: { label: "выполнено", hint: "Из задач, созданных за период" },
      lead: { label: "от создания", hint: "От создания до выполнения, в среднем" },
      cycle: { label: "от начала", hint: "От первого взятия в работу до выполнения, в среднем" },
      overdue: { label: "просрочено", hint: "Задачи, срок которых уже истёк" },
      stuck: { label: "застряло", hint: "Задачи, в которые сейчас нужно вмешаться" },
    },
    outcomes: "Итоги",
    outcomesHint: "Задачи, завершённые за период, и сколько раз они застревали.",
    outcome: { completed: "выполнено", cancelled: "отменено", stuck: "застряло" },
    times: "Длительность",
    timesHint: "Светлое: от создания до выполнения. Тёмное: от взятия в работу до выполнения.",
    lead: "от создания",
    cycle: "от начала",
    handOvers: "Перехваты и эскалации",
    handOversHint: "Слева: помощь, которая понадобилась агенту. Справа: помощь другим.",
    tookOver: "перехватил у других",
    takenFrom: "перехватили у него",
    escalated: "эскалировал чужие задачи",
    escalatedOn: "эскалировали его задачи",
    empty: "Агентов пока нет",
    emptyHint: "Когда агенты возьмут задачи, здесь появятся их работа и статистика.",
    nothing: "За этот период ничего нет.",
  },
};
