import { expect, test } from "vitest";
import { createClient } from "../../../src/client/index.ts";
import { endLeasesOf } from "../../support/end-leases.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";
import { until } from "../../support/until.ts";
import { FOLDER, openLibrary, untilFinished } from "./test-library.ts";
import { openHoldingProxy } from "./holding-proxy.ts";
import { startPawlDelivery } from "./pawl-process.ts";
import { Person } from "./person.ts";
import { BOT_TOKEN } from "./stand-ins/bot-api.ts";
import { bytes, generated } from "./stand-ins/content.ts";
import { CLIENT } from "./stand-ins/yandex-disk.ts";

// Long timeouts: stalled transfers stay stalled on a busy machine, and no live worker times out.
const library = await openLibrary({ retryTimeoutMs: 5 * WAIT_LIMIT_MS });
const { disk, telegram, addFile, addReader, tap } = library;
const MB = 1024 * 1024;
await library.ask("PATCH /api/projects/main", {
  body: { settings: { delivery: { recover_after_seconds: 3_600 } } },
});

const proxy = await openHoldingProxy(library.url);
const env = (token: string) => ({
  PAWL_URL: proxy.url,
  PAWL_TOKEN: token,
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
  PAWL_DELIVERY_CATALOGUE_MINUTES: "0",
});

