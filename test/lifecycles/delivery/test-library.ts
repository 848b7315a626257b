import { afterAll } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { DELIVERY_ROUTES } from "../../../src/lifecycles/delivery/api.ts";
import type { DeliveryJob } from "../../../src/lifecycles/delivery/api.ts";
import { startBot } from "../../../src/lifecycles/delivery/bot/start-bot.ts";
import type { RunningBot, StartBotOptions } from "../../../src/lifecycles/delivery/bot/start-bot.ts";
import type { DeliveryCalls } from "../../../src/lifecycles/delivery/worker/deliver-file.ts";
import { fileIdOf } from "../../../src/lifecycles/delivery/file-id.ts";
import { DeliveryFault } from "../../../src/lifecycles/delivery/worker/faults.ts";
import type { Log } from "../../../src/lifecycles/delivery/worker/log.ts";
import { Sender } from "../../../src/lifecycles/delivery/worker/sender.ts";
import { startDeliveryWorker } from "../../../src/lifecycles/delivery/worker/start-delivery-worker.ts";
import type { DeliveryWorkerOptions } from "../../../src/lifecycles/delivery/worker/start-delivery-worker.ts";
import type { Entry, Storage } from "../../../src/lifecycles/delivery/worker/storage/storage.ts";
import { serverTokenStore } from "../../../src/lifecycles/delivery/worker/storage/server-token-store.ts";
import { yandexDisk } from "../../../src/lifecycles/delivery/worker/storage/yandex-disk.ts";
import type { RunningWorker } from "../../../src/worker/index.ts";
import { startTestServer } from "../../http/test-server.ts";
import type { TestServer } from "../../http/test-server.ts";
import { BOT_TOKEN, openBotApi } from "./stand-ins/bot-api.ts";
import type { BotApiStandIn } from "./stand-ins/bot-api.ts";
import type { Content } from "./stand-ins/content.ts";
import { CLIENT, openYandexDisk } from "./stand-ins/yandex-disk.ts";
import type { YandexStandIn } from "./stand-ins/yandex-disk.ts";
import { until } from "../../support/until.ts";

export type TestLibrary = TestServer & {
  disk: YandexStandIn;
  telegram: BotApiStandIn;
  /** Calls authenticated as the bot, a worker, and an admin. */
  bot: DeliveryCalls;
  worker: DeliveryCalls;
  adminCalls: DeliveryCalls;
  tokens: { bot: string; worker: string };
  storage: Storage;
  /** The log of all bots and workers. */
  logged: { level: string; about: object; message: string }[];
  /** Adds a file to the storage and to the catalogue. */
  addFile: (name: string, content: Content) => Promise<{ file_id: string; path: string; sha256: string }>;
  /** Adds a user with access; returns the id. */
  addReader: (id: string) => Promise<string>;
  /** Creates a job, as a tap on the download button does. */
  tap: (user_id: string, file_id: string, nonce?: string) => Promise<DeliveryJob>;
  job: (id: string) => Promise<DeliveryJob>;
  startWorker: (options?: Partial<DeliveryWorkerOptions>) => Promise<RunningWorker>;
  startBot: (options?: Partial<StartBotOptions>) => Promise<RunningBot>;
};

export const FOLDER = "disk:/Library";

/** Starts a server with a simulated storage and Telegram, all on loopback. */
export async function openLibrary({ retryTimeoutMs = 5_000 } = {}): Promise<TestLibrary> {
  const server = await startTestServer({ parts: {} });
  const [disk, telegram] = await Promise.all([openYandexDisk(), openBotApi()]);
  const running: { stop: () => Promise<void> }[] = [];
  afterAll(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await Promise.all([disk.close(), telegram.close()]);
  });
  const tokens = {
    bot: await server.member({ id: "delivery-bot", kind: "service", roles: ["agent"] }),
    worker: await server.member({ id: "delivery-worker", kind: "worker", roles: ["worker"] }),
  };
  await server.ask("PATCH /api/projects/main", {
    body: { settings: { delivery: { backoff_base_seconds: 0.05, backoff_cap_seconds: 0.1 } } },
  });
  const client = (token: string) => createClient({ url: server.url, token });
  const calls = (token: string) => client(token).calls(DELIVERY_ROUTES);
  const [bot, worker, adminCalls] = [calls(tokens.bot), calls(tokens.worker), calls(server.admin)];
  const logged: TestLibrary["logged"] = [];
  const log = logInto(logged);
  const storage = yandexDisk(
    { ...accountOf(disk), apiUrl: disk.url, folder: FOLDER, retryTimeoutMs },
    serverTokenStore(worker),
  );
  const sender = new Sender({
    botToken: BOT_TOKEN,
    apiUrl: telegram.url,
    stallMs: retryTimeoutMs,
    answerMs: retryTimeoutMs,
  });
  return {
    ...server,
    disk,
    telegram,
    bot,
    worker,
    adminCalls,
    tokens,
    storage,
    logged,
    addFile: async (name, content) => {
      const path = `${FOLDER}/${name}`;
      const { sha256 } = disk.put(path, content);
      const entry = { kind: "file" as const, path, name, size: content.size, revision: sha256 };
      await bot.saveDeliveryFiles({ folder: null, scan: "0", entries: [entry], last: false });
      return { file_id: fileIdOf("main", path), path, sha256 };
    },
    addReader: async (id) => {
      await bot.requestDeliveryAccess({ id, name: `Reader ${id}` });
      await adminCalls.approveDeliveryUser({ id });
      return id;
    },
    tap: (user_id, file_id, nonce = crypto.randomUUID()) =>
      bot.createDeliveryJob({ user_id, file_id, request_nonce: nonce, chat_id: user_id }),
    job: (id) => bot.getDeliveryJob({ id }),
    startWorker: async (options = {}) => {
      const started = await startDeliveryWorker({
        client: client(tokens.worker),
        storage,
        sender,
        concurrency: 4,
        log,
        graceMs: 0,
        progressIntervalMs: 50,
        ...options,
      });
      running.push(started);
      return started;
    },
    startBot: async (options = {}) => {
      const started = await startBot({
        token: BOT_TOKEN,
        apiUrl: telegram.url,
        calls: bot,
        storage,
        language: "ru",
        admins: [],
        log,
        webhook: null,
        catalogueIntervalMs: 0,
        noticeIntervalMs: 20,
        ...options,
      });
      running.push(started);
      return started;
    },
  };
}

export function accountOf(disk: YandexStandIn) {
  const { access, refresh } = disk.tokens();
  return {
    accessToken: access,
    refreshToken: refresh,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    oauthUrl: disk.url,
  };
}

export async function listed(storage: Storage, folder: string | null): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const page of storage.list(folder, new AbortController().signal)) found.push(...page);
  return found;
}

/** Returns the code of the fault that a transfer ends with, or `success`. */
export function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "success",
    (error: unknown) => (error instanceof DeliveryFault ? error.code : String(error)),
  );
}

export function logInto(lines: TestLibrary["logged"]): Log {
  const into = (level: string) => (about: object, message: string) => {
    lines.push({ level, about, message });
  };
  return { debug: into("debug"), info: into("info"), warn: into("warn"), error: into("error") };
}

const FINAL = ["DELIVERED", "FAILED", "CANCELLED", "EXPIRED"];

/** Waits until a job has finished, and returns it. */
export function untilFinished({ job }: TestLibrary, id: string): Promise<DeliveryJob> {
  return until(async () => {
    const seen = await job(id);
    return FINAL.includes(seen.status) && seen;
  });
}
