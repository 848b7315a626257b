import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { Api, InputFile } from "grammy";
import { followSignals } from "../../../std/follow-signals.ts";
import { truncateText } from "../../../core/index.ts";
import { DeliveryFault, faultOf } from "./faults.ts";
import type { FaultCode } from "./faults.ts";
import { withTimeLimit } from "./with-time-limit.ts";

/** Telegram's acknowledgement: the message with the file, and the id for sending the file again. */
export type Acknowledged = { message_id: number; telegram_file_id: string };

export type SenderOptions = {
  botToken: string;
  /** Address of the Bot API server: Telegram's, or your own. */
  apiUrl: string;
  /** Maximum time that Telegram may take to accept the next bytes. */
  stallMs: number;
  /** Maximum time for the answer after all bytes were sent: your own server first forwards the file to Telegram. */
  answerMs: number;
};

const CLOUD_HOST = "api.telegram.org";
const CLOUD_LIMIT_BYTES = 50 * 1024 * 1024;
const LOCAL_LIMIT_BYTES = 2_000 * 1024 * 1024;
/** Effectively no timeout: StallWatchdog detects stalls. */
const NO_TIMEOUT_SECONDS = 1_000_000;

/** Sends files to chats. Errors are thrown as DeliveryFault. */
export class Sender {
  private readonly options: SenderOptions;

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /** Returns the bot's username. */
  async botName(): Promise<string> {
    const limit = {
      ms: this.options.stallMs,
      side: "telegram",
      signal: new AbortController().signal,
    } as const;
    const { username } = await withTimeLimit(limit, (signal) => this.api(undefined).getMe(forGrammy(signal)));
    return username;
  }

  /** Throws at once if a file is too large, instead of after a long upload. */
  expectSize(bytes: number): void {
    const cloud = new URL(this.options.apiUrl).hostname === CLOUD_HOST;
    if (bytes <= (cloud ? CLOUD_LIMIT_BYTES : LOCAL_LIMIT_BYTES)) return;
    const detail = cloud
      ? "the file is larger than 50 MB, the limit of Telegram's own Bot API server; run your own server and set PAWL_TELEGRAM_API_URL"
      : "the file is larger than 2000 MB, the limit of a local Bot API server";
    throw new DeliveryFault({ side: "telegram", description: "too large" }, { detail });
  }

  /** Sends a file that Telegram already has; null if Telegram refuses its id, in any words. */
  async sendStored(
    chat_id: string,
    telegram_file_id: string,
    signal: AbortSignal,
  ): Promise<Acknowledged | null> {
    const limit = { ms: this.options.stallMs, side: "telegram", signal } as const;
    const agent = this.createAgent();
    try {
      const api = this.api(agent);
      return await withTimeLimit(limit, async (waiting) =>
        acknowledged(await api.sendDocument(chat_id, telegram_file_id, {}, forGrammy(waiting))),
      );
    } catch (error) {
      signal.throwIfAborted();
      const fault = faultOf(error, "telegram");
      if (isRefusal(error) && ID_CODES.has(fault.code)) return null;
      throw fault;
    } finally {
      agent.destroy();
    }
  }

  /**
   * Uploads bytes as they arrive. An interrupted upload is never resumed: Telegram discards incomplete files.
   */
  async sendFile(
    chat_id: string,
    file: { name: string; chunks: AsyncIterable<Uint8Array> },
    signal: AbortSignal,
  ): Promise<Acknowledged> {
    const watchdog = new StallWatchdog(this.options);
    const aborting = followSignals([signal, watchdog.signal]);
    const agent = this.createAgent();
    const document = new InputFile(watchdog.watched(file.chunks), safeFileName(file.name));
    try {
      // Telegram must store any file as a document: only then can it be sent again by its id.
      const other = { disable_content_type_detection: true };
      return acknowledged(
        await this.api(agent).sendDocument(chat_id, document, other, forGrammy(aborting.signal)),
      );
    } catch (error) {
      signal.throwIfAborted();
      throw watchdog.fault ?? faultOf(error, "telegram");
    } finally {
      watchdog.stop();
      aborting.release();
      // Telegram answers before the end of the file only to refuse it; stop sending the rest.
      agent.destroy();
    }
  }

  private api(agent: HttpAgent | undefined): Api {
    const { botToken, apiUrl } = this.options;
    const fetchConfig = agent ? { baseFetchConfig: { agent } } : {};
    return new Api(botToken, {
      apiRoot: apiUrl.replace(/\/+$/, ""),
      timeoutSeconds: NO_TIMEOUT_SECONDS,
      ...fetchConfig,
    });
  }

  /**
   * Creates an agent for one document. Its connection can be closed, and is not a kept one, which Telegram may close at the moment
   * of its reuse: that would cost an attempt, and could send the document twice.
   */
  private createAgent(): HttpAgent {
    return this.options.apiUrl.startsWith("https:") ? new HttpsAgent() : new HttpAgent();
  }
}

/** Aborts an upload if Telegram stops accepting bytes or does not answer. */
class StallWatchdog {
  fault: DeliveryFault | null = null;
  private readonly limits: Pick<SenderOptions, "stallMs" | "answerMs">;
  private readonly aborting = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private deadline = Infinity;

  constructor(limits: Pick<SenderOptions, "stallMs" | "answerMs">) {
    this.limits = limits;
    this.timer = setInterval(
      () => {
        if (Date.now() < this.deadline) return;
        this.fault = new DeliveryFault({ side: "telegram", network: "timeout" });
        this.aborting.abort();
      },
      Math.min(1_000, limits.stallMs / 4),
    );
  }

  get signal(): AbortSignal {
    return this.aborting.signal;
  }

  async *watched(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (this.aborting.signal.aborted) throw new Error("the upload was aborted");
      this.deadline = Date.now() + this.limits.stallMs;
      yield chunk;
      // Now waiting for the storage, which has its own timeout.
      this.deadline = Infinity;
    }
    this.deadline = Date.now() + this.limits.answerMs;
  }

  stop(): void {
    clearInterval(this.timer);
    this.aborting.abort();
  }
}

/** Casts the signal: grammy uses the type of a polyfill for old versions of Node. */
function forGrammy(signal: AbortSignal): GrammySignal {
  return signal as unknown as GrammySignal;
}
type GrammySignal = NonNullable<Parameters<Api["sendDocument"]>[3]>;

type Sent = { message_id: number } & Partial<
  Record<"document" | "animation" | "audio" | "video" | "voice", { file_id: string }>
>;

function acknowledged(message: Sent): Acknowledged {
  const file = message.document ?? message.animation ?? message.audio ?? message.video ?? message.voice;
  if (!file) throw new DeliveryFault({ side: "telegram" }, { detail: "the answer contains no file" });
  return { message_id: message.message_id, telegram_file_id: file.file_id };
}

/** Refusals of a stored file with these codes concern the file, not the chat, the bot or the load. */
const ID_CODES: ReadonlySet<FaultCode> = new Set(["UNKNOWN", "FILE_TOO_LARGE", "FILE_EMPTY"]);

function isRefusal(error: unknown): boolean {
  const { error_code = 0 } = error as { error_code?: number };
  return error_code >= 400 && error_code < 500;
}

/** Replaces characters that are not allowed in the header of a multipart form. */
function safeFileName(name: string): string {
  return truncateText(name.replaceAll(/[\p{Cc}";\\/]/gu, "_"), 200) || "file";
}
