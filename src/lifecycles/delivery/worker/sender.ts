import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Api, InputFile } from "grammy";
import { followSignals } from "../../../std/follow-signals.ts";
import { firstUnits } from "../../../core/index.ts";
import { DeliveryFault, faultOf } from "./faults.ts";
import { withinTime } from "./within-time.ts";

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
  private readonly options: SenderOptions;

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /** As Telegram knows the bot. */
  async botName(): Promise<string> {
    const limit = {
      ms: this.options.stallMs,
      side: "telegram",
      signal: new AbortController().signal,
    } as const;
    const { username } = await withinTime(limit, (signal) => this.api(undefined).getMe(forGrammy(signal)));
    return username;
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
    const limit = { ms: this.options.stallMs, side: "telegram", signal } as const;
    try {
      const api = this.api(undefined);
      return await withinTime(limit, async (waiting) =>
        acknowledged(await api.sendDocument(chat_id, telegram_file_id, {}, forGrammy(waiting))),
      );
    } catch (error) {
      signal.throwIfAborted();
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
    const leaving = followSignals([signal, watch.signal]);
    const line = this.line();
    const document = new InputFile(watch.over(file.chunks), plainName(file.name));
    try {
      // A document stays a document, whatever is in it: only then can it be sent again by its id.
      const other = { disable_content_type_detection: true };
      return acknowledged(
        await this.api(line).sendDocument(chat_id, document, other, forGrammy(leaving.signal)),
      );
    } catch (error) {
      signal.throwIfAborted();
      throw watch.fault ?? faultOf(error, "telegram");
    } finally {
      watch.stop();
      leaving.release();
      // An answer that came before the end of the file is a no, and nobody reads the rest: it is not sent any further.
      line.destroy();
    }
  }

  private api(line: HttpAgent | undefined): Api {
    const { botToken, apiUrl } = this.options;
    const agent = line ? { baseFetchConfig: { agent: line } } : {};
    return new Api(botToken, {
      apiRoot: apiUrl.replace(/\/+$/, ""),
      timeoutSeconds: FOREVER_SECONDS,
      ...agent,
    });
  }

  /** A connection for one file, which can be cut. */
  private line(): HttpAgent {
    return this.options.apiUrl.startsWith("https:") ? new HttpsAgent() : new HttpAgent();
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
      if (this.leaving.signal.aborted) throw new Error("nobody takes it any more");
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
  return firstUnits(name.replaceAll(/[\p{Cc}";\\/]/gu, "_"), 200) || "file";
}
