import { createContext, useContext, useEffect, useMemo } from "react";
import type { ReactNode } from "react";
import type { UiTexts } from "../data/client.ts";
import { useUi } from "../plugins/lifecycle-ui.ts";
import type { LifecycleUi } from "../plugins/lifecycle-ui.ts";
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
  const ui = useUi()(lifecycle ?? "");
  return { ...words, n: namesFor(words.language, ui) };
}

/** Names of any lifecycle, for screens that show several. */
export function useNames(): (lifecycle: string) => Names {
  const { language } = useI18n();
  const uiOf = useUi();
  return useMemo(() => (lifecycle) => namesFor(language, uiOf(lifecycle)), [language, uiOf]);
}

const NO_TEXTS: Readonly<Record<Language, UiTexts>> = { en: {}, ru: {} };
/** Made once for all components that show them. */
const known = new WeakMap<UiTexts, Names>();

function namesFor(language: Language, { texts }: LifecycleUi): Names {
  const own = texts[language] ?? NO_TEXTS[language];
  const names = known.get(own) ?? namesIn(language, own);
  known.set(own, names);
  return names;
}
