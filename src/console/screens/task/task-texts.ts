import type { LocalizedTexts } from "../../texts/localized-texts.ts";
import { pluralIn } from "../../texts/plural.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type TaskTexts = {
  copyLink: string;
  linkCopied: string;
  /** Shown where the browser has no clipboard. */
  copyByHand: string;
  previous: string;
  next: string;
  place: (index: string, count: string) => string;
  backToList: string;
  editField: (field: string) => string;
  showRepeats: (n: number) => string;
  hideRepeats: string;
};

export const taskTexts: LocalizedTexts<TaskTexts> = {
  en: {
    copyLink: "Copy link",
    linkCopied: "The link is copied.",
    copyByHand: "This browser has no clipboard here. Copy the address of the page.",
    previous: "Previous task of the list (K)",
    next: "Next task of the list (J)",
    place: (index, count) => `${index} of ${count}`,
    backToList: "Back to the list",
    editField: (field) => `Edit: ${field}`,
    showRepeats: (n) => en(n, { one: `Show ${n} more like this`, other: `Show ${n} more like this` }),
    hideRepeats: "Fold repeats",
  },
  ru: {
    copyLink: "Скопировать ссылку",
    linkCopied: "Ссылка скопирована.",
    copyByHand: "Буфер обмена здесь недоступен. Скопируйте адрес страницы.",
    previous: "Предыдущая задача списка (K)",
    next: "Следующая задача списка (J)",
    place: (index, count) => `${index} из ${count}`,
    backToList: "Вернуться к списку",
    editField: (field) => `Изменить: ${field}`,
    showRepeats: (n) =>
      ru(n, {
        one: `Показать ещё ${n} такую запись`,
        few: `Показать ещё ${n} такие записи`,
        other: `Показать ещё ${n} таких записей`,
      }),
    hideRepeats: "Свернуть повторы",
  },
};
