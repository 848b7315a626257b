import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "../../src/client/index.ts";
import type { Client } from "../../src/client/index.ts";
import { DELIVERY_ROUTES } from "../../src/lifecycles/delivery/api.ts";
import { encodeAction } from "../../src/lifecycles/delivery/bot/buttons.ts";
import { fileIdOf } from "../../src/lifecycles/delivery/file-id.ts";
import { BOT_TOKEN, openBotApi } from "../../test/lifecycles/delivery/stand-ins/bot-api.ts";
import type { Message } from "../../test/lifecycles/delivery/stand-ins/bot-api.ts";
import { generated } from "../../test/lifecycles/delivery/stand-ins/content.ts";
import { CLIENT, openYandexDisk } from "../../test/lifecycles/delivery/stand-ins/yandex-disk.ts";
import { isNotified } from "./check-record.ts";
import { RandomFaults, randomOf } from "./random-faults.ts";
import type { MemorySample, ProcessEnd, RecordedJob, SoakRecord, Tap } from "./record.ts";
import { residentMemory, SoakProcess } from "./soak-process.ts";

export type SoakOptions = {
  /** Node's arguments that run Pawl's command line. */
  pawl: readonly string[];
  minutes: number;
  jobs: number;
  seed: number;
  /** For logs and data. */
  folder: string;
  /** Default: an embedded PostgreSQL. */
  databaseUrl?: string;
  onProgress: (progress: SoakProgress) => void;
};

export type SoakProgress = {
  seconds: number;
  tapped: number;
  open: number;
  documents: number;
  faults: number;
  kills: number;
  memory: readonly MemorySample[];
};

const FOLDER = "disk:/Library";
const KB = 1024;
const RECOVER_SECONDS = 15;
const CALM_PART = 0.6;
const OUTAGE_MS = 8_000;
const MAX_DRAIN_MS = 15 * 60_000;
const MAX_NOTICE_WAIT_MS = 3 * 60_000;
const LAST_REQUEST_MS = 1_000;
const SAMPLE_INTERVAL_MS = 5_000;
const FIRST_USER = 1_000;

/**
 * Runs server, bot and workers in processes of their own against a simulated Telegram and storage with random faults, kills
 * bot and workers, and records what happened. `worker-1` is never killed, and the bot not in the last part, so that
 * their memory can be measured.
 */
export async function runSoak(options: SoakOptions): Promise<SoakRecord> {
  const soak = new Soak(options);
  try {
    return await soak.run();
  } finally {
    await soak.close();
  }
}

class Soak {
  private readonly options: SoakOptions;
  private readonly faults: Record<"telegram" | "storage", RandomFaults>;
  private readonly adminToken = randomBytes(24).toString("hex");
  private readonly taps: Tap[] = [];
  private readonly ends: ProcessEnd[] = [];
  private readonly memory: MemorySample[] = [];
  private readonly closing: (() => Promise<void>)[] = [];
  private started = 0;
  private lastOpen = 0;

  constructor(options: SoakOptions) {
    this.options = options;
    this.faults = {
      telegram: new RandomFaults("telegram", options.seed),
      storage: new RandomFaults("storage", options.seed),
    };
  }

  async close(): Promise<void> {
    for (const close of this.closing.toReversed()) await close();
  }

