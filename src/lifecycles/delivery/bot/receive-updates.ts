import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { BotError, GrammyError } from "grammy";
import type { Bot } from "grammy";
import { PawlError } from "../../../core/index.ts";
import { describeListenError } from "../../../std/listen-error.ts";
import { sleep } from "../../../std/retry.ts";
import { BOT_TOKEN_INVALID } from "../outage-codes.ts";
import { faultOf } from "../worker/faults.ts";
import { redactedError } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import { retryTelegram } from "../worker/retry-telegram.ts";

type Update = Parameters<Bot["handleUpdate"]>[0];
type ReceiveOptions = { bot: Bot; log: Log; signal: AbortSignal };

const UPDATE_TYPES = ["message", "callback_query"] as const;
const POLL_SECONDS = 30;
const MAX_PAUSE_MS = 30_000;
const CONFLICT_PAUSE_MS = 1_000;
const MAX_BODY_BYTES = 1_048_576;

/**
 * Polls Telegram for updates. Updates are confirmed only after they were handled, so those that a crashed process was
 * handling are delivered to the next one.
 */
export async function pollUpdates({ bot, log, signal }: ReceiveOptions): Promise<void> {
  // Telegram refuses polling while a webhook is set.
  await retryTelegram(() => bot.api.deleteWebhook(), { log, signal }).catch(unlessAborted(signal));
  for (let [offset, failures] = [0, 0]; !signal.aborted;) {
    try {
      const query = { offset, timeout: POLL_SECONDS, allowed_updates: UPDATE_TYPES };
      const updates = await bot.api.getUpdates(query, signal as never);
      failures = 0;
      await handleUpdates({ bot, log }, updates);
      offset = updates.reduce((next, { update_id }) => Math.max(next, update_id + 1), offset);
    } catch (error) {
      if (isAborted(signal)) break;
      const { code } = faultOf(error, "telegram");
      // The token was accepted at the start, and Telegram has rejected valid tokens during outages.
      if (code === BOT_TOKEN_INVALID) log.error({ code }, "Telegram rejects the bot's token; retrying");
      else log.warn(redactedError(error), "polling Telegram failed; retrying");
      // Two processes that poll interrupt each other, but together get every update, so a short pause is enough.
      const maxPauseMs = isConflict(error) ? CONFLICT_PAUSE_MS : MAX_PAUSE_MS;
      await sleep(Math.min(500 * 2 ** failures++, maxPauseMs), signal).catch(() => undefined);
    }
  }
}

/** Handles the updates of one chat in order, and different chats in parallel. */
async function handleUpdates(
  { bot, log }: Omit<ReceiveOptions, "signal">,
  updates: readonly Update[],
): Promise<void> {
  const chats = new Map<number, Update[]>();
  for (const update of updates) {
    const chat = (update.message ?? update.callback_query)?.from.id ?? 0;
    chats.set(chat, [...(chats.get(chat) ?? []), update]);
  }
  await Promise.all(
    [...chats.values()].map(async (some) => {
      for (const update of some)
        await handleUpdate(bot, update).catch((error: unknown) => {
          log.error(redactedError(error), "failed to handle an update");
        });
    }),
  );
}

/** Calls the error handler of `bot.catch`, which grammy itself does only in its own polling. */
async function handleUpdate(bot: Bot, update: Update): Promise<void> {
  await bot.handleUpdate(update).catch((error: unknown) => {
    if (!(error instanceof BotError)) throw error;
    return bot.errorHandler(error as BotError);
  });
}

export type WebhookOptions = {
  /** Public address that Telegram calls. */
  url: string;
  /** Local address to listen on. */
  host: string;
  port: number;
};

/** Receives updates by webhook. Requests without the secret, which is derived from the bot's token, are refused. */
export async function serveWebhook(
  { bot, log, signal }: ReceiveOptions,
  webhook: WebhookOptions,
): Promise<void> {
  const secret = createHmac("sha256", bot.token).update("pawl delivery webhook").digest("hex");
  const server = createServer((request, response) => {
    const end = (status: number) => response.writeHead(status).end();
    if (request.method !== "POST" || !isSecret(request, secret)) {
      end(403);
      return;
    }
    readUpdate(request)
      .then((update) => handleUpdate(bot, update))
      // Telegram repeats an update that is answered with an error.
      .then(
        () => end(200),
        (error: unknown) => {
          log.error(redactedError(error), "failed to handle an update");
          end(500);
        },
      );
  });
  server.requestTimeout = 30_000;
  server.listen(webhook.port, webhook.host);
  await once(server, "listening").catch((error: unknown) => {
    const sentence = `The bot cannot listen on ${webhook.host}:${webhook.port} (PAWL_DELIVERY_WEBHOOK_PORT): ${describeListenError(error)}.`;
    throw new PawlError("INVALID_CONFIG", sentence, {}, { cause: error });
  });
  try {
    const options = { secret_token: secret, allowed_updates: UPDATE_TYPES };
    await retryTelegram(() => bot.api.setWebhook(webhook.url, options), { log, signal }).catch(
      unlessAborted(signal),
    );
    log.info({ port: (server.address() as { port: number }).port }, "webhook is ready");
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
    if (length > MAX_BODY_BYTES) throw new Error("the update is too large");
    parts.push(part as Buffer);
  }
  return JSON.parse(Buffer.concat(parts).toString("utf8")) as Update;
}

/** A function, so that the compiler does not assume an earlier value of `aborted`. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

function unlessAborted(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

/** Another process polls with the same token. */
function isConflict(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 409;
}
