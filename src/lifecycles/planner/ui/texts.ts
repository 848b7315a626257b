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
  /** Texts by refusal code; for other codes the server's detail is shown. */
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
  free: string;
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
  created: (name: string) => string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    mine: "My task",
    mineEmpty: "You have no task",
    mineEmptyHint: "Take one from the pool, or let Pawl choose the best one.",
    takeBest: "Take the best task",
    tookBest: (title) => `“${title}” is yours.`,
    nothingToTake: "No task is available to you now.",
    pool: "Pool",
    poolEmpty: "The pool is empty",
    poolEmptyHint: "A task appears here when its blockers are done and it is not on hold.",
    take: "Take",
    assign: "Assign…",
    whyNot: "Why you cannot take it",
    refusals: {
      WIP_LIMIT: "You already have a task.",
      SKILL_TOO_LOW: "Your skill level is too low.",
      TRADE_MISMATCH: "It is for another trade.",
      FORBIDDEN: "Your role cannot take tasks.",
    },
    priority: (n) => `priority ${n}`,
    anyTrade: "any trade",
    fix: "fix",
    actions: { start: "Start", submit: "Submit", escalate: "Call for help…" },
    since: (span) => `for ${span}`,
    helpedBy: "with",
    review: "To review",
    reviewEmpty: "Nothing to review",
    reviewEmptyHint: "Submitted tasks appear here.",
    approve: "Approve",
    reject: "Reject…",
    submitted: (ago) => `submitted ${ago}`,
    calls: "Calls for help",
    callsEmpty: "No calls for help.",
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
    noteHint: "Shown to the member who called.",
    resolved: "The call is resolved.",
    attention: "Needs attention",
    shifts: "Shifts",
    plan: "Plan a shift",
    planTitle: "Plan a shift",
    starts: "Begins",
    ends: "Ends",
    members: "Members",
    planned: "The shift is planned.",
    endNow: "End now",
    endTitle: "End this shift now?",
    endSure: "Its members' tasks return to the pool, except those of members who have another running shift.",
    ended: (released, kept) =>
      `${en(released, { one: `${released} task`, other: `${released} tasks` })} returned to the pool, ${kept} kept.`,
    running: "Running",
    coming: "Upcoming",
    past: "Past",
    noShifts: "No shifts yet",
    noShiftsHint: "At the end of a shift, the tasks of its members return to the pool.",
    noneRunning: "No shift is running.",
    endsIn: (span) => `${span} left`,
    startsIn: (span) => `begins in ${span}`,
    over: (ago) => `ended ${ago}`,
    unsettled: "some tasks are not released yet",
    free: "free",
    defects: "Defects",
    defectsEmpty: "No defects",
    defectsEmptyHint: "Reported defects and findings of inspections appear here.",
    openDefects: "Open",
    fixedDefects: "Fixed",
    severity: { minor: "minor", major: "major", critical: "critical" },
    makeFix: "Create a fix-task",
    fixMade: (title) => `“${title}” was created.`,
    fixTask: "fix",
    ofTask: "task",
    cause: "Cause",
    whatToFix: "To fix",
    howFixed: "How it was fixed",
    reported: (ago) => `reported ${ago}`,
    deliverables: "Deliverables",
    deliverablesEmpty: "No deliverables.",
    deliverable: {
      open: "open",
      submitted_to_qc: "in inspection",
      qc_approved: "approved",
      qc_rejected: "rejected",
    },
    toQc: "Submit to QC",
    inspect: "Inspect…",
    inspectTitle: (name) => `Inspect ${name}`,
    result: "Result",
    results: { approved: "approved", rejected: "rejected" },
    act: "Report",
    actHint: "Scope and findings of the inspection.",
    inspections: (n) => en(n, { one: `${n} inspection`, other: `${n} inspections` }),
    inspected: "The inspection is recorded.",
    newDeliverable: "New deliverable",
    type: "Type",
    serial: "Serial number",
    created: (name) => `${name} was created.`,
  },
  ru: {
    mine: "Моя задача",
    mineEmpty: "У вас нет задачи",
    mineEmptyHint: "Возьмите задачу из пула или доверьте выбор Pawl.",
    takeBest: "Взять лучшую задачу",
    tookBest: (title) => `Задача «${title}» теперь ваша.`,
    nothingToTake: "Сейчас для вас нет задач.",
    pool: "Пул",
    poolEmpty: "Пул пуст",
    poolEmptyHint: "Задача появляется здесь, когда выполнены её предшественники и сняты удержания.",
    take: "Взять",
    assign: "Назначить…",
    whyNot: "Почему её нельзя взять",
    refusals: {
      WIP_LIMIT: "У вас уже есть задача.",
      SKILL_TOO_LOW: "Ваш разряд слишком низкий.",
      TRADE_MISMATCH: "Задача для другой специальности.",
      FORBIDDEN: "С вашей ролью нельзя брать задачи.",
    },
    priority: (n) => `приоритет ${n}`,
    anyTrade: "любая специальность",
    fix: "исправление",
    actions: { start: "Начать", submit: "Сдать", escalate: "Позвать на помощь…" },
    since: (span) => `уже ${span}`,
    helpedBy: "вместе с",
    review: "На проверку",
    reviewEmpty: "Проверять нечего",
    reviewEmptyHint: "Здесь появляются сданные задачи.",
    approve: "Принять",
    reject: "Вернуть…",
    submitted: (ago) => `сдано ${ago}`,
    calls: "Просьбы о помощи",
    callsEmpty: "Просьб о помощи нет.",
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
    noteHint: "Его увидит тот, кто просил о помощи.",
    resolved: "Ответ записан.",
    attention: "Требует внимания",
    shifts: "Смены",
    plan: "Запланировать смену",
    planTitle: "Запланировать смену",
    starts: "Начало",
    ends: "Конец",
    members: "Участники",
    planned: "Смена запланирована.",
    endNow: "Закончить",
    endTitle: "Закончить смену сейчас?",
    endSure: "Задачи её участников вернутся в пул, если у них не идёт другая смена.",
    ended: (released, kept) => `Возвращено в пул: ${released}, осталось у исполнителей: ${kept}.`,
    running: "Идут",
    coming: "Предстоят",
    past: "Прошли",
    noShifts: "Смен пока нет",
    noShiftsHint: "В конце смены задачи её участников возвращаются в пул.",
    noneRunning: "Сейчас смены нет.",
    endsIn: (span) => `осталось ${span}`,
    startsIn: (span) => `начнётся через ${span}`,
    over: (ago) => `закончилась ${ago}`,
    unsettled: "часть задач ещё не возвращена",
    free: "свободен",
    defects: "Дефекты",
    defectsEmpty: "Дефектов нет",
    defectsEmptyHint: "Здесь появляются дефекты из сообщений и осмотров.",
    openDefects: "Открытые",
    fixedDefects: "Исправленные",
    severity: { minor: "мелкий", major: "серьёзный", critical: "критический" },
    makeFix: "Создать исправление",
    fixMade: (title) => `Задача «${title}» создана.`,
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
    actHint: "Что проверено и что найдено.",
    inspections: (n) => ru(n, { one: `${n} осмотр`, few: `${n} осмотра`, other: `${n} осмотров` }),
    inspected: "Осмотр записан.",
    newDeliverable: "Новое изделие",
    type: "Тип",
    serial: "Серийный номер",
    created: (name) => `${name}: создано.`,
  },
};
