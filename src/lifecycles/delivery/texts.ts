import type { PluginUi } from "../../plugin/index.ts";

/** Names of the lifecycle in the languages of the console; English ones follow from the definition. */
export const DELIVERY_TEXTS: NonNullable<PluginUi["texts"]> = {
  ru: {
    summary: "Файлы из облачного хранилища в чат Telegram",
    statuses: {
      QUEUED: "В очереди",
      CLAIMED: "Взята",
      DOWNLOADING: "Скачивается",
      STREAMING: "Отправляется",
      DELIVERED: "Доставлена",
      FAILED: "Не удалось",
      CANCELLED: "Отменена",
      EXPIRED: "Истекла",
    },
    actions: {
      deliver: "Доставить",
      heartbeat_timeout: "Вернуть: воркер молчит",
      start_download: "Начать скачивание",
      start_stream: "Начать отправку",
    },
    fields: {
      access_days: "Дней доступа",
      backoff_base_seconds: "Первая пауза, секунд",
      backoff_cap_seconds: "Самая долгая пауза, секунд",
      chat_id: "Чат",
      code: "Код",
      file_id: "Файл",
      heartbeat_seconds: "Сигнал каждые, секунд",
      last_error: "Последняя ошибка",
      message_id: "Сообщение",
      recover_after_seconds: "Вернуть после молчания, секунд",
      request_nonce: "Номер нажатия",
      retry_after_seconds: "Повторить через, секунд",
      retryable: "Можно повторить",
      revision: "Версия файла",
      stuck_after_seconds: "Застряла после молчания, секунд",
      telegram_file_id: "Файл в Telegram",
      ttl_hours: "Часов в очереди",
      user_id: "Пользователь",
    },
    who: {
      "the user it is for, through the bot": "тот, для кого файл, через бота",
    },
    refusals: {
      USER_NOT_ACTIVE: "У пользователя нет доступа.",
    },
  },
};
