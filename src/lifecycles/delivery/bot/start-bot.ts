import { setTimeout as pause } from "node:timers/promises";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { redactedError } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import { retryTelegram } from "../worker/retry-telegram.ts";
import type { Storage } from "../worker/storage/storage.ts";
import { buildBot } from "./build-bot.ts";
import { Catalogue } from "./catalogue.ts";
import { pollUpdates, serveWebhook } from "./receive-updates.ts";
import type { WebhookOptions } from "./receive-updates.ts";
import { Screens } from "./screens.ts";
import { sendNotices } from "./send-notices.ts";
import type { Language } from "./texts.ts";

export type StartBotOptions = {
  token: string;
  apiUrl: string;
  /** Authenticated as a member of kind service. */
  calls: DeliveryCalls;
  storage: Storage;
  language: Language;
  admins: readonly string[];
  log: Log;
  /** null: long polling. */
  webhook: WebhookOptions | null;
  /** 0: no scans of the storage. */
  catalogueIntervalMs: number;
  noticeIntervalMs?: number;
  /** Maximum wait for an answer of Telegram. */
  answerMs?: number;
  /** Aborts the start while Telegram cannot be reached. */
  stopping?: AbortSignal;
};

export type RunningBot = {
  username: string;
  /** Finishes the updates in progress, then stops. Can be called twice. */
  stop: () => Promise<void>;
  /** Rejects on a permanent error of the start, such as an unusable webhook. */
  finished: Promise<void>;
};

/** Starts the bot: it handles updates, sends notices, and scans the storage. */
export async function startBot(options: StartBotOptions): Promise<RunningBot> {
  const { calls, storage, log, language, webhook, admins, noticeIntervalMs = 2_000 } = options;
  const screens = new Screens(language);
  const catalogue = new Catalogue({ calls, storage, log });
  const bot = buildBot({ ...options, catalogue, screens });
  const stopped = new AbortController();
  const { signal } = stopped;
  const retrying = { log, signal: options.stopping ?? signal };
  bot.botInfo = await retryTelegram(() => bot.api.getMe(), retrying);
  const commands = Object.entries(screens.texts.commands).map(([command, description]) => ({
    command,
    description,
  }));
  await retryTelegram(() => bot.api.setMyCommands(commands), retrying);
  const receiving = { bot, log, signal };
  const work = [
    webhook === null ? pollUpdates(receiving) : serveWebhook(receiving, webhook),
    sendNotices({ api: bot.api, calls, screens, admins, log, intervalMs: noticeIntervalMs }, signal),
    refreshCatalogue(catalogue, options, signal),
  ];
  // If one of them fails, stop the others.
  for (const one of work)
    one.catch(() => {
      stopped.abort();
    });
  const finished = Promise.allSettled(work).then((ends) => {
    const failed = ends.find((end) => end.status === "rejected");
    if (failed) throw failed.reason;
  });
  finished.catch(() => undefined);
  return {
    username: bot.botInfo.username,
    finished,
    stop: async () => {
      stopped.abort();
      await finished.catch(() => undefined);
    },
  };
}

async function refreshCatalogue(
  catalogue: Catalogue,
  { catalogueIntervalMs, log }: StartBotOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && catalogueIntervalMs > 0) {
    await catalogue.scanAll(signal).catch((error: unknown) => {
      if (!signal.aborted)
        log.warn(redactedError(error), "scanning the storage failed; retrying at the next interval");
    });
    await pause(catalogueIntervalMs, undefined, { signal }).catch(() => undefined);
  }
}
