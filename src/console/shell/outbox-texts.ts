import type { LocalizedTexts } from "../texts/localized-texts.ts";
import { pluralIn } from "../texts/plural.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Texts = {
  waiting: (n: number) => string;
  refused: (n: number) => string;
  show: string;
  unsent: (n: number) => string;
  keptOnSignOut: string;
  lostOnSignOut: string;
  stay: string;
  signOutAnyway: string;
};

/** Texts about actions that are not sent yet. */
export const OUTBOX_TEXTS: LocalizedTexts<Texts> = {
  en: {
    waiting: (n) => en(n, { one: `${n} action waits to be sent.`, other: `${n} actions wait to be sent.` }),
    refused: (n) =>
      en(n, { one: `${n} action was not carried out.`, other: `${n} actions were not carried out.` }),
    show: "Show",
    unsent: (n) => en(n, { one: `${n} action is not sent yet`, other: `${n} actions are not sent yet` }),
    keptOnSignOut: "They stay on this device and are sent when you sign in here again.",
    lostOnSignOut: "This browser stores nothing: if you sign out now, they are lost.",
    stay: "Stay signed in",
    signOutAnyway: "Sign out anyway",
  },
  ru: {
    waiting: (n) =>
      ru(n, {
        one: `${n} действие ждёт отправки.`,
        few: `${n} действия ждут отправки.`,
        other: `${n} действий ждут отправки.`,
      }),
    refused: (n) =>
      ru(n, {
        one: `${n} действие не выполнено.`,
        few: `${n} действия не выполнены.`,
        other: `${n} действий не выполнено.`,
      }),
    show: "Показать",
    unsent: (n) =>
      ru(n, {
        one: `${n} действие ещё не отправлено`,
        few: `${n} действия ещё не отправлены`,
        other: `${n} действий ещё не отправлено`,
      }),
    keptOnSignOut: "Они останутся на этом устройстве и будут отправлены, когда вы снова войдёте здесь.",
    lostOnSignOut: "Этот браузер ничего не хранит: если выйти сейчас, они пропадут.",
    stay: "Остаться",
    signOutAnyway: "Всё равно выйти",
  },
};
