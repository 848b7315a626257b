import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

type Kind = "escalation" | "late" | "will_be_late" | "blocked" | "held" | "review";

type Texts = {
  kinds: Readonly<Record<Kind, string>>;
  /** Shown instead of the list if a kind has no items. */
  none: Readonly<Record<Kind, string>>;
  allClear: string;
  allClearHint: string;
  notForYou: string;
  notForYouHint: string;
  more: (n: number) => string;
  oldest: (shown: number, count: number) => string;
  needed: (n: string) => string;
  holds: Readonly<Record<string, string>>;
  waitsFor: string;
  releaseHold: string;
  holdReleased: string;
  removeDependency: string;
  dependencyRemoved: string;
  recall: string;
  cancel: string;
  remove: string;
  assign: string;
  reassign: string;
  reassignTo: string;
  reassignReason: string;
  reassigned: (name: string) => string;
  due: (moment: string) => string;
  lateBy: (span: string) => string;
  readyAt: (moment: string) => string;
  estimate: (span: string) => string;
  changeDue: string;
  dueAt: string;
  dueHint: string;
  estimateMinutes: string;
  dueChanged: string;
  range: string;
  days: (n: number) => string;
  download: string;
  figures: Readonly<Record<"done" | "p50" | "p90" | "yield" | "rework", { label: string; hint: string }>>;
  throughput: string;
  throughputHint: string;
  people: string;
  peopleHint: string;
  trades: string;
  tradesHint: string;
  anyTrade: string;
  load: (row: { done: number; rejected: number; open: number }) => string;
  hours: (n: string) => string;
  noWork: string;
  incomplete: string;
};

