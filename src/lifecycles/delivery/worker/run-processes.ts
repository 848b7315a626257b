import { once } from "node:events";
import { GrammyError } from "grammy";
import type { Client } from "../../../client/index.ts";
import { PawlError } from "../../../core/index.ts";
import { startBot } from "../bot/start-bot.ts";
import { DELIVERY_ROUTES } from "../api.ts";
import { faultOf } from "./faults.ts";
import type { Log } from "./log.ts";
import { BOT, ownClient, WORKER } from "./own-client.ts";
import { reachTelegram } from "./reach-telegram.ts";
import { Sender } from "./sender.ts";
import type { DeliverySettings } from "../settings.ts";
import { startDeliveryWorker } from "./start-delivery-worker.ts";
import { missing, openStorage } from "./storage/open-storage.ts";
import type { TokenStore } from "./storage/yandex-tokens.ts";

export type Ground = {
  client: Client;
  url: string;
  settings: DeliverySettings & { host: string };
  log: Log;
  /** A file of this name beside the data, for secrets. */
  secret: (name: string) => TokenStore;
  /** Resolves when the user has had enough. */
  untilStopped: () => Promise<void>;
  tell: (line: string) => void;
};

/** `pawl delivery worker`: until it is told to stop. */
export async function runWorker(ground: Ground, concurrency: number): Promise<void> {
  const { settings, tell, url, log } = ground;
  const stopping = stoppedBy(ground);
  const storage = openStorage(settings, ground.secret("storage-token"));
  const sender = new Sender({
    botToken: tokenOf(settings),
    apiUrl: settings.telegramApiUrl,
    stallMs: settings.deliveryStallSeconds * 1_000,
    answerMs: settings.deliveryAnswerSeconds * 1_000,
  });
  const own = await ownClient(WORKER, {
    client: ground.client,
    url,
    kept: ground.secret("worker-token"),
    signal: stopping,
  }).catch(unless(stopping, rethrow));
  if (own === null) return;
  const { client, me } = own;
  const name = await reachTelegram(() => sender.botName(), { log, signal: stopping }).catch(
    unless(stopping, notTaken),
  );
  if (name === null) return;
  const worker = await startDeliveryWorker({ client, storage, sender, concurrency, log });
  tell(
    `Delivering as ${me.id} through @${name}, ${concurrency} at a time, from ${settings.deliveryStorage} storage.`,
  );
  await Promise.race([over(stopping), worker.finished]);
  await worker.stop();
  await worker.finished;
}

/** `pawl delivery bot`: until it is told to stop. */
export async function runBot(ground: Ground): Promise<void> {
  const { settings, tell, url } = ground;
  const stopping = stoppedBy(ground);
  const storage = openStorage(settings, ground.secret("storage-token"));
  const token = tokenOf(settings);
  const own = await ownClient(BOT, {
    client: ground.client,
    url,
    kept: ground.secret("bot-token"),
    signal: stopping,
  }).catch(unless(stopping, rethrow));
  if (own === null) return;
  const { client, me } = own;
  const { deliveryWebhookUrl, deliveryWebhookPort, host } = settings;
  const bot = await startBot({
    token,
    apiUrl: settings.telegramApiUrl,
    calls: client.calls(DELIVERY_ROUTES),
    storage,
    language: settings.deliveryLanguage,
    admins: settings.deliveryAdmins,
    log: ground.log,
    webhook:
      deliveryWebhookUrl === null ? null : { url: deliveryWebhookUrl, host, port: deliveryWebhookPort },
    catalogueEveryMs: settings.deliveryCatalogueMinutes * 60_000,
    stopping,
  }).catch(unless(stopping, notTaken));
  if (bot === null) return;
  const hears = deliveryWebhookUrl === null ? "asking Telegram" : "called by Telegram";
  tell(`@${bot.username} is there (https://t.me/${bot.username}), as ${me.id}, ${hears}.`);
  if (settings.deliveryAdmins.length === 0)
    tell("Nobody decides about users in the bot: set PAWL_DELIVERY_ADMINS, or use `pawl delivery approve`.");
  await Promise.race([over(stopping), bot.finished.catch(() => undefined)]);
  await bot.stop();
  await bot.finished.catch(notTaken);
}

function stoppedBy({ untilStopped }: Ground): AbortSignal {
  const stopping = new AbortController();
  void untilStopped().then(() => {
    stopping.abort();
  });
  return stopping.signal;
}

function over(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, "abort");
}

/** null: it was stopped before it could begin. */
function unless(signal: AbortSignal, tell: (error: unknown) => never): (error: unknown) => null {
  return (error) => (signal.aborted ? null : tell(error));
}

function rethrow(error: unknown): never {
  throw error;
}

function tokenOf({ telegramBotToken }: DeliverySettings): string {
  return telegramBotToken ?? missing("TELEGRAM_BOT_TOKEN", "what @BotFather gives for a bot");
}

/** What Telegram refuses whenever it is asked is a setting. */
function notTaken(error: unknown): never {
  if (faultOf(error, "telegram").code === "BOT_TOKEN_INVALID")
    throw new PawlError(
      "INVALID_CONFIG",
      "Telegram does not know the bot whose token is in TELEGRAM_BOT_TOKEN.",
    );
  if (error instanceof GrammyError && error.method === "setWebhook")
    throw new PawlError(
      "INVALID_CONFIG",
      `Telegram does not take PAWL_DELIVERY_WEBHOOK_URL: ${error.description}`,
    );
  throw error;
}
