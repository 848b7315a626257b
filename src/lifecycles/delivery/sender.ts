import { Api, InputFile } from "grammy";
import { DeliveryFault, faultOf } from "./faults.ts";

/** Telegram has it: the message it stands in, and the id by which it can be sent again. */
export type Acknowledged = { message_id: number; telegram_file_id: string };

export type SenderOptions = {
  botToken: string;
  /** Of a Bot API server, one's own or Telegram's. */
  apiUrl: string;
  /** How long Telegram may take to take the next bytes. */
  stallMs: number;
  /** How long Telegram may take to answer when it has them all: a server of one's own first passes them on. */
  answerMs: number;
};

const CLOUD_HOST = "api.telegram.org";
const CLOUD_LIMIT_BYTES = 50 * 1024 * 1024;
const LIMIT_BYTES = 2 * 1024 * 1024 * 1024;
/** Never reached: what is slow is watched more closely here. */
const FOREVER_SECONDS = 1_000_000;

/** Sends files into chats. What goes wrong is thrown as a DeliveryFault. */
export class Sender {
  private readonly api: Api;
  private readonly options: SenderOptions;

  constructor(options: SenderOptions) {
    this.options = options;
    const apiRoot = options.apiUrl.replace(/\/+$/, "");
    this.api = new Api(options.botToken, { apiRoot, timeoutSeconds: FOREVER_SECONDS });
  }

  /** Refuses at once what would be refused after an hour. */
  expectSize(bytes: number): void {
    const cloud = new URL(this.options.apiUrl).hostname === CLOUD_HOST;
    if (bytes <= (cloud ? CLOUD_LIMIT_BYTES : LIMIT_BYTES)) return;
    const detail = cloud
      ? "the file is larger than the 50 MB that Telegram's own Bot API server takes; run one of your own and name it in TELEGRAM_API_URL"
      : "the file is larger than 2 GB";
    throw new DeliveryFault({ side: "telegram", word: "too large" }, { detail });
  }

  /** What Telegram has already; null: it does not know it by this id any more. */
  async sendStored(
    chat_id: string,
    telegram_file_id: string,
    signal: AbortSignal,
  ): Promise<Acknowledged | null> {
    const timed = AbortSignal.any([signal, AbortSignal.timeout(this.options.stallMs)]);
    try {
      return acknowledged(await this.api.sendDocument(chat_id, telegram_file_id, {}, forGrammy(timed)));
    } catch (error) {
      signal.throwIfAborted();
      if (timed.aborted) throw new DeliveryFault({ side: "telegram", network: "timeout" }, { cause: error });
      if (isUnknownFile(error)) return null;
      throw faultOf(error, "telegram");
    }
  }

  /**
   * Passes bytes on as they come. They are sent once: a stream that broke off is never begun again in the middle, and
   * what Telegram has not got whole it drops.
   */
  async sendFile(
    chat_id: string,
    file: { name: string; chunks: AsyncIterable<Uint8Array> },
    signal: AbortSignal,
  ): Promise<Acknowledged> {
    const watch = new Watch(this.options);
    const leaving = AbortSignal.any([signal, watch.signal]);
    const document = new InputFile(watch.over(file.chunks), plainName(file.name));
    try {
      // A document stays a document, whatever is in it: only then can it be sent again by its id.
      const other = { disable_content_type_detection: true };
      return acknowledged(await this.api.sendDocument(chat_id, document, other, forGrammy(leaving)));
    } catch (error) {
      signal.throwIfAborted();
      throw watch.fault ?? faultOf(error, "telegram");
    } finally {
      // An answer that came before the end of the file is a no: nobody reads the rest.
      watch.stop();
    }
  }
}

/** Sees to it that Telegram goes on taking bytes, and then answers. */
class Watch {
  fault: DeliveryFault | null = null;
  private readonly limits: Pick<SenderOptions, "stallMs" | "answerMs">;
  private readonly leaving = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private deadline = Infinity;

  constructor(limits: Pick<SenderOptions, "stallMs" | "answerMs">) {
    this.limits = limits;
    this.timer = setInterval(
      () => {
        if (Date.now() < this.deadline) return;
        this.fault = new DeliveryFault({ side: "telegram", network: "timeout" });
        this.leaving.abort();
      },
      Math.min(1_000, limits.stallMs / 4),
    );
  }

  get signal(): AbortSignal {
    return this.leaving.signal;
  }

  async *over(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.deadline = Date.now() + this.limits.stallMs;
      yield chunk;
      // From here on it is the storage that is waited for, which is watched where it is read.
      this.deadline = Infinity;
    }
    this.deadline = Date.now() + this.limits.answerMs;
  }

  stop(): void {
    clearInterval(this.timer);
    this.leaving.abort();
  }
}

/** It means the same as ours, and is typed by the library that grammy brings for old versions of Node. */
function forGrammy(signal: AbortSignal): GrammySignal {
  return signal as unknown as GrammySignal;
}
type GrammySignal = NonNullable<Parameters<Api["sendDocument"]>[3]>;

type Sent = { message_id: number } & Partial<
  Record<"document" | "animation" | "audio" | "video" | "voice", { file_id: string }>
>;

function acknowledged(message: Sent): Acknowledged {
  const file = message.document ?? message.animation ?? message.audio ?? message.video ?? message.voice;
  if (!file) throw new DeliveryFault({ side: "telegram" }, { detail: "the answer names no file" });
  return { message_id: message.message_id, telegram_file_id: file.file_id };
}

function isUnknownFile(error: unknown): boolean {
  const { error_code, description = "" } = error as { error_code?: number; description?: string };
  return error_code === 400 && /wrong (remote )?file|file.?id|invalid file/i.test(description);
}

/** As it may stand in the head of a part of a form. */
function plainName(name: string): string {
  return name.replaceAll(/[\p{Cc}";\\/]/gu, "_").slice(0, 200) || "file";
}
