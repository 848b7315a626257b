import { once } from "node:events";
import { GrammyError } from "grammy";
import type { Client } from "../../../client/index.ts";
import { PawlError } from "../../../core/index.ts";
import { startBot } from "../bot/start-bot.ts";
import { DELIVERY_ROUTES } from "../api.ts";
import { faultOf } from "./faults.ts";
import type { Log } from "./log.ts";
import { BOT, processClient, WORKER } from "./process-client.ts";
import type { SecretStore } from "./process-client.ts";
import { retryTelegram } from "./retry-telegram.ts";
import { Sender } from "./sender.ts";
import type { DeliverySettings } from "../settings.ts";
import { startDeliveryWorker } from "./start-delivery-worker.ts";
import { missingSetting, openStorage } from "./storage/open-storage.ts";
import { serverTokenStore } from "./storage/server-token-store.ts";

/** Dependencies of the processes, from the command line. */
export type ProcessDeps = {
  client: Client;
  url: string;
  settings: DeliverySettings & { host: string };
  log: Log;
  /** Returns the store for a secret, a file of this name in the data folder. */
  secretFile: (name: string) => SecretStore;
  /** Resolves when the process is asked to stop. */
  untilStopped: () => Promise<void>;
  /** Prints a line for the user. */
  printLine: (line: string) => void;
};

/** Runs `pawl delivery worker` until it is stopped. */
export async function runWorker(deps: ProcessDeps, concurrency: number): Promise<void> {
  const { settings, printLine, url, log } = deps;
  const stopping = stopSignal(deps);
  const storage = await openStorage(settings, serverTokenStore(deps.client.calls(DELIVERY_ROUTES)));
  const sender = new Sender({
    botToken: tokenOf(settings),
    apiUrl: settings.telegramApiUrl,
    stallMs: settings.deliveryStallSeconds * 1_000,
    answerMs: settings.deliveryAnswerSeconds * 1_000,
  });
  const connection = await processClient(WORKER, {
    client: deps.client,
    url,
    store: deps.secretFile("worker-token"),
    signal: stopping,
  }).catch(nullIfAborted(stopping, rethrow));
  if (connection === null) return;
  const { client, me } = connection;
  const name = await retryTelegram(() => sender.botName(), { log, signal: stopping }).catch(
    nullIfAborted(stopping, throwConfigError),
  );
  if (name === null) return;
  const worker = await startDeliveryWorker({ client, storage, sender, concurrency, log });
  printLine(
    `Delivering as ${me.id} through @${name}, ${concurrency} at a time, from ${settings.deliveryStorage} storage.`,
  );
  await Promise.race([untilAborted(stopping), worker.finished]);
  await worker.stop();
  await worker.finished;
}

/** Runs `pawl delivery bot` until it is stopped. */
export async function runBot(deps: ProcessDeps): Promise<void> {
  const { settings, printLine, url } = deps;
  const stopping = stopSignal(deps);
  const storage = await openStorage(settings, serverTokenStore(deps.client.calls(DELIVERY_ROUTES)));
  const token = tokenOf(settings);
  const connection = await processClient(BOT, {
    client: deps.client,
    url,
    store: deps.secretFile("bot-token"),
    signal: stopping,
  }).catch(nullIfAborted(stopping, rethrow));
  if (connection === null) return;
  const { client, me } = connection;
  const { deliveryWebhookUrl, deliveryWebhookPort, host } = settings;
  const bot = await startBot({
    token,
    apiUrl: settings.telegramApiUrl,
    calls: client.calls(DELIVERY_ROUTES),
    storage,
    language: settings.deliveryLanguage,
    admins: settings.deliveryAdmins,
    log: deps.log,
    webhook:
      deliveryWebhookUrl === null ? null : { url: deliveryWebhookUrl, host, port: deliveryWebhookPort },
    catalogueIntervalMs: settings.deliveryCatalogueMinutes * 60_000,
    stopping,
  }).catch(nullIfAborted(stopping, throwConfigError));
  if (bot === null) return;
  const mode = deliveryWebhookUrl === null ? "by long polling" : "by webhook";
  printLine(`@${bot.username} is running (https://t.me/${bot.username}), as ${me.id}, ${mode}.`);
  if (settings.deliveryAdmins.length === 0)
    printLine(
      "The bot has no admins to approve users: set PAWL_DELIVERY_ADMINS, or use `pawl delivery approve`.",
    );
  await Promise.race([untilAborted(stopping), bot.finished.catch(() => undefined)]);
  await bot.stop();
  await bot.finished.catch(throwConfigError);
}

function stopSignal({ untilStopped }: ProcessDeps): AbortSignal {
  const stopping = new AbortController();
  void untilStopped().then(() => {
    stopping.abort();
  });
  return stopping.signal;
}

function untilAborted(signal: AbortSignal): Promise<unknown> {
  return signal.aborted ? Promise.resolve() : once(signal, "abort");
}

/** Handles a failed start; null if the process was stopped meanwhile. */
function nullIfAborted(signal: AbortSignal, onError: (error: unknown) => never): (error: unknown) => null {
  return (error) => (signal.aborted ? null : onError(error));
}

function rethrow(error: unknown): never {
  throw error;
}

function tokenOf({ telegramBotToken }: DeliverySettings): string {
  return telegramBotToken ?? missingSetting("PAWL_TELEGRAM_BOT_TOKEN", "the bot's token from @BotFather");
}

/** Reports errors that a wrong setting causes. */
function throwConfigError(error: unknown): never {
  if (faultOf(error, "telegram").code === "BOT_TOKEN_INVALID")
    throw new PawlError(
      "INVALID_CONFIG",
      "Telegram rejects the token in PAWL_TELEGRAM_BOT_TOKEN. Check it with @BotFather.",
    );
  if (error instanceof GrammyError && error.method === "setWebhook")
    throw new PawlError("INVALID_CONFIG", `Telegram rejects PAWL_DELIVERY_WEBHOOK_URL: ${error.description}`);
  throw error;
}
