import { expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { FOLDER, openLibrary } from "./test-library.ts";
import { BOT_TOKEN } from "./stand-ins/bot-api.ts";
import { bytes } from "./stand-ins/content.ts";

const library = await openLibrary();
const { disk, telegram, addFile, addReader, tap } = library;
const CONCURRENCY = 2;
let nextUser = 300;

/** Queues jobs of new users for new files. */
function queueJobs(count: number): Promise<{ id: string; user_id: string }[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const user_id = await addReader(String(nextUser++));
      const { file_id } = await addFile(`${user_id}.txt`, bytes(`file of ${user_id}`));
      return { user_id, id: (await tap(user_id, file_id)).id };
    }),
  );
}

async function statuses(jobs: readonly { id: string }[]): Promise<string[]> {
  return (await Promise.all(jobs.map(({ id }) => library.job(id)))).map(({ status }) => status);
}

const finished = (all: readonly string[]) => all.filter((one) => one === "DELIVERED" || one === "FAILED");

test.each([
  [
    "bot",
    () => {
      telegram.setToken("123456:another-token-0123456789abcdef");
      return () => {
        telegram.setToken(BOT_TOKEN);
      };
    },
    "BOT_TOKEN_INVALID",
  ],
  [
    "storage",
    () => {
      const good = disk.tokens();
      disk.setTokens({ access: "changed", refresh: null });
      return () => {
        disk.setTokens(good);
      };
    },
    "SOURCE_TOKEN_INVALID",
  ],
])("an invalid %s token fails at most the jobs in hand", async (_, breakToken, code) => {
  const repair = breakToken();
  const jobs = await queueJobs(8);
  const worker = await library.startWorker({ concurrency: CONCURRENCY });
  await until(async () => finished(await statuses(jobs)).length > 0);
  const { outages } = await until(async () => {
    const status = await library.adminCalls.getDeliveryStatus();
    return status.outages.length > 0 && status;
  });
  expect(outages).toMatchObject([{ code }]);
  const failed = async () => (await statuses(jobs)).filter((one) => one === "FAILED").length;
  // Several probes have failed, and the worker has claimed nothing more.
  await until(async () =>
    (await library.adminCalls.listDeliveryOutages()).outages.some(({ probes }) => probes > 3),
  );
  expect(await failed()).toBeLessThanOrEqual(CONCURRENCY);
  repair();
  await until(async () => finished(await statuses(jobs)).length === jobs.length);
  expect(await failed()).toBeLessThanOrEqual(CONCURRENCY);
  expect((await library.adminCalls.getDeliveryStatus()).outages).toEqual([]);
  const notices =
    await library.sql`select params from pawl.delivery_notice where params ->> 'code' = ${code} and user_id is null`;
  expect(notices).toHaveLength(1);

  const since = new Date(Date.now() - 3_600_000).toISOString();
  const retryable = async () => (await library.adminCalls.listRetryableDeliveryJobs({ since })).jobs;
  const lost = (await retryable()).filter(({ last_error }) => last_error?.code === code);
  expect(lost).toHaveLength(await failed());
  for (const { id, user_id, file_id, chat_id } of lost)
    await library.adminCalls.createDeliveryJob({ user_id, file_id, chat_id, request_nonce: `retry:${id}` });
  await until(() => lost.every(({ user_id }) => telegram.documents(user_id).length === 1));
  expect((await retryable()).filter(({ last_error }) => last_error?.code === code)).toEqual([]);
  await worker.stop();
});

test.each([
  ["storage", () => disk.faults, "meta", 503, "STORAGE_UNAVAILABLE"],
  ["storage", () => disk.faults, "meta", 402, "QUOTA_EXCEEDED"],
  ["telegram", () => telegram.faults, "sendDocument", 502, "TELEGRAM_UNAVAILABLE"],
] as const)(
  "an outage of the %s pauses claims; no job is lost",
  async (side, faults, where, status, code) => {
    const jobs = await queueJobs(6);
    for (const { user_id } of jobs)
      faults().plan(side === "storage" ? `${where} ${FOLDER}/${user_id}.txt` : `${where} ${user_id}`, {
        kind: "status",
        status,
      });
    const worker = await library.startWorker({ concurrency: CONCURRENCY });
    await until(async () => finished(await statuses(jobs)).length === jobs.length);
    expect(new Set(await statuses(jobs))).toEqual(new Set(["DELIVERED"]));
    const notices =
      await library.sql`select 1 from pawl.delivery_notice where kind = 'outage' and params ->> 'code' = ${code}`;
    expect(notices).toHaveLength(1);
    await until(async () => (await library.adminCalls.getDeliveryStatus()).outages.length === 0);
    await worker.stop();
  },
);
