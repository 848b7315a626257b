import { pluralIn } from "../../../console/texts/plural.ts";
import type { LocalizedTexts } from "../../../console/texts/localized-texts.ts";

const [en, ru] = [pluralIn("en"), pluralIn("ru")];

type Texts = {
  chat: string;
  chatHint: string;
  open: string;
  chats: string;
  chatsEmpty: string;
  restricted: string;
  readers: string;
  everyMember: string;
  readersField: string;
  readersHint: string;
  save: string;
  doing: (n: number) => string;
  empty: string;
  emptyHint: string;
  say: string;
  placeholder: string;
  sayKeys: string;
};

export const TEXTS: LocalizedTexts<Texts> = {
  en: {
    chat: "Chat",
    chatHint: "The chat id that your bots use.",
    open: "Open",
    chats: "Chats",
    chatsEmpty: "No chat has had an event.",
    restricted: "Restricted",
    readers: "Readers of this chat",
    everyMember: "Every member of the project",
    readersField: "Members",
    readersHint: "People and bots. Leave empty for every member of the project.",
    save: "Save",
    doing: (n) => en(n, { one: `${n} action`, other: `${n} actions` }),
    empty: "No messages yet",
    emptyHint: "Messages and bot actions appear here live, in every window.",
    say: "Send",
    placeholder: "Write a message…",
    sayKeys: "Enter sends, Shift+Enter starts a new line",
  },
  ru: {
    chat: "Чат",
    chatHint: "Идентификатор чата, который используют ваши боты.",
    open: "Открыть",
    chats: "Чаты",
    chatsEmpty: "Ни в одном чате ещё не было событий.",
    restricted: "Доступ ограничен",
    readers: "Читатели этого чата",
    everyMember: "Все участники проекта",
    readersField: "Участники",
    readersHint: "Люди и боты. Оставьте пустым, чтобы чат читали все участники проекта.",
    save: "Сохранить",
    doing: (n) => ru(n, { one: `${n} действие`, few: `${n} действия`, other: `${n} действий` }),
    empty: "Сообщений пока нет",
    emptyHint: "Сообщения и действия ботов сразу появляются здесь, во всех окнах.",
    say: "Отправить",
    placeholder: "Напишите сообщение…",
    sayKeys: "Enter — отправить, Shift+Enter — новая строка",
  },
};
