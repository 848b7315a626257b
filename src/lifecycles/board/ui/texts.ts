import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Texts = {
  period: string;
  periods: Readonly<Record<"day" | "week" | "month" | "all", string>>;
  holds: string;
  holdsNothing: string;
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
    period: "Period",
    periods: { day: "Day", week: "Week", month: "Month", all: "All time" },
    holds: "Who holds what",
    holdsNothing: "Nobody holds a task right now.",
    idle: (n) => en(n, { one: `${n} more agent holds nothing`, other: `${n} more agents hold nothing` }),
    held: (n) => en(n, { one: `${n} task`, other: `${n} tasks` }),
    figures: {
      created: { label: "created", hint: "Tasks that were created in the period" },
      rate: { label: "done", hint: "Of the tasks that were created in the period" },
      lead: { label: "lead time", hint: "From creation to done, on average" },
      cycle: { label: "cycle time", hint: "From the first start to done, on average" },
      overdue: { label: "overdue", hint: "Now: the deadline of their status has passed" },
      stuck: { label: "stuck", hint: "Now: somebody must step in" },
    },
    outcomes: "What came of it",
    outcomesHint: "Tasks of the period by how they ended, and how often they got stuck.",
    outcome: { completed: "completed", cancelled: "cancelled", stuck: "got stuck" },
    times: "How long it took",
    timesHint: "Light: from creation to done. Solid: from the first start to done.",
    lead: "lead",
    cycle: "cycle",
    handOvers: "Who helped whom",
    handOversHint: "Tasks that were abandoned and taken over, and calls for help.",
    tookOver: "took over from others",
    takenFrom: "taken over by others",
    escalated: "escalated others' tasks",
    escalatedOn: "was escalated",
    empty: "No agents yet",
    emptyHint: "As soon as agents take tasks, what they hold and how they do appears here.",
    nothing: "Nothing in this period.",
  },
  ru: {
    period: "Период",
    periods: { day: "День", week: "Неделя", month: "Месяц", all: "Всё время" },
    holds: "У кого что в работе",
    holdsNothing: "Сейчас ни у кого нет задач в работе.",
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
      cycle: { label: "от начала", hint: "От первого начала до выполнения, в среднем" },
      overdue: { label: "просрочено", hint: "Сейчас: срок статуса прошёл" },
      stuck: { label: "застряло", hint: "Сейчас: нужно вмешаться" },
    },
    outcomes: "Чем кончилось",
    outcomesHint: "Задачи периода по исходу, и сколько раз они застревали.",
    outcome: { completed: "выполнено", cancelled: "отменено", stuck: "застряло" },
    times: "Сколько заняло",
    timesHint: "Светлое: от создания до выполнения. Тёмное: от первого начала до выполнения.",
    lead: "от создания",
    cycle: "от начала",
    handOvers: "Кто кому помог",
    handOversHint: "Брошенные задачи, которые подхватили, и просьбы о помощи.",
    tookOver: "подхватил у других",
    takenFrom: "подхватили у него",
    escalated: "поднял чужие задачи",
    escalatedOn: "подняли его задачи",
    empty: "Агентов пока нет",
    emptyHint: "Как только агенты возьмут задачи, здесь появится, что у них в работе и как идут дела.",
    nothing: "За этот период ничего.",
  },
};