  async run(): Promise<SoakRecord> {
    const [telegram, disk] = await Promise.all([
      openBotApi({ faults: this.faults.telegram }),
      openYandexDisk({ faults: this.faults.storage }),
    ]);
    this.closing.push(telegram.close, disk.close);
    const planned = this.plan((path, content) => disk.put(path, content).sha256);
    const server = this.processOf("server", ["start"], {
      PAWL_PORT: "0",
      PAWL_ADMIN_TOKEN: this.adminToken,
      PAWL_SWEEP_SECONDS: "2",
      ...(this.options.databaseUrl === undefined ? {} : { DATABASE_URL: this.options.databaseUrl }),
    });
    const url = await server.start(/http:\/\/127\.0\.0\.1:\d+/);
    const client = createClient({ url, token: this.adminToken });
    const shared = settingsFor(url, telegram, disk);
    const users = [...new Set(planned.map(({ user_id }) => user_id))];
    const tokens = await this.prepare(client, users);
    const processes = new Map(
      ["bot", "worker-1", "worker-2"].map((name) => {
        const args = name === "bot" ? ["delivery", "bot"] : ["delivery", "worker", "--concurrency", "4"];
        const env = { ...shared, PAWL_TOKEN: tokens.get(name) ?? "" };
        return [name, this.processOf(name, args, env)] as const;
      }),
    );
    await Promise.all([...processes.values()].map((one) => one.start(READY)));
    const catalogue = client.calls(DELIVERY_ROUTES);
    const files = new Set(planned.map(({ path }) => path)).size;
    while ((await catalogue.listDeliveryFiles({ limit: 1 })).total < files) await pause(200);
    for (const user of users)
      telegram.say({ id: Number(user), first_name: `Reader ${user}` }, { text: "/start" });
    const cards = new Map<string, Message>();
    while (cards.size < users.length) {
      await pause(200);
      for (const message of telegram.messages)
        if (message.buttons.length > 0) cards.set(message.chat_id, message);
    }

    this.started = Date.now();
    for (const faults of Object.values(this.faults)) faults.start();
    const finishing = new AbortController();
    const trouble = this.causeTrouble(
      processes,
      () => {
        telegram.forgetFiles();
      },
      finishing.signal,
    );
    const sampling = this.sample([server, ...processes.values()], finishing.signal, async () => {
      const { queue } = await catalogue.getDeliveryStatus();
      this.lastOpen = Object.values(queue).reduce((sum, count) => sum + count, 0);
      return telegram.accepted.length;
    });
    await this.tapAll(planned, (tap) => {
      const card = cards.get(tap.user_id);
      if (!card) throw new Error("a user without a card");
      const data = encodeAction({ kind: "download", file_id: tap.file_id, nonce: tap.nonce, page: 0 });
      const person = { id: Number(tap.user_id), first_name: "Reader" };
      const update = telegram.tap(person, card, data);
      const chance = randomOf(`${this.options.seed} again ${tap.nonce}`);
      if (chance < 0.03) telegram.redeliver(update);
      else if (chance < 0.06) telegram.tap(person, card, data);
    });
    const jobs = await this.drain(client, telegram.waiting);
    await this.untilNotified(jobs, telegram.messages);
    finishing.abort();
    await Promise.all([trouble, sampling]);
    await Promise.all([...processes.values()].map((one) => one.end("SIGTERM")));
    return {
      seed: this.options.seed,
      started: this.started,
      ended: Date.now(),
      taps: this.taps,
      jobs,
      documents: telegram.accepted,
      texts: textsOf(telegram.messages),
      faults: [...this.faults.telegram.injected, ...this.faults.storage.injected],
      ends: this.ends,
      memory: this.memory,
    };
  }

  /** Chooses the files and pairs of chat and file; each file goes to two chats. */
  private plan(put: (path: string, content: ReturnType<typeof generated>) => string): Omit<Tap, "at">[] {
    const { jobs, seed } = this.options;
    const users = Math.max(2, Math.min(100, Math.floor(jobs / 5)));
    const planned: Omit<Tap, "at">[] = [];
    for (let file = 0; planned.length < jobs; file++) {
      const name = `file-${String(file).padStart(5, "0")}.bin`;
      const path = `${FOLDER}/${name}`;
      const size = sizeOf(randomOf(`${seed} size ${file}`), randomOf(`${seed} bytes ${file}`));
      const sha256 = put(path, generated(size, 2 * (seed * 100_000 + file)));
      const file_id = fileIdOf("main", path);
      for (const step of [0, 1]) {
        if (planned.length === jobs) break;
        const user_id = String(FIRST_USER + ((file * 7 + step * Math.floor(users / 2)) % users));
        planned.push({ user_id, file_id, path, name, nonce: `n${planned.length}`, size, sha256 });
      }
    }
    const orderOf = ({ nonce }: Omit<Tap, "at">) => randomOf(`${seed} order ${nonce}`);
    return planned.sort((one, other) => orderOf(one) - orderOf(other));
  }

