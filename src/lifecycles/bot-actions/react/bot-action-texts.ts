import type { BotAction, BotActionType } from "../bot-action.ts";

/** The languages of the indicator. */
export type BotActionLanguage = "en" | "ru";

type Texts = {
  types: Readonly<Record<BotActionType, string>>;
  anyOther: string;
  done: string;
  error: string;
  more: (count: number) => string;
};

/** Default texts by type, for actions without a displayText. */
export const botActionTexts: Readonly<Record<BotActionType, string>> = {
  transcribe_audio: "Готовим стенограмму…",
  summarize: "Готовим саммари…",
  generate_image: "Создаём изображение…",
  process_file: "Обрабатываем файл…",
};

export const INDICATOR_TEXTS: Readonly<Record<BotActionLanguage, Texts>> = {
  en: {
    types: {
      transcribe_audio: "Transcribing…",
      summarize: "Summarizing…",
      generate_image: "Creating an image…",
      process_file: "Processing a file…",
    },
    anyOther: "Working on it…",
    done: "Done",
    error: "That did not work",
    more: (count) => `and ${count} more`,
  },
  ru: {
    types: botActionTexts,
    anyOther: "Выполняем действие…",
    done: "Готово",
    error: "Не получилось",
    more: (count) => `и ещё ${count}`,
  },
};

/** Returns the text of an action: its displayText, or a default for its status and type. */
export function botActionText(
  { displayText, actionType, status }: BotAction,
  language: BotActionLanguage = "ru",
): string {
  const { types, anyOther, ...texts } = INDICATOR_TEXTS[language];
  if (displayText != null) return displayText;
  if (status !== "processing") return texts[status];
  return new Map(Object.entries(types)).get(actionType) ?? anyOther;
}

/** Returns the language of the page, from the `lang` of its root: English for other languages, Russian if there is none. */
export function pageLanguage(): BotActionLanguage {
  const { document } = globalThis as { document?: { documentElement?: { lang?: string } } };
  const lang = document?.documentElement?.lang ?? "";
  return lang === "" || /^ru\b/i.test(lang) ? "ru" : "en";
}
