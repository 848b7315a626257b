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

type I18n = { t: Texts; f: Formats; language: Language };

const Context = createContext<I18n | null>(null);
const LifecycleContext = createContext<string | null>(null);

/** Provides texts in the chosen language, by default the browser's. */
export function I18nProvider({ children }: { children: ReactNode }) {
  const [language] = usePreference("language");
  const i18n = useMemo(() => ({ language, t: LANGUAGES[language], f: formatsIn(language) }), [language]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return <Context.Provider value={i18n}>{children}</Context.Provider>;
}

/** Sets the lifecycle whose names `useI18n` returns below. */
export function NamesOf({ lifecycle, children }: { lifecycle: string; children: ReactNode }) {
  return <LifecycleContext.Provider value={lifecycle}>{children}</LifecycleContext.Provider>;
}

/** Texts (`t`), formats (`f`), and names of the current lifecycle (`n`). */
export function useI18n(): I18n & { n: Names } {
  const i18n = useContext(Context);
  if (!i18n) throw new Error("useI18n needs an <I18nProvider> above");
  const lifecycle = useContext(LifecycleContext);
  const ui = useUi()(lifecycle ?? "");
  return { ...i18n, n: namesFor(i18n.language, ui) };
}

/** Names by lifecycle, for screens that show several. */
export function useNames(): (lifecycle: string) => Names {
  const { language } = useI18n();
  const uiOf = useUi();
  return useMemo(() => (lifecycle) => namesFor(language, uiOf(lifecycle)), [language, uiOf]);
}

const NO_TEXTS: Readonly<Record<Language, UiTexts>> = { en: {}, ru: {} };
/** Cache, shared by all components. */
const cache = new WeakMap<UiTexts, Names>();

function namesFor(language: Language, { texts }: LifecycleUi): Names {
  const own = texts[language] ?? NO_TEXTS[language];
  const names = cache.get(own) ?? namesIn(language, own);
  cache.set(own, names);
  return names;
}
