import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Texts = {
  chat: string;
  chatHint: string;
  open: string;
  busyChats: string;
  busyEmpty: string;
  doing: (n: number) => string;
  empty: string;
  emptyHint: string;
  say: string;
  placeholder: string;
  sayKeys: string;
  more: (n: number) => string;
  types: Readonly<Record<"transcribe_audio" | "summarize" | "generate_image" | "process_file", string>>;
  anyOther: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    chat: "Chat",
    chatHint: "Whatever your bots call it.",
    open: "Open",
    busyChats: "Bots at work",
    busyEmpty: "No bot is busy anywhere.",
    doing: (n) => en(n, { one: `${n} action`, other: `${n} actions` }),
    empty: "Nothing was said yet",
    emptyHint: "Messages and what bots are busy with appear here at once, in every window.",
    say: "Send",
    placeholder: "Write a message…",
    sayKeys: "Enter sends, Shift+Enter begins a line",
    more: (n) => `and ${n} more`,
    types: {
      transcribe_audio: "Transcribing…",
      summarize: "Summarizing…",
      generate_image: "Creating an image…",
      process_file: "Processing a file…",
    },
    anyOther: "Working on it…",
  },
  ru: {
    chat: "Чат",
    chatHint: "Как его называют ваши боты.",
    open: "Открыть",
    busyChats: "Боты за работой",
    busyEmpty: "Ни один бот ничем не занят.",
    doing: (n) => ru(n, { one: `${n} действие`, few: `${n} действия`, other: `${n} действий` }),
    empty: "Здесь пока ничего не сказано",
    emptyHint: "Сообщения и то, чем заняты боты, сразу появляются здесь, во всех окнах.",
    say: "Отправить",
    placeholder: "Напишите сообщение…",
    sayKeys: "Enter отправляет, Shift+Enter начинает строку",
    more: (n) => `и ещё ${n}`,
    types: {
      transcribe_audio: "Готовим стенограмму…",
      summarize: "Готовим саммари…",
      generate_image: "Создаём изображение…",
      process_file: "Обрабатываем файл…",
    },
    anyOther: "Выполняем действие…",
  },
};
