import type { PluginUi } from "../../plugin/index.ts";

/** Names of the lifecycle in the languages of the console; English ones follow from the definition. */
export const BOT_ACTIONS_TEXTS: NonNullable<PluginUi["texts"]> = {
  ru: {
    summary: "Долгие действия чат-ботов",
    statuses: {
      processing: "Выполняется",
      done: "Готово",
      error: "Ошибка",
    },
    actions: {
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
  },
};
