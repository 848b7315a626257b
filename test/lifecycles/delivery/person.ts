import { until } from "../../support/until.ts";

import type { BotApiStandIn, Message } from "./stand-ins/bot-api.ts";

/** What the bot says without being asked. */
const NOTICE = /^(Доступ (открыт|продлён) до|Доступ к библиотеке заканчивается|👤|⏳|❌|⌛|⚠️)/u;

/** Somebody with Telegram in his hand. */
export class Person {
  readonly id: number;
  private readonly telegram: BotApiStandIn;
  private readonly name: string;

  constructor(telegram: BotApiStandIn, id: number, name: string) {
    this.telegram = telegram;
    this.id = id;
    this.name = name;
  }

  /** What stands in his chat with the bot, oldest first. */
  chat(): Message[] {
    return this.telegram.messages.filter(({ chat_id }) => chat_id === String(this.id));
  }

  /** Writes, and gives what the bot writes back: what it says by itself meanwhile is something else. */
  say(text: string): Promise<Message> {
    return this.send({ text });
  }

  /** The same with anything that a message can hold. */
  async send(content: { text?: string; sticker?: object }): Promise<Message> {
    const before = this.chat().length;
    this.telegram.say({ id: this.id, first_name: this.name }, content);
    return until(() =>
      this.chat()
        .slice(before)
        .find((message) => !NOTICE.test(message.text ?? "")),
    );
  }

  /** Taps the button with these words, the latest there is, and gives the message as it is then. */
  async tap(words: RegExp): Promise<Message> {
    const { message, data } = this.find(words);
    const tapped = this.telegram.tap({ id: this.id, first_name: this.name }, message, data);
    await until(() => this.telegram.answered(tapped));
    return message;
  }

  /** Taps and does not wait; gives the id of the update. */
  poke(words: RegExp): number {
    const { message, data } = this.find(words);
    return this.telegram.tap({ id: this.id, first_name: this.name }, message, data);
  }

  /** Waits for words that the bot says by itself. */
  hears(words: RegExp): Promise<Message> {
    return until(() => this.chat().find(({ text }) => words.test(text ?? "")));
  }

  find(words: RegExp): { message: Message; data: string } {
    for (const message of this.chat().reverse()) {
      const button = message.buttons.find(({ text }) => words.test(text));
      if (button) return { message, data: button.callback_data };
    }
    throw new Error(`no button ${String(words)} in ${JSON.stringify(this.chat())}`);
  }
}

export function labels({ buttons }: Message): string[] {
  return buttons.map(({ text }) => text);
}
