import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { BotError, GrammyError } from "grammy";
import type { Bot } from "grammy";
import { PawlError } from "../../../core/index.ts";
import { describeListenError } from "../../../std/listen-error.ts";
import { sleep } from "../../../std/retry.ts";
import { faultOf } from "../worker/faults.ts";
import { tellable } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import { reachTelegram } from "../worker/reach-telegram.ts";

type Update = Parameters<Bot["handleUpdate"]>[0];
type Hearing = { bot: Bot; log: Log; signal: AbortSignal };

const WANTED = ["message", "callback_query"] as const;
const POLL_SECONDS = 30;
const LONGEST_PAUSE_MS = 30_000;
const CONFLICT_PAUSE_MS = 1_000;
const MOST_BODY_BYTES = 1_048_576;

/**
 * Asks Telegram for what people said, again and again. What is under way when the process dies is asked for again by the
 * next one: Telegram is told that it has been heard only after it has been answered.
 */
export async function pollUpdates({ bot, log, signal }: Hearing): Promise<void> {
  // Who is called cannot ask.
  await reachTelegram(() => bot.api.deleteWebhook(), { log, signal }).catch(unlessOver(signal));
  for (let [offset, failures] = [0, 0]; !signal.aborted;) {
    try {
      const asked = { offset, timeout: POLL_SECONDS, allowed_updates: WANTED };
      const updates = await bot.api.getUpdates(asked, signal as never);
      failures = 0;
      await answerAll({ bot, log }, updates);
      offset = updates.reduce((next, { update_id }) => Math.max(next, update_id + 1), offset);
    } catch (error) {
      if (isOver(signal)) break;
      const { code } = faultOf(error, "telegram");
      if (code === "BOT_TOKEN_INVALID") throw error;
      log.warn(tellable(error), "Telegram could not be asked; it will be asked again");
      // Two that poll are sent away in turn, and between them hear everything: neither need be shy.
      const longest = isConflict(error) ? CONFLICT_PAUSE_MS : LONGEST_PAUSE_MS;
      await sleep(Math.min(500 * 2 ** failures++, longest), signal).catch(() => undefined);
    }
  }
}

/** Those of one chat one after the other, and nobody waits for another chat's. */
async function answerAll({ bot, log }: Omit<Hearing, "signal">, updates: readonly Update[]): Promise<void> {
  const chats = new Map<number, Update[]>();
  for (const update of updates) {
    const chat = (update.message ?? update.callback_query)?.from.id ?? 0;
    chats.set(chat, [...(chats.get(chat) ?? []), update]);
  }
  await Promise.all(
    [...chats.values()].map(async (some) => {
      for (const update of some)
        await hear(bot, update).catch((error: unknown) => {
          log.error(tellable(error), "a message could not be answered");
        });
    }),
  );
}

/** `bot.catch` is asked only by grammy's own polling; here it is ours to ask, so that nobody is left without an answer. */
async function hear(bot: Bot, update: Update): Promise<void> {
  await bot.handleUpdate(update).catch((error: unknown) => {
    if (!(error instanceof BotError)) throw error;
    return bot.errorHandler(error as BotError);
  });
}

export type WebhookPlace = {
  /** Where Telegram sends to, from outside. */
  url: string;
  /** Where we listen. */
  host: string;
  port: number;
};

/** Lets Telegram call. Whoever else does has not the secret, which follows from the bot's token. */
export async function serveWebhook({ bot, log, signal }: Hearing, place: WebhookPlace): Promise<void> {
  const secret = createHmac("sha256", bot.token).update("pawl delivery webhook").digest("hex");
  const server = createServer((request, response) => {
    const end = (status: number) => response.writeHead(status).end();
    if (request.method !== "POST" || !isSecret(request, secret)) {
      end(403);
      return;
    }
    readUpdate(request)
      .then((update) => hear(bot, update))
      // Telegram sends again what was not heard.
      .then(
        () => end(200),
        (error: unknown) => {
          log.error(tellable(error), "a message could not be answered");
          end(500);
        },
      );
  });
  server.requestTimeout = 30_000;
  server.listen(place.port, place.host);
  await once(server, "listening").catch((error: unknown) => {
    const sentence = `The bot cannot listen on ${place.host}:${place.port} (PAWL_DELIVERY_WEBHOOK_PORT): ${describeListenError(error)}.`;
    throw new PawlError("INVALID_CONFIG", sentence, {}, { cause: error });
  });
  try {
    const terms = { secret_token: secret, allowed_updates: WANTED };
    await reachTelegram(() => bot.api.setWebhook(place.url, terms), { log, signal }).catch(
      unlessOver(signal),
    );
    log.info({ port: (server.address() as { port: number }).port }, "Telegram may call");
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    server.close();
    server.closeIdleConnections();
    await once(server, "close");
  }
}

function isSecret(request: IncomingMessage, secret: string): boolean {
  const sent = Buffer.from(String(request.headers["x-telegram-bot-api-secret-token"] ?? ""));
  return sent.length === secret.length && timingSafeEqual(sent, Buffer.from(secret));
}

async function readUpdate(request: IncomingMessage): Promise<Update> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += (part as Buffer).length;
    if (length > MOST_BODY_BYTES) throw new Error("an update that is too large");
    parts.push(part as Buffer);
  }
  return JSON.parse(Buffer.concat(parts).toString("utf8")) as Update;
}

/** Asked for anew: it changes while one waits. */
function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}

function unlessOver(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

/** Another process asks Telegram with the same token. */
function isConflict(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 409;
}
