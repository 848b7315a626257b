import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

type Kind = "escalation" | "blocked" | "held" | "review";

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
};

/** Texts of the lead's screens. */
export const LEAD_TEXTS: LocalizedTexts<Texts> = {
  en: {
    kinds: {
      escalation: "Calls for help",
      blocked: "Blocked by canceled work",
      held: "On hold",
      review: "To review",
    },
    none: {
      escalation: "No open calls.",
      blocked: "No task waits for a canceled one.",
      held: "No open holds.",
      review: "Nothing to review.",
    },
    allClear: "Nothing needs you",
    allClearHint: "Calls for help, holds, blocked tasks and submitted tasks appear here.",
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
  },
  ru: {
    kinds: {
      escalation: "Просьбы о помощи",
      blocked: "Ждут отменённых задач",
      held: "Придержаны",
      review: "На проверку",
    },
    none: {
      escalation: "Открытых просьб нет.",
      blocked: "Ни одна задача не ждёт отменённой.",
      held: "Открытых удержаний нет.",
      review: "Проверять нечего.",
    },
    allClear: "Вас ничего не ждёт",
    allClearHint: "Здесь появляются просьбы о помощи, удержания, застрявшие и сданные задачи.",
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
  },
};
