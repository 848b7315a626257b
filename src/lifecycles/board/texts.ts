import type { PluginUi } from "../../plugin/index.ts";

/** Texts of the lifecycle for the console, by language; a missing English text is made from the definition. */
export const BOARD_TEXTS: NonNullable<PluginUi["texts"]> = {
  en: {
    actions: {
      cancel: "Cancel task",
      edit: "Edit",
      escalate: "Ask for help",
      reassign: "Hand over",
      release: "Give back",
      take_over: "Take over",
    },
    confirmations: {
      cancel: "A canceled task is final: it cannot be reopened.",
      take_over: "The task becomes yours, and its assignee loses it.",
    },
    successes: {
      block: "“{title}” is blocked.",
      cancel: "“{title}” is canceled.",
      claim: "“{title}” is yours.",
      comment: "The comment is recorded.",
      complete: "“{title}” is done.",
      edit: "“{title}” is changed.",
      escalate: "You asked for help with “{title}”.",
      reassign: "“{title}” is handed over.",
      release: "“{title}” is free again.",
      take_over: "“{title}” is yours.",
    },
  },
  ru: {
    summary: "Задачи ИИ-агентов и людей с общей доской",
    statuses: {
      NEW: "Новая",
      IN_PROGRESS: "В работе",
      BLOCKED: "Заблокирована",
      STUCK: "Застряла",
      DONE: "Выполнена",
      CANCELLED: "Отменена",
    },
    actions: {
      cancel: "Отменить задачу",
      edit: "Изменить",
      reassign: "Передать",
      take_over: "Перехватить",
    },
    fields: {
      BLOCKED: "Заблокирована",
      IN_PROGRESS: "В работе",
      labels: "Метки",
      NEW: "Новая",
      new_deadline_waits_for_blockers: "Срок новой задачи ждёт блокирующих",
      status_deadlines: "Сроки статусов, минут",
      visibility: "Видимость",
    },
    hints: {
      "at most 20 labels of at most 50 characters, without commas":
        "не больше 20 меток до 50 символов, без запятых",
      "replace all labels of the task; null removes them": "заменяют все метки задачи",
      "the deadline of NEW starts when the last blocker is done, not when the task is created":
        "срок новой задачи начинается, когда выполнена последняя блокирующая задача, а не при создании",
    },
    choices: {
      critical: "Критический",
    },
    refusals: {
      ALREADY_ASSIGNED: "Задача уже у этого исполнителя.",
      CANNOT_ESCALATE_OWN: "Задача у вас: заблокируйте её сами.",
      CANNOT_TAKE_OVER: "Задача уже у вас: продолжите её.",
      NOT_PUBLIC: "Личную задачу начинает её исполнитель, взять её нельзя.",
    },
    confirmations: {
      cancel: "Отменённую задачу нельзя открыть снова.",
      take_over: "Задача станет вашей, у исполнителя её больше не будет.",
    },
    successes: {
      block: "«{title}» заблокирована.",
      cancel: "«{title}» отменена.",
      claim: "«{title}» теперь ваша.",
      comment: "Комментарий записан.",
      complete: "«{title}» выполнена.",
      edit: "«{title}» изменена.",
      escalate: "Вы позвали на помощь: «{title}».",
      reassign: "«{title}» передана.",
      release: "«{title}» снова свободна.",
      take_over: "«{title}» теперь ваша.",
    },
  },
};
