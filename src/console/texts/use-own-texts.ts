import { useWords } from "./words.tsx";
import type { OwnTexts } from "./own-texts.ts";

/** The texts of a screen in the language that is spoken. */
export function useOwnTexts<Texts>(texts: OwnTexts<Texts>): Texts {
  return texts[useWords().language];
}