  private processOf(name: string, args: readonly string[], env: Record<string, string>): SoakProcess {
    const { pawl, folder } = this.options;
    const process = new SoakProcess({
      name,
      args: [...pawl, ...args],
      env: { PAWL_DATA: join(folder, "data", name), PAWL_LOG_LEVEL: "info", ...env },
      folder,
    });
    this.closing.push(() => process.end("SIGTERM"));
    return process;
  }

  /** Creates the members of the processes and gives the users access; returns the tokens. */
  private async prepare(client: Client, users: readonly string[]): Promise<Map<string, string>> {
    const settings = {
      heartbeat_seconds: 2,
      recover_after_seconds: RECOVER_SECONDS,
      backoff_base_seconds: 0.5,
      backoff_cap_seconds: 4,
    };
    await client.changeProject({ id: "main", settings: { delivery: settings } });
    const tokens = new Map<string, string>();
    for (const id of ["bot", "worker-1", "worker-2"]) {
      await client.createMember(
        id === "bot"
          ? { id, name: id, kind: "service", roles: ["agent"] }
          : { id, name: id, kind: "worker", roles: ["worker"] },
      );
      tokens.set(id, (await client.createToken({ id })).token);
    }
    const calls = client.calls(DELIVERY_ROUTES);
    for (const id of users) {
      await calls.requestDeliveryAccess({ id, name: `Reader ${id}` });
      await calls.approveDeliveryUser({ id });
    }
    return tokens;
  }

  /** Sends the taps, evenly over the time. */
  private async tapAll(planned: readonly Omit<Tap, "at">[], send: (tap: Tap) => void): Promise<void> {
    const duration = this.options.minutes * 60_000;
    for (const [index, tap] of planned.entries()) {
      const due = this.started + (index / planned.length) * duration;
      await pause(Math.max(0, due - Date.now()));
      this.taps.push({ ...tap, at: Date.now() });
      send({ ...tap, at: Date.now() });
    }
  }

  /** Kills, stops and restarts processes, and lets whole sides fail, at random times. */
  private async causeTrouble(
    processes: ReadonlyMap<string, SoakProcess>,
    forgetFiles: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { minutes, seed } = this.options;
    const duration = minutes * 60_000;
    const interval = Math.min(45_000, duration / 6);
    for (let round = 1; !signal.aborted; round++) {
      const random = (what: string) => randomOf(`${seed} ${what} ${round}`);
      await pause(interval * (0.5 + random("pause")), undefined, { signal }).catch(() => undefined);
      if (isOver(signal)) return;
      const isCalm = Date.now() > this.started + CALM_PART * duration;
      const name = !isCalm && round % 3 === 0 ? "bot" : "worker-2";
      const process = processes.get(name);
      const ending = round % 4 === 0 ? "SIGTERM" : "SIGKILL";
      const at = Date.now();
      await process?.end(ending);
      // The server may still handle the last request of the process.
      this.ends.push({ at, until: Date.now() + LAST_REQUEST_MS, member: name, signal: ending });
      if (round % 2 === 0) forgetFiles();
      if (round % 5 === 2) this.faults.telegram.beginOutage(OUTAGE_MS);
      if (round % 5 === 4) this.faults.storage.beginOutage(OUTAGE_MS);
      await pause(3_000 * random("restart"));
      if (!isOver(signal)) await process?.start(READY);
    }
  }

