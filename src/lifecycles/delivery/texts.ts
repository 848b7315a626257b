import type { PluginUi } from "../../plugin/index.ts";

/** Names of the lifecycle by language; a missing English name is made from the definition. */
export const DELIVERY_TEXTS: NonNullable<PluginUi["texts"]> = {
  en: {
    actions: {
      cancel: "Cancel delivery",
      deliver: "Record the delivery",
      fail: "Record a failure",
      heartbeat_timeout: "Return: no heartbeat",
      start_download: "Start the download",
      start_stream: "Start sending",
    },
    confirmations: {
      cancel: "The file is not sent. The user can request it again.",
    },
    successes: {
      cancel: "“{title}” is canceled.",
      claim: "“{title}” is claimed.",
      release: "“{title}” is in the queue again.",
    },
  },
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
      fail: "Записать неудачу",
      cancel: "Отменить доставку",
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
    confirmations: {
      cancel: "Файл не будет отправлен. Пользователь может запросить его снова.",
    },
    successes: {
      cancel: "«{title}» отменена.",
      claim: "«{title}» взята.",
      release: "«{title}» снова в очереди.",
    },
  },
};
