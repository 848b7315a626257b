import type { Language } from "../texts/words.tsx";
import { useWords } from "../texts/words.tsx";

/** What a lifecycle's own screens say, in every language; loaded with them, and not before. */
export type OwnTexts<Texts> = Readonly<Record<Language, Texts>>;

export function useOwnTexts<Texts>(texts: OwnTexts<Texts>): Texts {
  return texts[useWords().language];
}
