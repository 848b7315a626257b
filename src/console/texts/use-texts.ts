import { useI18n } from "./i18n.tsx";
import type { LocalizedTexts } from "./localized-texts.ts";

/** The texts of a screen in the current language. */
export function useTexts<Texts>(texts: LocalizedTexts<Texts>): Texts {
  return texts[useI18n().language];
}
