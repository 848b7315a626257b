import { until } from "../../support/until.ts";

import type { BotApiStandIn, Message } from "./stand-ins/bot-api.ts";

/** Messages that the bot sends unasked. */
const NOTICE = /^(Доступ (открыт|продлён) до|Доступ к библиотеке заканчивается|👤|⏳|❌|⌛|⚠️)/u;

/** A Telegram user who chats with the bot. */
export class Person {
  readonly id: number;
  private readonly telegram: BotApiStandIn;
  private readonly name: string;

  constructor(telegram: BotApiStandIn, id: number, name: string) {
    this.telegram = telegram;
    this.id = id;
    this.name = name;
  }

  /** Returns the messages of the chat with the bot, oldest first. */
  chat(): Message[] {
    return this.telegram.messages.filter(({ chat_id }) => chat_id === String(this.id));
  }

  /** Sends a text and returns the bot's answer, ignoring notices. */
  say(text: string): Promise<Message> {
    return this.send({ text });
  }

  /** Sends any content and returns the bot's answer, ignoring notices. */
  async send(content: { text?: string; sticker?: object }): Promise<Message> {
    const before = this.chat().length;
    this.telegram.say({ id: this.id, first_name: this.name }, content);
    return until(() =>
      this.chat()
        .slice(before)
        .find((message) => !NOTICE.test(message.text ?? "")),
    );
  }

  /** Taps the latest button with a matching text; returns the message after the tap was answered. */
  async tap(pattern: RegExp): Promise<Message> {
    const { message, data } = this.find(pattern);
    const tapped = this.telegram.tap({ id: this.id, first_name: this.name }, message, data);
    await until(() => this.telegram.answered(tapped));
    return message;
  }

  /** Taps without waiting for the answer; returns the id of the update. */
  tapWithoutWaiting(pattern: RegExp): number {
    const { message, data } = this.find(pattern);
    return this.telegram.tap({ id: this.id, first_name: this.name }, message, data);
  }

  /** Waits for a message of the bot. */
  waitFor(pattern: RegExp): Promise<Message> {
    return until(() => this.chat().find(({ text }) => pattern.test(text ?? "")));
  }

  find(pattern: RegExp): { message: Message; data: string } {
    for (const message of this.chat().reverse()) {
      const button = message.buttons.find(({ text }) => pattern.test(text));
      if (button) return { message, data: button.callback_data };
    }
    throw new Error(`button ${String(pattern)} not found in ${JSON.stringify(this.chat())}`);
  }
}

export function labels({ buttons }: Message): string[] {
  return buttons.map(({ text }) => text);
}
