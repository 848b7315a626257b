import type { PluginUi } from "../../plugin/index.ts";

/** Names of the lifecycle in the languages of the console; English ones follow from the definition. */
export const DELIVERY_TEXTS: NonNullable<PluginUi["texts"]> = {
  ru: {
    summary: "Файлы из облачного хранилища в чат Telegram",
    statuses: {
      QUEUED: "В очереди",
      CLAIMED: "Взята воркером",
      DOWNLOADING: "Скачивается",
      STREAMING: "Отправляется",
      DELIVERED: "Доставлена",
      FAILED: "Не доставлена",
      CANCELLED: "Отменена",
      EXPIRED: "Истекла",
    },
    actions: {
      deliver: "Доставить",
      heartbeat_timeout: "Вернуть: воркер не отвечает",
      start_download: "Начать скачивание",
      start_stream: "Начать отправку",
    },
    fields: {
      access_days: "Срок доступа, дней",
      backoff_base_seconds: "Первая пауза, секунд",
      backoff_cap_seconds: "Максимальная пауза, секунд",
      chat_id: "Чат",
      code: "Код",
      file_id: "Файл",
      heartbeat_seconds: "Интервал сигналов воркера, секунд",
      last_error: "Последняя ошибка",
      message_id: "Сообщение",
      recover_after_seconds: "Вернуть в очередь без сигнала через, секунд",
      request_nonce: "Номер нажатия",
      retry_after_seconds: "Повторить через, секунд",
      retryable: "Можно повторить",
      revision: "Версия файла",
      stuck_after_seconds: "Считать застрявшей без сигнала через, секунд",
      telegram_file_id: "Файл в Telegram",
      ttl_hours: "Максимум часов в очереди",
      user_id: "Пользователь",
    },
    who: {
      "the job's user, through the bot": "получатель файла, через бота",
    },
    refusals: {
      USER_NOT_ACTIVE: "У пользователя нет доступа.",
    },
  },
};
