import { createContext, useContext, useEffect, useMemo } from "react";
import type { ReactNode } from "react";
import { usePreference } from "../preferences.ts";
import { en } from "./en.ts";
import type { Texts } from "./en.ts";
import { formatsIn } from "./formats.ts";
import type { Formats } from "./formats.ts";
import { namesIn } from "./names.ts";
import type { Names } from "./names.ts";
import { ru } from "./ru.ts";

export const LANGUAGES = { en, ru } satisfies Record<string, Texts>;
export type Language = keyof typeof LANGUAGES;

type Words = { t: Texts; f: Formats; n: Names; language: Language };

const Context = createContext<Words | null>(null);

/** Speaks the language that was chosen, or the browser's. */
export function SpeakLanguage({ children }: { children: ReactNode }) {
  const [language] = usePreference("language");
  const words = useMemo(
    () => ({ language, t: LANGUAGES[language], f: formatsIn(language), n: namesIn(language) }),
    [language],
  );
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return <Context.Provider value={words}>{children}</Context.Provider>;
}

/** Texts, formats and names of the language that is spoken. */
export function useWords(): Words {
  const words = useContext(Context);
  if (!words) throw new Error("no language is spoken here");
  return words;
}
