const en = {
  reload: "Reload the page",
  unreachable: {
    title: "The server is not responding",
    hint: "Retrying automatically; the content appears when the server responds.",
  },
  new_version: {
    title: "A new version of Pawl is available",
    hint: "This page belongs to the previous version. Reload it to continue; text in unsent forms is kept.",
  },
  failed: {
    title: "This could not be loaded",
    hint: "Try again, or reload the page; text in unsent forms is kept.",
  },
  broken: {
    title: "This could not be displayed",
    hint: "Try again, or reload the page; text in unsent forms is kept.",
  },
  restored: "Your draft was restored.",
  startOver: "Start over",
};

const ru: typeof en = {
  reload: "Обновить страницу",
  unreachable: {
    title: "Сервер не отвечает",
    hint: "Загрузится автоматически, как только сервер ответит.",
  },
  new_version: {
    title: "Доступна новая версия Pawl",
    hint: "Эта страница от прежней версии. Обновите её, чтобы продолжить; текст в неотправленных формах сохранится.",
  },
  failed: {
    title: "Не удалось загрузить",
    hint: "Повторите попытку или обновите страницу; текст в неотправленных формах сохранится.",
  },
  broken: {
    title: "Не удалось показать",
    hint: "Повторите попытку или обновите страницу; текст в неотправленных формах сохранится.",
  },
  restored: "Черновик восстановлен.",
  startOver: "Начать заново",
};

/** Texts about parts that fail to load or render, and about restored drafts. */
export const LOADING_TEXTS = { en, ru };
