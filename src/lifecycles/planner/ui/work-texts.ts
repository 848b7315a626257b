import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Texts = {
  onShift: (until: string, left: string) => string;
  noShift: string;
  nextShift: (moment: string) => string;
  noShiftPlanned: string;
  waiting: string;
  waitingCount: (n: number) => string;
  stored: string;
  notStored: string;
  current: string;
  instructions: string;
  noInstructions: string;
  deliverable: string;
  trade: string;
  help: string;
  since: (span: string) => string;
  sentBack: (who: string, ago: string) => string;
  onHold: (kind: string) => string;
  askedForHelp: (reason: string, ago: string) => string;
  noAnswer: string;
  answered: (who: string) => string;
  take: string;
  start: string;
  submit: string;
  approve: string;
  askForHelp: string;
  reportDefect: string;
  note: string;
  noteHint: string;
  howFixed: string;
  howFixedHint: string;
  reason: string;
  needed: string;
  neededForOther: string;
  wrong: string;
  severity: string;
  next: string;
  why: string;
  yourTrade: (trade: string) => string;
  anyTrade: string;
  skill: (needed: number, own: number) => string;
  ready: string;
  first: string;
  firstByPriority: (priority: string) => string;
  later: string;
  notNow: string;
  noneFree: string;
  noneFreeHint: string;
  skillTooLow: (needed: number, own: number) => string;
  skillTooLowHint: string;
  availableAt: (moment: string) => string;
  checkAgain: string;
  inReview: string;
  submitted: (ago: string) => string;
  notDone: (action: string) => string;
  notSent: (action: string) => string;
  changed: string;
  notYours: string;
  taken: (who: string) => string;
  nowIn: (status: string) => string;
  changes: string;
  yourText: string;
  sendAgain: string;
  discard: string;
  discardTitle: string;
  discardLead: string;
  copy: string;
  copied: string;
  notForYou: string;
  notForYouHint: string;
};

