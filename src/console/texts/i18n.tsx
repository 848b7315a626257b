import { createContext, useContext, useEffect, useMemo } from "react";
import type { ReactNode } from "react";
import { useUi } from "../plugins/lifecycle-ui.ts";
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

type Words = { t: Texts; f: Formats; language: Language };

const Context = createContext<Words | null>(null);
const LifecycleContext = createContext<string | null>(null);

/** Shows texts in the language that was chosen, or the browser's. */
export function I18nProvider({ children }: { children: ReactNode }) {
  const [language] = usePreference("language");
  const words = useMemo(() => ({ language, t: LANGUAGES[language], f: formatsIn(language) }), [language]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return <Context.Provider value={words}>{children}</Context.Provider>;
}

/** Names below it are those of a lifecycle. */
export function NamesOf({ lifecycle, children }: { lifecycle: string; children: ReactNode }) {
  return <LifecycleContext.Provider value={lifecycle}>{children}</LifecycleContext.Provider>;
}

/** Texts and formats of the language, and names of the lifecycle that is shown. */
export function useI18n(): Words & { n: Names } {
  const words = useContext(Context);
  if (!words) throw new Error("there is no <I18nProvider> above this component");
  const lifecycle = useContext(LifecycleContext);
  const namesOf = useNamesOf(words.language);
  return { ...words, n: namesOf(lifecycle) };
}

/** Names of any lifecycle. */
export function useNames(): (lifecycle: string | null) => Names {
  const words = useContext(Context);
  return useNamesOf(words?.language ?? "en");
}

function useNamesOf(language: Language): (lifecycle: string | null) => Names {
  const uiOf = useUi();
  return useMemo(() => {
    const known = new Map<string | null, Names>();
    return (lifecycle) => {
      const names =
        known.get(lifecycle) ?? namesIn(language, lifecycle === null ? {} : uiOf(lifecycle).texts[language]);
      known.set(lifecycle, names);
      return names;
    };
  }, [language, uiOf]);
}
