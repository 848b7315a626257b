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
      will_be_late: "By the estimates, all tasks are in time.",
      blocked: "No task waits for a canceled one.",
      held: "No open holds.",
      review: "Nothing to review.",
    },
    allClear: "Nothing needs you",
    allClearHint: "Calls for help, late tasks, holds, blocked tasks and submitted tasks appear here.",
    notForYou: "This page is for leads",
    notForYouHint: "Your tasks are in the pool.",
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
    cancel: "Cancel…",
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
    notForYouHint: "Ваши задачи в пуле.",
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
    cancel: "Отменить…",
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
  },
};
