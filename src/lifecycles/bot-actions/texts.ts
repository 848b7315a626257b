import type { PluginUi } from "../../plugin/index.ts";

/** Names of the lifecycle by language; a missing English name is made from the definition. */
export const BOT_ACTIONS_TEXTS: NonNullable<PluginUi["texts"]> = {
  en: {
    actions: {
      start: "Start again",
      time_out: "End: it takes too long",
      update: "Report progress",
    },
    successes: {
      start: "“{title}” started.",
      update: "“{title}” is updated.",
    },
  },
  ru: {
    summary: "Долгие действия чат-ботов",
    statuses: {
      processing: "Выполняется",
      done: "Готово",
      error: "Ошибка",
    },
    actions: {
      update: "Сообщить о ходе",
      start: "Начать снова",
      time_out: "Завершить по таймауту",
    },
    fields: {
      actionId: "Идентификатор действия",
      actionType: "Тип действия",
      chatId: "Чат",
      displayText: "Текст для чата",
      max_processing_hours: "Максимум часов в работе",
      workspaceId: "Проект",
    },
    choices: {
      done: "Готово",
      error: "Ошибка",
    },
    successes: {
      start: "«{title}» началось.",
      update: "«{title}» обновлено.",
    },
  },
};
