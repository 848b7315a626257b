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
    chatHint: "The chat id that your bots use.",
    open: "Open",
    busyChats: "Bots at work",
    busyEmpty: "No bot is busy.",
    doing: (n) => en(n, { one: `${n} action`, other: `${n} actions` }),
    empty: "No messages yet",
    emptyHint: "Messages and bot actions appear here live, in every window.",
    say: "Send",
    placeholder: "Write a message…",
    sayKeys: "Enter sends, Shift+Enter starts a new line",
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
    chatHint: "Идентификатор чата, который используют ваши боты.",
    open: "Открыть",
    busyChats: "Боты за работой",
    busyEmpty: "Сейчас ни один бот не занят.",
    doing: (n) => ru(n, { one: `${n} действие`, few: `${n} действия`, other: `${n} действий` }),
    empty: "Сообщений пока нет",
    emptyHint: "Сообщения и действия ботов сразу появляются здесь, во всех окнах.",
    say: "Отправить",
    placeholder: "Напишите сообщение…",
    sayKeys: "Enter — отправить, Shift+Enter — новая строка",
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
