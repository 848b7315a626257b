import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Severity = "minor" | "major" | "critical";
type Reason = "materials" | "tools" | "access" | "overlap" | "help_needed" | "harder_than_expected" | "other";
type Delivered = "open" | "submitted_to_qc" | "qc_approved" | "qc_rejected";

type Texts = {
  mine: string;
  mineEmpty: string;
  mineEmptyHint: string;
  takeBest: string;
  tookBest: (title: string) => string;
  nothingToTake: string;
  pool: string;
  poolEmpty: string;
  poolEmptyHint: string;
  take: string;
  assign: string;
  whyNot: string;
  /** By the code of a refusal; of others the server's own words. */
  refusals: Readonly<Partial<Record<string, string>>>;
  priority: (n: number) => string;
  anyTrade: string;
  fix: string;
  actions: Readonly<Record<"start" | "submit" | "escalate", string>>;
  since: (span: string) => string;
  helpedBy: string;
  review: string;
  reviewEmpty: string;
  reviewEmptyHint: string;
  approve: string;
  reject: string;
  submitted: (ago: string) => string;
  calls: string;
  callsEmpty: string;
  reasons: Readonly<Record<Reason, string>>;
  resolve: string;
  resolveTitle: string;
  note: string;
  noteHint: string;
  resolved: string;
  attention: string;
  shifts: string;
  plan: string;
  planTitle: string;
  starts: string;
  ends: string;
  members: string;
  planned: string;
  endNow: string;
  endTitle: string;
  endSure: string;
  ended: (released: number, kept: number) => string;
  running: string;
  coming: string;
  past: string;
  noShifts: string;
  noShiftsHint: string;
  noneRunning: string;
  endsIn: (span: string) => string;
  startsIn: (span: string) => string;
  over: (ago: string) => string;
  unsettled: string;
  holdsNothing: string;
  defects: string;
  defectsEmpty: string;
  defectsEmptyHint: string;
  openDefects: string;
  fixedDefects: string;
  severity: Readonly<Record<Severity, string>>;
  makeFix: string;
  fixMade: (title: string) => string;
  fixTask: string;
  ofTask: string;
  cause: string;
  whatToFix: string;
  howFixed: string;
  reported: (ago: string) => string;
  deliverables: string;
  deliverablesEmpty: string;
  deliverable: Readonly<Record<Delivered, string>>;
  toQc: string;
  inspect: string;
  inspectTitle: (name: string) => string;
  result: string;
  results: Readonly<Record<"approved" | "rejected", string>>;
  act: string;
  actHint: string;
  inspections: (n: number) => string;
  inspected: string;
  newDeliverable: string;
  type: string;
  serial: string;
  made: (name: string) => string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    mine: "My task",
    mineEmpty: "You have no task",
    mineEmptyHint: "Take one from the pool, or the one that is best for you now.",
    takeBest: "Take the best for me",
    tookBest: (title) => `“${title}” is yours.`,
    nothingToTake: "There is nothing for you to take now.",
    pool: "Pool",
    poolEmpty: "The pool is empty",
    poolEmptyHint: "Tasks appear here the moment nothing comes before them and nothing holds them up.",
    take: "Take",
    assign: "Assign…",
    whyNot: "Why not",
    refusals: {
      WIP_LIMIT: "You have a task already: one at a time.",
      SKILL_TOO_LOW: "Your skill is not enough to take work here.",
      TRADE_MISMATCH: "It is for another trade.",
      FORBIDDEN: "Your role takes no tasks.",
    },
    priority: (n) => `priority ${n}`,
    anyTrade: "any trade",
    fix: "fix",
    actions: { start: "Start", submit: "Submit", escalate: "Call for help…" },
    since: (span) => `for ${span}`,
    helpedBy: "with",
    review: "To review",
    reviewEmpty: "Nothing waits for review",
    reviewEmptyHint: "What executors submit appears here at once.",
    approve: "Approve",
    reject: "Reject…",
    submitted: (ago) => `submitted ${ago}`,
    calls: "Calls for help",
    callsEmpty: "Nobody calls for help.",
    reasons: {
      materials: "materials",
      tools: "tools",
      access: "access",
      overlap: "overlap",
      help_needed: "help needed",
      harder_than_expected: "harder than expected",
      other: "other",
    },
    resolve: "Resolve…",
    resolveTitle: "What was done about it?",
    note: "Note",
    noteHint: "Whoever called reads it.",
    resolved: "The call is answered.",
    attention: "Needs a lead's eye",
    shifts: "Shifts",
    plan: "Plan a shift",
    planTitle: "Plan a shift",
    starts: "Begins",
    ends: "Ends",
    members: "Who",
    planned: "The shift is planned.",
    endNow: "End now",
    endTitle: "End this shift now?",
    endSure: "What its members own goes back to the pool, unless they have another shift that is running.",
    ended: (released, kept) =>
      `${en(released, { one: `${released} task`, other: `${released} tasks` })} back in the pool, ${kept} kept.`,
    running: "Running",
    coming: "Coming",
    past: "Past",
    noShifts: "No shifts yet",
    noShiftsHint: "At the end of a shift, what its members hold goes back to the pool by itself.",
    noneRunning: "No shift is running.",
    endsIn: (span) => `${span} left`,
    startsIn: (span) => `begins in ${span}`,
    over: (ago) => `ended ${ago}`,
    unsettled: "something could not be released yet",
    holdsNothing: "free",
    defects: "Defects",
    defectsEmpty: "No defects",
    defectsEmptyHint: "What is reported or found in an inspection appears here.",
    openDefects: "Open",
    fixedDefects: "Fixed",
    severity: { minor: "minor", major: "major", critical: "critical" },
    makeFix: "Make a fix",
    fixMade: (title) => `“${title}” was made.`,
    fixTask: "fix",
    ofTask: "task",
    cause: "Cause",
    whatToFix: "What to fix",
    howFixed: "How it was fixed",
    reported: (ago) => `reported ${ago}`,
    deliverables: "Deliverables",
    deliverablesEmpty: "There are no deliverables.",
    deliverable: {
      open: "open",
      submitted_to_qc: "in control",
      qc_approved: "approved",
      qc_rejected: "rejected",
    },
    toQc: "Hand over",
    inspect: "Inspect…",
    inspectTitle: (name) => `Inspect ${name}`,
    result: "Result",
    results: { approved: "approved", rejected: "rejected" },
    act: "Report",
    actHint: "What was looked at, and what was found.",
    inspections: (n) => en(n, { one: `${n} inspection`, other: `${n} inspections` }),
    inspected: "The inspection is recorded.",
    newDeliverable: "New deliverable",
    type: "Type",
    serial: "Serial number",
    made: (name) => `${name} was created.`,
  },
  ru: {
    mine: "Моя задача",
    mineEmpty: "У вас нет задачи",
    mineEmptyHint: "Возьмите задачу из пула или лучшую для вас сейчас.",
    takeBest: "Взять лучшую для меня",
    tookBest: (title) => `«${title}»: теперь ваша.`,
    nothingToTake: "Сейчас для вас ничего нет.",
    pool: "Пул",
    poolEmpty: "Пул пуст",
    poolEmptyHint: "Задачи появляются здесь, как только им ничто не предшествует и ничто их не держит.",
    take: "Взять",
    assign: "Назначить…",
    whyNot: "Почему нельзя",
    refusals: {
      WIP_LIMIT: "У вас уже есть задача: по одной за раз.",
      SKILL_TOO_LOW: "Вашего разряда здесь не хватает.",
      TRADE_MISMATCH: "Она для другой специальности.",
      FORBIDDEN: "Ваша роль не берёт задач.",
    },
    priority: (n) => `приоритет ${n}`,
    anyTrade: "любая специальность",
    fix: "исправление",
    actions: { start: "Начать", submit: "Сдать", escalate: "Позвать на помощь…" },
    since: (span) => `уже ${span}`,
    helpedBy: "вместе с",
    review: "На проверку",
    reviewEmpty: "Проверять нечего",
    reviewEmptyHint: "Сданное исполнителями сразу появляется здесь.",
    approve: "Принять",
    reject: "Вернуть…",
    submitted: (ago) => `сдано ${ago}`,
    calls: "Просьбы о помощи",
    callsEmpty: "Никто не зовёт на помощь.",
    reasons: {
      materials: "материалы",
      tools: "инструмент",
      access: "доступ",
      overlap: "пересечение работ",
      help_needed: "нужна помощь",
      harder_than_expected: "сложнее, чем думали",
      other: "другое",
    },
    resolve: "Ответить…",
    resolveTitle: "Что сделано?",
    note: "Ответ",
    noteHint: "Его прочтёт тот, кто звал.",
    resolved: "Ответ записан.",
    attention: "Нужен взгляд мастера",
    shifts: "Смены",
    plan: "Запланировать смену",
    planTitle: "Запланировать смену",
    starts: "Начало",
    ends: "Конец",
    members: "Кто",
    planned: "Смена запланирована.",
    endNow: "Закончить",
    endTitle: "Закончить смену сейчас?",
    endSure: "Задачи её участников вернутся в пул, если у них не идёт другая смена.",
    ended: (released, kept) =>
      `${ru(released, { one: `${released} задача`, few: `${released} задачи`, other: `${released} задач` })} снова в пуле, осталось ${kept}.`,
    running: "Идут",
    coming: "Впереди",
    past: "Прошли",
    noShifts: "Смен пока нет",
    noShiftsHint: "В конце смены задачи её участников сами возвращаются в пул.",
    noneRunning: "Сейчас смены нет.",
    endsIn: (span) => `осталось ${span}`,
    startsIn: (span) => `начнётся через ${span}`,
    over: (ago) => `кончилась ${ago}`,
    unsettled: "что-то ещё не удалось вернуть",
    holdsNothing: "свободен",
    defects: "Дефекты",
    defectsEmpty: "Дефектов нет",
    defectsEmptyHint: "Здесь появится всё, о чём сообщили или что нашли при осмотре.",
    openDefects: "Открытые",
    fixedDefects: "Исправленные",
    severity: { minor: "мелкий", major: "серьёзный", critical: "критический" },
    makeFix: "Создать исправление",
    fixMade: (title) => `«${title}»: создано.`,
    fixTask: "исправление",
    ofTask: "задача",
    cause: "Причина",
    whatToFix: "Что исправить",
    howFixed: "Как исправлено",
    reported: (ago) => `замечен ${ago}`,
    deliverables: "Изделия",
    deliverablesEmpty: "Изделий нет.",
    deliverable: {
      open: "в работе",
      submitted_to_qc: "на контроле",
      qc_approved: "принято",
      qc_rejected: "забраковано",
    },
    toQc: "На контроль",
    inspect: "Осмотр…",
    inspectTitle: (name) => `Осмотр: ${name}`,
    result: "Итог",
    results: { approved: "принято", rejected: "забраковано" },
    act: "Акт",
    actHint: "Что смотрели и что нашли.",
    inspections: (n) => ru(n, { one: `${n} осмотр`, few: `${n} осмотра`, other: `${n} осмотров` }),
    inspected: "Осмотр записан.",
    newDeliverable: "Новое изделие",
    type: "Тип",
    serial: "Серийный номер",
    made: (name) => `${name}: создано.`,
  },
};
