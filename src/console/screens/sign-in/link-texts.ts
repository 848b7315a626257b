import type { LocalizedTexts } from "../../texts/localized-texts.ts";

type Texts = {
  title: string;
  signedInAs: (name: string) => string;
  signIn: string;
  stay: (name: string) => string;
  otherWay: string;
};

/** Texts of the page that a sign-in link opens. */
export const LINK_TEXTS: LocalizedTexts<Texts> = {
  en: {
    title: "Sign in by link",
    signedInAs: (name) =>
      `You are signed in as ${name}. The link ends this session and signs in its own member.`,
    signIn: "Sign in by the link",
    stay: (name) => `Stay signed in as ${name}`,
    otherWay: "Sign in another way",
  },
  ru: {
    title: "Вход по ссылке",
    signedInAs: (name) => `Вы вошли как ${name}. Ссылка завершит этот сеанс и откроет вход своему участнику.`,
    signIn: "Войти по ссылке",
    stay: (name) => `Остаться: ${name}`,
    otherWay: "Войти другим способом",
  },
};
