import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { FaultPlan } from "./fault-plan.ts";
import type { InjectedFault } from "./fault-plan.ts";
import { partsOf } from "./multipart.ts";
import { closed, json, listening, textOf } from "./yandex-disk.ts";

export const BOT_TOKEN = "123456:the-token-of-the-bot-0123456789";

export type Button = { text: string; callback_data: string };
export type Message = {
  message_id: number;
  chat_id: string;
  text: string | null;
  buttons: Button[];
  document: { file_id: string; file_name: string; size: number; sha256: string } | null;
};
/** A document that a chat received; `answered`: the sender's connection has taken the answer. */
export type AcceptedDocument = {
  at: number;
  chat_id: string;
  message_id: number;
  size: number;
  sha256: string;
  answered: boolean;
};
/** Fields of a request; a reference to an uploaded file is replaced by the file. */
type Fields = Record<string, unknown>;
type Upload = { file_name: string; size: number; sha256: string };
type Person = { id: number; first_name: string; username?: string };

/** A simulated Bot API server on loopback, with the documented methods that the bot and the sender use. */
export type BotApiStandIn = {
  url: string;
  faults: FaultPlan;
  /** The called methods, in order. */
  called: string[];
  messages: Message[];
  /** All documents in the order in which they were accepted. */
  accepted: AcceptedDocument[];
  /** Texts of the answers to taps, in order. */
  answers: (string | null)[];
  /** Sets the token that is accepted from now on. */
  setToken: (token: string) => void;
  /** Returns the documents in a chat. */
  documents: (chat: number | string) => NonNullable<Message["document"]>[];
  /** Sends a message to the bot; returns the id of the update. */
  say: (person: Person, content: { text?: string; sticker?: object }) => number;
  /** Taps a button of a message; returns the id of the update. */
  tap: (person: Person, message: Message, data: string) => number;
  /** Refuses the ids of all files that were sent before. */
  forgetFiles: () => void;
  /** Delivers an update again, as after a lost answer; returns its new id. */
  redeliver: (update_id: number) => number;
  /** Returns whether the tap was answered. */
  answered: (update_id: number) => boolean;
  /** Returns whether the bot has confirmed the update. */
  isConfirmed: (update_id: number) => boolean;
  /** Returns the number of unconfirmed updates. */
  waiting: () => number;
  close: () => Promise<void>;
};

class BadRequest extends Error {
  readonly code: number;
  constructor(description: string, code = 400) {
    super(description);
    this.code = code;
  }
}

type BotApiOptions = Partial<Pick<BotApi, "token" | "faults">>;
export async function openBotApi(options: BotApiOptions = {}): Promise<BotApiStandIn> {
  const api = new BotApi(options.token ?? BOT_TOKEN, options.faults ?? new FaultPlan());
  const { server, url } = await listening((request, response) => api.answer(request, response));
  return {
    url,
    faults: api.faults,
    called: api.called,
    messages: api.messages,
    accepted: api.accepted,
    answers: api.answers,
    setToken: (next) => {
      api.token = next;
    },
    documents: (chat) =>
      api.messages.flatMap(({ chat_id, document }) =>
        chat_id === String(chat) && document ? [document] : [],
      ),
    say: (person, content) => api.publish({ message: api.messageFrom(person, content) }),
    tap: (person, message, data) => api.publish({ callback_query: api.tapOf(person, message, data) }),
    forgetFiles: () => {
      api.files.clear();
    },
    redeliver: (update_id) => api.repeat(update_id),
    answered: (update_id) => api.isAnswered(update_id),
    isConfirmed: (update_id) => api.isConfirmed(update_id),
    waiting: () => api.waiting(),
    close: async () => {
      api.stopped = true;
      await closed(server);
    },
  };
}

class BotApi {
  stopped = false;
  /** The accepted token. */
  token: string;
  readonly faults: FaultPlan;
  readonly called: string[] = [];
  readonly messages: Message[] = [];
  readonly accepted: AcceptedDocument[] = [];
  readonly files = new Map<string, Upload>();
  readonly answers: (string | null)[] = [];
  private readonly answeredTaps = new Set<string>();
  private updates: (Fields & { update_id: number })[] = [];
  private readonly all = new Map<number, Fields & { update_id: number }>();
  private ids = 100;
  private poll: AbortController | null = null;
  private pushing = false;
  private webhook: { url: string; secret: string } | null = null;

  constructor(token: string, faults: FaultPlan) {
    this.token = token;
    this.faults = faults;
  }

  publish(update: Fields): number {
    const update_id = this.ids++;
    const whole = { update_id, ...update };
    this.all.set(update_id, whole);
    this.updates.push(whole);
    void this.push();
    return update_id;
  }

  repeat(update_id: number): number {
    const update = this.all.get(update_id);
    if (!update) throw new Error("no such update");
    // Telegram's ids are ascending; only here a repeated update gets a new id.
    const again = { ...update, update_id: this.ids++ };
    this.updates.push(again);
    void this.push();
    return again.update_id;
  }

