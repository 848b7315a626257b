import type { LocalizedTexts } from "../../texts/localized-texts.ts";

type InboxTexts = {
  title: string;
  waiting: (n: number) => string;
  noneRefused: string;
  more: (n: number) => string;
  retry: string;
  discard: string;
  confirmDiscard: string;
  discarded: string;
  refusedAgain: string;
  created: string;
  openTask: string;
};

export const inboxTexts: LocalizedTexts<InboxTexts> = {
  en: {
    title: "Refused requests from SQL",
    waiting: (n) => `${n} waiting`,
    noneRefused: "Nothing is refused.",
    more: (n) => `and ${n} more: \`pawl inbox list\``,
    retry: "Retry",
    discard: "Discard",
    confirmDiscard: "Really discard?",
    discarded: "Request discarded",
    refusedAgain: "The request was refused again",
    created: "The task was created.",
    openTask: "Open it",
  },
  ru: {
    title: "Отклонённые запросы из SQL",
    waiting: (n) => `ожидают: ${n}`,
    noneRefused: "Отклонённых нет.",
    more: (n) => `и ещё ${n}: \`pawl inbox list\``,
    retry: "Повторить",
    discard: "Удалить",
    confirmDiscard: "Точно удалить?",
    discarded: "Запрос удалён",
    refusedAgain: "Запрос снова отклонён",
    created: "Задача создана.",
    openTask: "Открыть",
  },
};