let nextUser = 500;
/** More than the kernel buffers on a stalled connection, so that the last bytes are never sent. */
const BEYOND_BUFFERS = 64 * MB;
async function prepare({ size = 3 * MB } = {}) {
  const user_id = await addReader(String(nextUser++));
  const file = await addFile(`${user_id}.bin`, generated(size, nextUser));
  return { user_id, ...file };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;
/** Stalls one download and one upload; returns a function that checks whether both are stalled. */
function stallBoth(download: Prepared, upload: Prepared): () => boolean {
  const [meta, send] = [`meta ${download.path}`, `sendDocument ${upload.user_id}`];
  disk.faults.plan(meta, { kind: "stall" });
  telegram.faults.plan(send, { kind: "stall", after: MB });
  return () => disk.faults.happened(meta) && telegram.faults.happened(send);
}

test("after a worker is killed with -9 in each status, another one delivers every file", async () => {
  const [claimed, downloading, streaming, acknowledged] = await Promise.all([
    prepare(),
    prepare(),
    prepare(),
    prepare(),
  ]);
  const stalled = stallBoth(downloading, streaming);
  const first = await tap(claimed.user_id, claimed.file_id);
  const startOfFirst = new RegExp(`${first.id}/transitions .*start_download`);
  proxy.hold(startOfFirst);
  const worker = await startPawlDelivery(["worker", "--concurrency", "4"], env(library.tokens.worker));
  // Concurrent moves share a request, so the first one is held alone.
  await until(() => proxy.held.some((request) => startOfFirst.test(request)));
  const others = await Promise.all(
    [downloading, streaming, acknowledged].map((one) => tap(one.user_id, one.file_id)),
  );
  const last = others[2]!;
  const endOfLast = new RegExp(`${last.id}/transitions .*"deliver"`);
  proxy.hold(endOfLast);
  const jobs = [first, ...others];

  const statuses = async () =>
    (await Promise.all(jobs.map(({ id }) => library.job(id)))).map(({ status }) => status);
  await expect
    .poll(statuses, { interval: 200 })
    .toEqual(["CLAIMED", "DOWNLOADING", "STREAMING", "STREAMING"]);
  await until(() => proxy.held.some((request) => endOfLast.test(request)));
  await until(stalled);
  await worker.end("SIGKILL");
  await endLeasesOf(library.sql, "delivery-worker");

  const successor = await library.startWorker();
  const ends = await Promise.all(
    jobs.map(({ id }) =>
      until(async () => {
        await library.engine.sweep();
        const job = await library.job(id);
        return job.status === "DELIVERED" && job;
      }),
    ),
  );
  expect(ends.map(({ attempt, last_error }) => [attempt, last_error?.code])).toEqual(
    jobs.map(() => [1, "HEARTBEAT_TIMEOUT"]),
  );
  for (const { user_id, sha256 } of [claimed, downloading, streaming])
    expect(telegram.documents(user_id)).toMatchObject([{ sha256, size: 3 * MB }]);
  await successor.stop();
  // Telegram had accepted this file, but the worker died before it could report that: only this file is sent twice.
  expect(telegram.documents(acknowledged.user_id)).toHaveLength(2);
});

test("a stopped worker releases jobs that it has not started to send, without counting an attempt", async () => {
  const [downloading, streaming] = await Promise.all([prepare(), prepare({ size: BEYOND_BUFFERS })]);
  const stalled = stallBoth(downloading, streaming);
  const worker = await library.startWorker({ concurrency: 2 });
  const [one, other] = await Promise.all(
    [downloading, streaming].map((file) => tap(file.user_id, file.file_id)),
  );
  await until(stalled);
  await worker.stop();
  const [back, failed] = await Promise.all([library.job(one!.id), library.job(other!.id)]);
  expect([back.status, failed.status]).toEqual(["QUEUED", "QUEUED"]);
  expect(back).toMatchObject({ attempt: 0, last_error: null });
  expect(failed).toMatchObject({ attempt: 1, last_error: { code: "WORKER_STOPPED" } });
  for (const { id } of [one!, other!]) await library.adminCalls.moveDeliveryJob({ id, action: "cancel" });
});

test("a short outage of the server costs no attempt, even when the last bytes wait for its confirmation", async () => {
  const { user_id, file_id, sha256 } = await prepare();
  proxy.cut(/\/files\/.*\/source/, 5);
  proxy.cut(/\/api\/heartbeats/, 2);
  const client = createClient({ url: proxy.url, token: library.tokens.worker });
  const worker = await library.startWorker({ client, concurrency: 1 });
  const { id } = await tap(user_id, file_id);
  expect(await untilFinished(library, id)).toMatchObject({ status: "DELIVERED", attempt: 0 });
  expect(telegram.documents(user_id)).toMatchObject([{ sha256 }]);
  await worker.stop();
  disk.remove(`${FOLDER}/${user_id}.bin`);
});

test("a worker sends heartbeats at the project's interval, also during a transfer", async () => {
  const settings = { heartbeat_seconds: 0.1, recover_after_seconds: 3_600 };
  await library.ask("PATCH /api/projects/main", { body: { settings: { delivery: settings } } });
  const { user_id, file_id, path } = await prepare({ size: BEYOND_BUFFERS });
  telegram.faults.plan(`sendDocument ${user_id}`, { kind: "stall", after: MB });
  const worker = await library.startWorker({ concurrency: 1 });
  const { id } = await tap(user_id, file_id);
  // At the default interval this would take minutes.
  const beats = new Set<string | null>();
  await until(async () => beats.add((await library.job(id)).heartbeat_at).size > 8);
  await worker.stop();
  await library.adminCalls.moveDeliveryJob({ id, action: "cancel" });
  disk.remove(path);
});

test("a worker that has lost the job does not send the last bytes to Telegram", async () => {
  const { user_id, file_id } = await prepare();
  let goOn: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => (goOn = resolve));
  const storage: typeof library.storage = {
    ...library.storage,
    open: async (path, signal) => {
      const file = await library.storage.open(path, signal);
      return {
        ...file,
        read: async function* (from, reading) {
          yield* file.read(from, reading);
          await waiting;
        },
      };
    },
  };
  const slowWorker = await library.startWorker({ storage, concurrency: 1 });
  const { id } = await tap(user_id, file_id);
  await until(async () => ((await library.job(id)).progress?.bytes ?? 0) > MB);
  await library.engine.sweep({ now: Date.now() + 2 * 3_600_000 });
  expect((await library.job(id)).status).toBe("QUEUED");
  goOn();
  await slowWorker.stop();
  expect(telegram.documents(user_id)).toEqual([]);
  const successor = await library.startWorker();
  expect((await untilFinished(library, id)).status).toBe("DELIVERED");
  expect(telegram.documents(user_id)).toHaveLength(1);
  await successor.stop();
});

test("after a bot is killed with -9 while it handles a tap, another one handles it again: one job, and a new button", async () => {
  disk.put(`${FOLDER}/Книга.txt`, bytes("words"));
  const ann = new Person(telegram, 200, "Анна");
  await addReader("200");
  const bot = await startPawlDelivery(["bot"], env(library.tokens.bot));
  await ann.say("/start");
  await ann.tap(/Книга/);
  const card = ann.find(/Скачать/);
  telegram.faults.plan("editMessageText 200", { kind: "stall" });
  const update = ann.tapWithoutWaiting(/Скачать/);
  const jobs = async () => (await library.bot.listDeliveryJobs({ user_id: "200" })).jobs;
  await until(() => telegram.faults.happened("editMessageText 200"));
  expect(await jobs()).toHaveLength(1);
  expect(telegram.isConfirmed(update)).toBe(false);
  await bot.end("SIGKILL");
  expect(bot.output()).not.toContain(BOT_TOKEN);
  await library.startBot();
  await until(() => (card.message.text ?? "").includes("в очереди"));
  await until(() => telegram.isConfirmed(update));
  expect(await jobs()).toHaveLength(1);
  expect(ann.find(/Скачать ещё раз/).data).not.toBe(card.data);
});
