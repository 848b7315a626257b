import type { LocalizedTexts } from "../../texts/localized-texts.ts";

export type InsightWindow = "hour" | "day" | "week" | "month" | "quarter" | "year";

type InsightTexts = {
  title: string;
  hint: string;
  lifecycle: string;
  window: string;
  windows: Record<InsightWindow, string>;
  anyone: string;
  member: string;
  throughput: string;
  created: string;
  finished: string;
  flow: string;
  flowHint: string;
  finishedSince: string;
  noFlow: string;
  stays: string;
  staysHint: string;
  status: string;
  left: string;
  share: (percent: number) => string;
  lead: string;
  leadOf: (tasks: string) => string;
  ageing: string;
  ageingHint: string;
  open: string;
  longerThan: (percent: number) => string;
  oldest: string;
  task: string;
  since: string;
  projects: string;
  project: string;
  people: string;
  person: string;
  none: string;
  behind: (events: string, until: string | null) => string;
};

export const insightTexts: LocalizedTexts<InsightTexts> = {
  en: {
    title: "Insights",
    hint: "Private tasks and tasks of restricted chats are in no figure about the past.",
    lifecycle: "Lifecycle",
    window: "Window",
    windows: { hour: "Hour", day: "Day", week: "Week", month: "Month", quarter: "Quarter", year: "Year" },
    anyone: "All people",
    member: "Person",
    throughput: "Throughput",
    created: "created",
    finished: "finished",
    flow: "Cumulative flow",
    flowHint: "Tasks in each status at the end of each period. A layer that grows is a bottleneck.",
    finishedSince: "finished since the start",
    noFlow: "The flow is shown for all people together.",
    stays: "Time in status",
    staysHint: "How long tasks stayed in the statuses that they left in this window.",
    status: "Status",
    left: "Left",
    share: (percent) => `${percent} %`,
    lead: "From creation to the end",
    leadOf: (tasks) => `${tasks} finished tasks`,
    ageing: "Ageing of open tasks",
    ageingHint: "Open tasks now, and how many have been in their status longer than is usual there.",
    open: "Open",
    longerThan: (percent) => `> ${percent} %`,
    oldest: "Longest in their status",
    task: "Task",
    since: "For",
    projects: "By project",
    project: "Project",
    people: "By person",
    person: "Person",
    none: "Nothing happened in this window.",
    behind: (events, until) =>
      until === null
        ? `${events} events are being counted.`
        : `Counted until ${until}; ${events} newer events will follow.`,
  },
  ru: {
    title: "Аналитика",
    hint: "Личные задачи и задачи закрытых чатов не входят в показатели за прошлое.",
    lifecycle: "Процесс",
    window: "Период",
    windows: { hour: "Час", day: "День", week: "Неделя", month: "Месяц", quarter: "Квартал", year: "Год" },
    anyone: "Все люди",
    member: "Человек",
    throughput: "Пропускная способность",
    created: "создано",
    finished: "завершено",
    flow: "Накопительный поток",
    flowHint: "Задачи в каждом статусе на конец каждого отрезка. Растущий слой — узкое место.",
    finishedSince: "завершено с начала периода",
    noFlow: "Поток показан только для всех людей вместе.",
    stays: "Время в статусе",
    staysHint: "Сколько задачи провели в статусах, из которых вышли за этот период.",
    status: "Статус",
    left: "Вышло",
    share: (percent) => `${percent} %`,
    lead: "От создания до завершения",
    leadOf: (tasks) => `завершённых задач: ${tasks}`,
    ageing: "Возраст открытых задач",
    ageingHint: "Открытые сейчас задачи, и сколько из них в своём статусе дольше обычного.",
    open: "Открыто",
    longerThan: (percent) => `> ${percent} %`,
    oldest: "Дольше всех в своём статусе",
    task: "Задача",
    since: "Уже",
    projects: "По проектам",
    project: "Проект",
    people: "По людям",
    person: "Человек",
    none: "За этот период ничего не произошло.",
    behind: (events, until) =>
      until === null
        ? `Событий в обработке: ${events}.`
        : `Посчитано до ${until}; новых событий в обработке: ${events}.`,
  },
};