  isAnswered(update_id: number): boolean {
    const { id } = this.all.get(update_id)?.callback_query as { id: string };
    return this.answeredTaps.has(id);
  }

  waiting(): number {
    return this.updates.length;
  }

  isConfirmed(update_id: number): boolean {
    return !this.updates.some((update) => update.update_id === update_id);
  }

  messageFrom(person: Person, content: { text?: string; sticker?: object }): Fields {
    const command = /^\/\w+/.exec(content.text ?? "")?.[0];
    return {
      message_id: this.ids++,
      date: now(),
      from: { ...person, is_bot: false },
      chat: { id: person.id, type: "private", first_name: person.first_name },
      ...content,
      ...(command ? { entities: [{ type: "bot_command", offset: 0, length: command.length }] } : {}),
    };
  }

  tapOf(person: Person, { message_id, text }: Message, data: string): Fields {
    return {
      id: String(this.ids++),
      from: { ...person, is_bot: false },
      chat_instance: "1",
      data,
      message: { message_id, date: now(), chat: { id: person.id, type: "private" }, text },
    };
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
    if (token !== this.token) {
      // Telegram's answer to an unknown token.
      json(response, token === undefined ? 404 : 401, failure(401, "Unauthorized"));
      return;
    }
    this.called.push(method);
    try {
      const read = await this.read(method, request, response);
      if (read === null) return;
      const result = await this.perform(method, read.fields, response);
      if (read.fault?.kind === "lost answer") response.destroy();
      else if (!response.writableEnded) {
        this.watchAnswer(result, response);
        json(response, 200, { ok: true, result });
      }
    } catch (error) {
      if (response.destroyed || response.writableEnded) return;
      if (!(error instanceof BadRequest)) response.destroy();
      else json(response, error.code, failure(error.code, error.message));
    }
  }

  /** Reads the fields of a request; null if an injected fault has ended it. */
  private async read(
    method: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ fields: Fields; fault: InjectedFault | null } | null> {
    const type = request.headers["content-type"] ?? "";
    if (!type.startsWith("multipart/")) {
      const text = await textOf(request);
      const fields = (text === "" ? {} : JSON.parse(text)) as Fields;
      const fault = this.faults.take(method, String(fields.chat_id));
      return this.interrupts(fault, 0, request, response) ? null : { fields, fault };
    }
    const fields: Fields = {};
    const uploads = new Map<string, Upload>();
    let fault: InjectedFault | null = null;
    for await (const { name, filename, bytes } of partsOf(request, type)) {
      // The chat id comes before the file, so a fault can answer before the whole file was received.
      if (filename !== null) fault = this.faults.take(method, String(fields.chat_id));
      const hash = createHash("sha256");
      let [size, text] = [0, ""];
      for await (const piece of bytes) {
        size += piece.length;
        if (filename === null) text += piece.toString("utf8");
        else hash.update(piece);
        if (this.interrupts(fault, size, request, response)) return null;
      }
      if (filename === null) fields[name] = text;
      else uploads.set(name, { file_name: filename, size, sha256: hash.digest("hex") });
    }
    for (const [name, value] of Object.entries(fields)) {
      const upload = uploads.get(/^attach:\/\/(.+)$/.exec(String(value))?.[1] ?? "");
      if (upload) fields[name] = upload;
    }
    return { fields, fault };
  }

