import type { PluginUi } from "../../plugin/index.ts";

/** Names of the lifecycle in the languages of the console; English ones follow from the definition. */
export const BOT_ACTIONS_TEXTS: NonNullable<PluginUi["texts"]> = {
  ru: {
    summary: "Чем сейчас заняты боты в чатах",
    statuses: {
      processing: "Выполняется",
      done: "Готово",
      error: "Ошибка",
    },
    actions: {
      time_out: "Признать зависшей",
    },
    fields: {
      actionId: "Действие",
      actionType: "Вид действия",
      chatId: "Чат",
      displayText: "Что показать",
      max_processing_hours: "Самое большее часов в работе",
      workspaceId: "Проект",
    },
    choices: {
      done: "Готово",
      error: "Ошибка",
    },
  },
};
