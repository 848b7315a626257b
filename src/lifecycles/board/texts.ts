import type { PluginUi } from "../../plugin/index.ts";

/** Texts of the lifecycle for the console, in languages other than English; English texts come from the definition. */
export const BOARD_TEXTS: NonNullable<PluginUi["texts"]> = {
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
  },
};
