import type { BotAction, BotActionType } from "../bot-action.ts";

/** Default texts by type, for actions without a displayText. */
export const botActionTexts: Readonly<Record<BotActionType, string>> = {
  transcribe_audio: "Готовим стенограмму…",
  summarize: "Готовим саммари…",
  generate_image: "Создаём изображение…",
  process_file: "Обрабатываем файл…",
};

const FALLBACK_TEXT = "Выполняем действие…";

/** Returns the text of an action: its displayText, the default of its type, or a general text. */
export function botActionText({ displayText, actionType }: BotAction): string {
  return displayText ?? new Map(Object.entries(botActionTexts)).get(actionType) ?? FALLBACK_TEXT;
}
