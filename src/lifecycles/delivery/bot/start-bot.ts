import { setTimeout as pause } from "node:timers/promises";
import type { DeliveryCalls } from "../worker/deliver-file.ts";
import { tellable } from "../worker/log.ts";
import type { Log } from "../worker/log.ts";
import { reachTelegram } from "../worker/reach-telegram.ts";
import type { Storage } from "../worker/storage/storage.ts";
import { buildBot } from "./build-bot.ts";
import { Catalogue } from "./catalogue.ts";
import { pollUpdates, serveWebhook } from "./hear-updates.ts";
import type { WebhookPlace } from "./hear-updates.ts";
import { Screens } from "./screens.ts";
import { tellNotices } from "./tell-notices.ts";
import type { Language } from "./texts.ts";

export type StartBotOptions = {
  token: string;
  apiUrl: string;
  /** In the name of a member of the kind service. */
  calls: DeliveryCalls;
  storage: Storage;
  language: Language;
  admins: readonly string[];
  log: Log;
  /** null: the bot asks Telegram. */
  webhook: WebhookPlace | null;
  /** 0: never. */
  catalogueEveryMs: number;
  noticesEveryMs?: number;
  /** Ends the wait for a Telegram that cannot be reached. */
  stopping?: AbortSignal;
};

export type RunningBot = {
  username: string;
  /** Answers what is under way, then ends. May be called twice. */
  stop: () => Promise<void>;
  /** Rejects with what makes it useless to go on: a token that is not taken. */
  finished: Promise<void>;
};

/** Starts the bot: it hears people, tells what is owed to them, and keeps the catalogue. */
export async function startBot(options: StartBotOptions): Promise<RunningBot> {
  const { calls, storage, log, language, webhook, admins, noticesEveryMs = 2_000 } = options;
  const screens = new Screens(language);
  const catalogue = new Catalogue({ calls, storage, log });
  const bot = buildBot({ ...options, catalogue, screens });
  const leaving = new AbortController();
  const { signal } = leaving;
  const reaching = { log, signal: options.stopping ?? signal };
  bot.botInfo = await reachTelegram(() => bot.api.getMe(), reaching);
  const commands = Object.entries(screens.texts.commands).map(([command, description]) => ({
    command,
    description,
  }));
  await reachTelegram(() => bot.api.setMyCommands(commands), reaching);
  const hearing = { bot, log, signal };
  const work = [
    webhook === null ? pollUpdates(hearing) : serveWebhook(hearing, webhook),
    tellNotices({ api: bot.api, calls, screens, admins, log, everyMs: noticesEveryMs }, signal),
    keepCatalogue(catalogue, options, signal),
  ];
  // When one of them cannot go on, the others end as well.
  for (const one of work)
    one.catch(() => {
      leaving.abort();
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
      leaving.abort();
      await finished.catch(() => undefined);
    },
  };
}

async function keepCatalogue(
  catalogue: Catalogue,
  { catalogueEveryMs, log }: StartBotOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && catalogueEveryMs > 0) {
    await catalogue.walk(signal).catch((error: unknown) => {
      if (!signal.aborted) log.warn(tellable(error), "the storage could not be looked through; it will be");
    });
    await pause(catalogueEveryMs, undefined, { signal }).catch(() => undefined);
  }
}