  private interrupts(
    fault: InjectedFault | null,
    received: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean {
    if (fault?.kind === "status") {
      const { status, body = failure(status, "Internal Server Error"), headers } = fault;
      json(response, status, body, headers);
      request.resume();
      return true;
    }
    if (fault?.kind !== "reset" && fault?.kind !== "stall") return false;
    if (received < (fault.after ?? 0)) return false;
    if (fault.kind === "reset") response.destroy();
    return true;
  }

  private perform(method: string, fields: Fields, response: ServerResponse): unknown {
    switch (method) {
      case "getMe":
        return { id: 123456, is_bot: true, first_name: "Library", username: "library_bot" };
      case "getUpdates":
        return this.getUpdates(fields, response);
      case "setWebhook":
        this.webhook = { url: String(fields.url), secret: textIn(fields.secret_token) };
        void this.push();
        return true;
      case "deleteWebhook":
        this.webhook = null;
        return true;
      case "setMyCommands":
        return true;
      case "sendMessage":
        return this.sendMessage(fields);
      case "editMessageText":
        return this.editMessageText(fields);
      case "answerCallbackQuery":
        this.answers.push(typeof fields.text === "string" ? fields.text : null);
        this.answeredTaps.add(String(fields.callback_query_id));
        return true;
      case "sendDocument":
        return this.sendDocument(fields);
      default:
        throw new BadRequest("Not Found: method not found", 404);
    }
  }

  private async getUpdates(
    { offset = 0, timeout = 0, limit = 100 }: Fields,
    response: ServerResponse,
  ): Promise<unknown> {
    if (this.webhook)
      throw new BadRequest("Conflict: can't use getUpdates method while webhook is active", 409);
    this.poll?.abort();
    const poll = new AbortController();
    this.poll = poll;
    // A higher offset confirms the earlier updates.
    this.updates = this.updates.filter(({ update_id }) => update_id >= Number(offset));
    const end = Date.now() + Number(timeout) * 1_000;
    while (
      this.updates.length === 0 &&
      Date.now() < end &&
      !poll.signal.aborted &&
      !response.destroyed &&
      !this.stopped
    )
      await pause(10);
    if (this.poll === poll) this.poll = null;
    if (isOver(poll)) throw new BadRequest("Conflict: terminated by other getUpdates request", 409);
    return this.updates.slice(0, Number(limit));
  }

  /** Sends updates to the webhook until it confirms them. */
  private async push(): Promise<void> {
    if (this.pushing) return;
    this.pushing = true;
    while (this.webhook && this.updates.length > 0 && !this.stopped) {
      const [update] = this.updates;
      const { url, secret } = this.webhook;
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
        body: JSON.stringify(update),
      }).catch(() => null);
      if (response?.status === 200) this.updates = this.updates.filter((one) => one !== update);
      else await pause(50);
    }
    this.pushing = false;
  }

  private sendMessage(fields: Fields): unknown {
    const text = textIn(fields.text);
    if (text === "") throw new BadRequest("Bad Request: message text is empty");
    if (text.length > 4_096) throw new BadRequest("Bad Request: message is too long");
    return this.store({ ...this.blank(fields), text, buttons: buttonsOf(fields) });
  }

  private editMessageText(fields: Fields): unknown {
    const message = this.messages.find(
      ({ message_id, chat_id }) =>
        message_id === Number(fields.message_id) && chat_id === String(fields.chat_id),
    );
    if (!message) throw new BadRequest("Bad Request: message to edit not found");
    const buttons = buttonsOf(fields);
    const text = String(fields.text);
    if (message.text === text && JSON.stringify(message.buttons) === JSON.stringify(buttons))
      throw new BadRequest(
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same",
      );
    Object.assign(message, { text, buttons });
    return wireMessage(message);
  }

  private sendDocument(fields: Fields): unknown {
    const sent = fields.document;
    if (typeof sent === "string") {
      const known = this.files.get(sent);
      if (!known) throw new BadRequest("Bad Request: wrong file identifier/HTTP URL specified");
      return this.store({ ...this.blank(fields), document: { ...known, file_id: sent } });
    }
    const upload = sent as Upload | undefined;
    if (upload === undefined) throw new BadRequest("Bad Request: there is no document in the request");
    if (upload.size === 0) throw new BadRequest("Bad Request: file must be non-empty");
    const file_id = `BQACAgIAAxkD${this.ids++}`;
    this.files.set(file_id, upload);
    return this.store({ ...this.blank(fields), document: { ...upload, file_id } });
  }

  private watchAnswer(result: unknown, response: ServerResponse): void {
    const { message_id } = result as Partial<Message>;
    const document = this.accepted.findLast((one) => one.message_id === message_id);
    if (document) response.once("finish", () => (document.answered = true));
  }

  private blank(fields: Fields): Message {
    return {
      message_id: this.ids++,
      chat_id: String(fields.chat_id),
      text: null,
      buttons: [],
      document: null,
    };
  }

  private store(message: Message): unknown {
    this.messages.push(message);
    const { message_id, chat_id, document } = message;
    if (document)
      this.accepted.push({
        at: Date.now(),
        chat_id,
        message_id,
        size: document.size,
        sha256: document.sha256,
        answered: false,
      });
    return wireMessage(message);
  }
}

function wireMessage({ message_id, chat_id, text, document }: Message): unknown {
  return {
    message_id,
    date: now(),
    chat: { id: Number(chat_id), type: "private" },
    ...(text === null ? {} : { text }),
    ...(document === null
      ? {}
      : {
          document: {
            file_id: document.file_id,
            file_unique_id: "u",
            file_name: document.file_name,
            file_size: document.size,
          },
        }),
  };
}

function isOver({ signal }: AbortController): boolean {
  return signal.aborted;
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function buttonsOf({ reply_markup }: Fields): Button[] {
  const markup = (typeof reply_markup === "string" ? JSON.parse(reply_markup) : (reply_markup ?? {})) as {
    inline_keyboard?: Button[][];
  };
  const buttons = (markup.inline_keyboard ?? []).flat();
  for (const { callback_data } of buttons)
    if (Buffer.byteLength(callback_data) > 64) throw new BadRequest("Bad Request: BUTTON_DATA_INVALID");
  return buttons;
}

export function failure(error_code: number, description: string, retry_after?: number): object {
  return {
    ok: false,
    error_code,
    description,
    ...(retry_after === undefined ? {} : { parameters: { retry_after } }),
  };
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}
