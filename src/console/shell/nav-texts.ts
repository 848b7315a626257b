import type { LocalizedTexts } from "../texts/localized-texts.ts";

/** Titles of pages in the navigation. */
export const navTexts: LocalizedTexts<{ title: string }> = {
  en: { title: "Insights" },
  ru: { title: "Аналитика" },
};
