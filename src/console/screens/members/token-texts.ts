import type { LocalizedTexts } from "../../texts/localized-texts.ts";

type Texts = {
  name: string;
  expires: string;
  never: string;
  days: (n: string) => string;
  used: (when: string) => string;
  neverUsed: string;
  rotate: string;
  overlap: string;
};

/** Texts about the name, the lifetime and the use of tokens. */
export const TOKEN_TEXTS: LocalizedTexts<Texts> = {
  en: {
    name: "Name of the new token",
    expires: "Expires",
    never: "never",
    days: (n) => `after ${n} days`,
    used: (when) => `last used ${when}`,
    neverUsed: "never used",
    rotate: "Rotate",
    overlap: "The old token stays valid for 24 hours.",
  },
  ru: {
    name: "Название нового токена",
    expires: "Срок действия",
    never: "без срока",
    days: (n) => `${n} дней`,
    used: (when) => `последний раз использован ${when}`,
    neverUsed: "ещё не использован",
    rotate: "Заменить",
    overlap: "Старый токен действует ещё 24 часа.",
  },
};