/** Texts of the executors' screen. */
export const WORK_TEXTS: LocalizedTexts<Texts> = {
  en: {
    onShift: (until, left) => `On shift until ${until}, ${left} left`,
    noShift: "You have no shift now.",
    nextShift: (moment) => `The next one begins ${moment}.`,
    noShiftPlanned: "None is planned for you.",
    waiting: "waiting to be sent",
    waitingCount: (n) =>
      en(n, { one: `${n} action waits to be sent`, other: `${n} actions wait to be sent` }),
    stored: "Stored on this device and sent in order as soon as the network is back.",
    notStored: "This browser stores nothing: keep this page open until everything is sent.",
    current: "My task",
    instructions: "Instructions",
    noInstructions: "No instructions.",
    deliverable: "Deliverable",
    trade: "Trade",
    help: "Helpers",
    since: (span) => `for ${span}`,
    sentBack: (who, ago) => `Sent back by ${who}, ${ago}`,
    onHold: (kind) => `On hold: ${kind}`,
    askedForHelp: (reason, ago) => `You asked for help: ${reason}, ${ago}`,
    noAnswer: "No answer yet.",
    answered: (who) => `Answer from ${who}`,
    take: "Take this task",
    start: "Start",
    submit: "Submit…",
    approve: "Approve my work",
    askForHelp: "Ask for help…",
    reportDefect: "Report a defect…",
    note: "Note",
    noteHint: "For the reviewer.",
    howFixed: "How was it fixed?",
    howFixedHint: "Recorded with the defect.",
    reason: "Reason",
    needed: "What do you need?",
    neededForOther: "Describe the reason.",
    wrong: "What is wrong?",
    severity: "Severity",
    next: "Next task",
    why: "Why it suits you",
    yourTrade: (trade) => `For your trade: ${trade}`,
    anyTrade: "For any trade",
    skill: (needed, own) => `Needs skill ${needed}, you have ${own}`,
    ready: "Nothing blocks it",
    first: "The first in the pool",
    firstByPriority: (priority) => `The first in the pool, priority ${priority}`,
    later: "You can take it when you have submitted your task.",
    notNow: "You cannot take a task now",
    noneFree: "No task for you now",
    noneFreeHint: "The pool has no free task for your trades. New ones appear here by themselves.",
    skillTooLow: (needed, own) => `Tasks need skill ${needed}; yours is ${own}`,
    skillTooLowHint: "A lead can assign tasks to you.",
    availableAt: (moment) => `Can be taken from ${moment}.`,
    checkAgain: "Check again",
    inReview: "Waiting for review",
    submitted: (ago) => `submitted ${ago}`,
    notDone: (action) => `Not carried out: ${action}`,
    notSent: (action) => `Therefore not sent: ${action}`,
    changed: "Somebody else changed the task before your action arrived.",
    notYours: "The task is no longer yours.",
    taken: (who) => `${who} has taken this task.`,
    nowIn: (status) => `The task is in the status “${status}” now.`,
    changes: "Since you saw it:",
    yourText: "Your text",
    sendAgain: "Send again",
    discard: "Discard",
    discardTitle: "Discard your text?",
    discardLead: "It was not sent and is stored only on this device.",
    copy: "Copy the text",
    copied: "Copied.",
    notForYou: "This page is for executors",
    notForYouHint: "It shows the task of the member who is signed in.",
  },
  ru: {
    onShift: (until, left) => `Смена до ${until}, осталось ${left}`,
    noShift: "Сейчас у вас нет смены.",
    nextShift: (moment) => `Следующая начнётся ${moment}.`,
    noShiftPlanned: "Смен для вас не запланировано.",
    waiting: "ждёт отправки",
    waitingCount: (n) =>
      ru(n, {
        one: `${n} действие ждёт отправки`,
        few: `${n} действия ждут отправки`,
        other: `${n} действий ждут отправки`,
      }),
    stored: "Сохранено на этом устройстве. Отправится по порядку, как только появится сеть.",
    notStored: "Этот браузер ничего не хранит: не закрывайте страницу, пока всё не отправится.",
    current: "Моя задача",
    instructions: "Указания",
    noInstructions: "Указаний нет.",
    deliverable: "Изделие",
    trade: "Специальность",
    help: "Помощники",
    since: (span) => `уже ${span}`,
    sentBack: (who, ago) => `На доработку: ${who}, ${ago}`,
    onHold: (kind) => `Удерживается: ${kind}`,
    askedForHelp: (reason, ago) => `Вы просили о помощи: ${reason}, ${ago}`,
    noAnswer: "Ответа пока нет.",
    answered: (who) => `Ответ: ${who}`,
    take: "Взять эту задачу",
    start: "Начать",
    submit: "Сдать…",
    approve: "Принять свою работу",
    askForHelp: "Попросить помощи…",
    reportDefect: "Сообщить о дефекте…",
    note: "Заметка",
    noteHint: "Для проверяющего.",
    howFixed: "Как исправлено?",
    howFixedHint: "Запишется вместе с дефектом.",
    reason: "Причина",
    needed: "Что нужно?",
    neededForOther: "Опишите причину.",
    wrong: "Что не так?",
    severity: "Серьёзность",
    next: "Следующая задача",
    why: "Почему она подходит",
    yourTrade: (trade) => `Для вашей специальности: ${trade}`,
    anyTrade: "Для любой специальности",
    skill: (needed, own) => `Нужен разряд ${needed}, у вас ${own}`,
    ready: "Её ничто не задерживает",
    first: "Первая в пуле",
    firstByPriority: (priority) => `Первая в пуле, приоритет ${priority}`,
    later: "Её можно взять, когда вы сдадите свою задачу.",
    notNow: "Сейчас задачу взять нельзя",
    noneFree: "Сейчас задач для вас нет",
    noneFreeHint: "В пуле нет свободных задач для ваших специальностей. Новые появятся здесь сами.",
    skillTooLow: (needed, own) => `Для задач нужен разряд ${needed}, у вас ${own}`,
    skillTooLowHint: "Задачу вам может назначить мастер.",
    availableAt: (moment) => `Можно взять с ${moment}.`,
    checkAgain: "Проверить ещё раз",
    inReview: "На проверке",
    submitted: (ago) => `сдано ${ago}`,
    notDone: (action) => `Не выполнено: ${action}`,
    notSent: (action) => `Поэтому не отправлено: ${action}`,
    changed: "Задачу изменили раньше, чем дошло ваше действие.",
    notYours: "Задача больше не ваша.",
    taken: (who) => `Эту задачу уже взял другой: ${who}.`,
    nowIn: (status) => `Задача сейчас в статусе «${status}».`,
    changes: "Что изменилось:",
    yourText: "Ваш текст",
    sendAgain: "Отправить ещё раз",
    discard: "Убрать",
    discardTitle: "Удалить ваш текст?",
    discardLead: "Он не отправлен и хранится только на этом устройстве.",
    copy: "Скопировать текст",
    copied: "Скопировано.",
    notForYou: "Эта страница для исполнителей",
    notForYouHint: "Здесь видна задача того, кто вошёл.",
  },
};