  private async sample(
    processes: readonly SoakProcess[],
    signal: AbortSignal,
    count: () => Promise<number>,
  ): Promise<void> {
    while (!signal.aborted) {
      const crashed = processes.find((one) => one.hasCrashed());
      if (crashed) throw new Error(`${crashed.name} has ended by itself; see its log`);
      const running = processes.flatMap(({ name, pid }) => (pid === null ? [] : [{ name, pid }]));
      const rss = await residentMemory(running.map(({ pid }) => pid));
      const now = running.flatMap(({ name, pid }) => {
        const rssMb = rss.get(pid);
        return rssMb === undefined ? [] : [{ at: Date.now(), name, pid, rssMb }];
      });
      this.memory.push(...now);
      this.options.onProgress({
        seconds: (Date.now() - this.started) / 1_000,
        tapped: this.taps.length,
        documents: await count(),
        open: this.lastOpen,
        faults: this.faults.telegram.injected.length + this.faults.storage.injected.length,
        kills: this.ends.length,
        memory: now,
      });
      await pause(SAMPLE_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Waits until the users know of the failures; the checker reports those that do not. */
  private async untilNotified(jobs: readonly RecordedJob[], messages: readonly Message[]): Promise<void> {
    const names = new Map(this.taps.map(({ nonce, name }) => [nonce, name]));
    const end = Date.now() + MAX_NOTICE_WAIT_MS;
    const failed = jobs.filter(({ status }) => status === "FAILED");
    while (Date.now() < end) {
      const texts = textsOf(messages);
      const isUnnotified = ({ user_id, request_nonce }: RecordedJob) =>
        !isNotified({ user_id, name: names.get(request_nonce) ?? "" }, texts);
      if (!failed.some(isUnnotified)) return;
      await pause(1_000);
    }
  }

  /** Waits until every tap was handled and every job has finished; returns the jobs with their journals. */
  private async drain(client: Client, waiting: () => number): Promise<RecordedJob[]> {
    const calls = client.calls(DELIVERY_ROUTES);
    const end = Date.now() + MAX_DRAIN_MS;
    for (let quiet = 0; quiet < 3 && Date.now() < end;) {
      await pause(1_000);
      const { queue } = await calls.getDeliveryStatus();
      this.lastOpen = Object.values(queue).reduce((sum, count) => sum + count, 0);
      quiet = waiting() === 0 && this.lastOpen === 0 ? quiet + 1 : 0;
    }
    const jobs: RecordedJob[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await calls.listDeliveryJobs({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      for (const job of page.jobs) {
        const { id, status, user_id, file_id, request_nonce, attempt, last_error, message_id } = job;
        const { events } = await client.listTaskEvents({ id });
        jobs.push({
          ...{ id, status, user_id, file_id, request_nonce, attempt, last_error, message_id },
          events: events.map(({ action, to_status, actor_id, payload, created_at }) => ({
            ...{ action, to_status, actor_id, payload, created_at },
          })),
        });
      }
      if (page.cursor === null) return jobs;
      cursor = page.cursor;
    }
  }
}

function textsOf(messages: readonly Message[]): SoakRecord["texts"] {
  return messages.flatMap(({ chat_id, text }) => (text === null ? [] : [{ chat_id, text }]));
}

function settingsFor(
  url: string,
  telegram: { url: string },
  disk: Awaited<ReturnType<typeof openYandexDisk>>,
): Record<string, string> {
  return {
    PAWL_URL: url,
    PAWL_TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    PAWL_TELEGRAM_API_URL: telegram.url,
    PAWL_DELIVERY_STORAGE: "yandex-disk",
    PAWL_DELIVERY_FOLDER: FOLDER,
    PAWL_YANDEX_DISK_TOKEN: disk.tokens().access,
    PAWL_YANDEX_DISK_REFRESH_TOKEN: disk.tokens().refresh ?? "",
    PAWL_YANDEX_CLIENT_ID: CLIENT.id,
    PAWL_YANDEX_CLIENT_SECRET: CLIENT.secret,
    PAWL_YANDEX_DISK_URL: disk.url,
    PAWL_YANDEX_OAUTH_URL: disk.url,
    PAWL_DELIVERY_CATALOGUE_MINUTES: "3",
    PAWL_DELIVERY_STALL_SECONDS: "4",
    PAWL_DELIVERY_ANSWER_SECONDS: "6",
  };
}

function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}

const READY = /Delivering as|is running/;

/** Most files are small, a few have megabytes. */
function sizeOf(kind: number, part: number): number {
  const max = kind < 0.7 ? 64 : kind < 0.95 ? 512 : 3 * KB;
  return KB + Math.floor(part * max * KB);
}
