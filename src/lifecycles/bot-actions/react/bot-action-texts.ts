import type { BotAction, BotActionType } from "../bot-action.ts";

/** What is shown of an action that says nothing itself. */
export const botActionTexts: Readonly<Record<BotActionType, string>> = {
  transcribe_audio: "Готовим стенограмму…",
  summarize: "Готовим саммари…",
  generate_image: "Создаём изображение…",
  process_file: "Обрабатываем файл…",
};

const OF_ANY_OTHER = "Выполняем действие…";

/** The line of an action: what it says itself, else the text of its type, else one that fits all. */
export function botActionText({ displayText, actionType }: BotAction): string {
  return displayText ?? new Map(Object.entries(botActionTexts)).get(actionType) ?? OF_ANY_OTHER;
}