/** Texts of the lead's screens. */
export const LEAD_TEXTS: LocalizedTexts<Texts> = {
  en: {
    kinds: {
      escalation: "Calls for help",
      late: "Late",
      will_be_late: "Will be late",
      blocked: "Blocked by canceled work",
      held: "On hold",
      review: "To review",
    },
    none: {
      escalation: "No open calls.",
      late: "No task is late.",
      will_be_late: "According to the estimates, all tasks will be in time.",
      blocked: "No task waits for a canceled one.",
      held: "No open holds.",
      review: "Nothing to review.",
    },
    allClear: "Nothing needs you",
    allClearHint: "Calls for help, late tasks, holds, blocked tasks and submitted tasks appear here.",
    notForYou: "This page is for leads",
    notForYouHint: "Your tasks are in the tab My work.",
    more: (n) => `Show ${n} more`,
    oldest: (shown, count) => `The oldest ${shown} of ${count} are shown.`,
    needed: (n) => `Items that need a lead: ${n}`,
    holds: { materials: "materials", qc: "quality control", access: "access", other: "other" },
    waitsFor: "waits for",
    releaseHold: "Release hold",
    holdReleased: "The hold is released.",
    removeDependency: "Remove dependency",
    dependencyRemoved: "The dependency is removed.",
    recall: "Recall…",
    cancel: "Cancel task…",
    remove: "Delete…",
    assign: "Assign…",
    reassign: "Reassign…",
    reassignTo: "New owner",
    reassignReason: "Reason",
    reassigned: (name) => `The task now belongs to ${name}.`,
    due: (moment) => `due ${moment}`,
    lateBy: (span) => `${span} late`,
    readyAt: (moment) => `ready ${moment} at the earliest`,
    estimate: (span) => `needs ${span}`,
    changeDue: "Change due date…",
    dueAt: "Due",
    dueHint: "Empty: no due date.",
    estimateMinutes: "Estimate, minutes",
    dueChanged: "The due date is changed.",
    range: "Range",
    days: (n) => `${n} days`,
    download: "Download CSV",
    figures: {
      done: { label: "done", hint: "Tasks approved in the range" },
      p50: { label: "median lead time", hint: "From creation to approval; half of the tasks were faster" },
      p90: { label: "lead time, 90 %", hint: "From creation to approval; nine of ten tasks were faster" },
      yield: { label: "first-pass yield", hint: "Share of the approved tasks that were never rejected" },
      rework: { label: "rework rate", hint: "Share of the reviews that were rejections" },
    },
    throughput: "Done per day",
    throughputHint: "Approved tasks.",
    people: "Load per person",
    peopleHint: "Time in progress. A period of work counts if it ended in the range.",
    trades: "Load per trade",
    tradesHint: "The same time, by the trade that the task requires.",
    anyTrade: "any trade",
    load: ({ done, rejected, open }) => `${done} done · ${rejected} rejected · ${open} open now`,
    hours: (n) => `${n} h`,
    noWork: "No work in this range.",
    incomplete: "The range has too many events; only the latest 500,000 were counted.",
  },
  ru: {
    kinds: {
      escalation: "Просьбы о помощи",
      late: "Опаздывают",
      will_be_late: "Не успеют к сроку",
      blocked: "Ждут отменённых задач",
      held: "Придержаны",
      review: "На проверку",
    },
    none: {
      escalation: "Открытых просьб нет.",
      late: "Опозданий нет.",
      will_be_late: "По оценкам всё успевает к сроку.",
      blocked: "Ни одна задача не ждёт отменённой.",
      held: "Открытых удержаний нет.",
      review: "Проверять нечего.",
    },
    allClear: "Вас ничего не ждёт",
    allClearHint: "Здесь появляются просьбы о помощи, опоздания, удержания, застрявшие и сданные задачи.",
    notForYou: "Эта страница для мастеров",
    notForYouHint: "Ваши задачи на вкладке «Моя работа».",
    more: (n) => `Показать ещё: ${n}`,
    oldest: (shown, count) => `Показаны самые старые: ${shown} из ${count}.`,
    needed: (n) => `Ждут мастера: ${n}`,
    holds: { materials: "материалы", qc: "контроль качества", access: "доступ", other: "другое" },
    waitsFor: "ждёт",
    releaseHold: "Снять удержание",
    holdReleased: "Удержание снято.",
    removeDependency: "Убрать зависимость",
    dependencyRemoved: "Зависимость убрана.",
    recall: "Вернуть в пул…",
    cancel: "Отменить задачу…",
    remove: "Удалить…",
    assign: "Назначить…",
    reassign: "Передать…",
    reassignTo: "Новый исполнитель",
    reassignReason: "Причина",
    reassigned: (name) => `Теперь исполняет: ${name}.`,
    due: (moment) => `срок ${moment}`,
    lateBy: (span) => `опаздывает на ${span}`,
    readyAt: (moment) => `готова не раньше: ${moment}`,
    estimate: (span) => `займёт ${span}`,
    changeDue: "Изменить срок…",
    dueAt: "Срок",
    dueHint: "Пусто: без срока.",
    estimateMinutes: "Оценка, минут",
    dueChanged: "Срок изменён.",
    range: "Период",
    days: (n) => `${n} дн.`,
    download: "Скачать CSV",
    figures: {
      done: { label: "выполнено", hint: "Задачи, принятые за период" },
      p50: { label: "медиана срока", hint: "От создания до приёмки; половина задач быстрее" },
      p90: { label: "срок, 90 %", hint: "От создания до приёмки; девять из десяти задач быстрее" },
      yield: { label: "приняты с первого раза", hint: "Доля принятых задач, которые ни разу не возвращали" },
      rework: { label: "доля возвратов", hint: "Доля проверок, которые закончились возвратом" },
    },
    throughput: "Выполнено по дням",
    throughputHint: "Принятые задачи.",
    people: "Нагрузка по людям",
    peopleHint: "Время в работе. Считается работа, которая закончилась за период.",
    trades: "Нагрузка по специальностям",
    tradesHint: "То же время по специальности, которой требует задача.",
    anyTrade: "любая специальность",
    load: ({ done, rejected, open }) => `выполнено ${done} · возвращено ${rejected} · сейчас открыто ${open}`,
    hours: (n) => `${n} ч`,
    noWork: "За этот период работы не было.",
    incomplete: "За период слишком много событий; учтены последние 500 000.",
  },
};
