import { describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { openLibrary, untilFinished } from "./test-library.ts";
import { failure } from "./stand-ins/bot-api.ts";
import { bytes, generated } from "./stand-ins/content.ts";
import type { InjectedFault } from "./stand-ins/fault-plan.ts";

const library = await openLibrary();
const { disk, telegram, addReader, tap, addFile } = library;
await library.startWorker({ concurrency: 8 });
const MB = 1024 * 1024;
const SIZE = 2 * MB + 5;

let nextUser = 700;

/** Adds a new file and a new user; the planned faults affect only them. */
async function prepare({ size = SIZE, where = "", faults = [] as InjectedFault[] } = {}) {
  const number = nextUser++;
  const user_id = await addReader(String(number));
  const file = await addFile(`Отчёт № ${number}; "май".pdf`, generated(size, number));
  if (where === "sendDocument") telegram.faults.plan(`${where} ${user_id}`, ...faults);
  else disk.faults.plan(`${where} ${file.path}`, ...faults);
  return { user_id, ...file };
}

/** Creates a job, waits until it has finished, and returns it. */
async function outcome({ user_id, file_id }: { user_id: string; file_id: string }) {
  return untilFinished(library, (await tap(user_id, file_id)).id);
}

const status = (code: number, headers?: Record<string, string>): InjectedFault => ({
  kind: "status",
  status: code,
  ...(headers ? { headers } : {}),
});
const tg = (code: number, description: string, retry_after?: number): InjectedFault => ({
  kind: "status",
  status: code,
  body: failure(code, description, retry_after),
});

describe.concurrent("a file", () => {
  test("arrives completely and once, with its name and progress", async () => {
    const { user_id, file_id, sha256 } = await prepare();
    const job = await outcome({ user_id, file_id });
    expect(job).toMatchObject({ status: "DELIVERED", attempt: 0, last_error: null });
    const [document, ...more] = telegram.documents(user_id);
    expect(more).toEqual([]);
    expect(document).toMatchObject({ sha256, size: SIZE, file_id: job.telegram_file_id });
    expect(document?.file_name).toMatch(/^Отчёт № \d+_ _май_\.pdf$/);
    expect(job.progress).toMatchObject({ total_bytes: SIZE });
  });

  test("is not read from the storage when it is delivered a second time", async () => {
    const { user_id, file_id, path, sha256 } = await prepare();
    await outcome({ user_id, file_id });
    const friend = await addReader(String(nextUser++));
    disk.remove(path);
    expect((await outcome({ user_id: friend, file_id })).status).toBe("DELIVERED");
    expect(telegram.documents(friend)).toMatchObject([{ sha256 }]);
  });

  test("is read again when its cached Telegram id is no longer valid", async () => {
    const { user_id, file_id, sha256 } = await prepare();
    await library.sql`
      insert into pawl.delivery_cached_file (org_id, file_id, telegram_file_id) values ('main', ${file_id}, 'of another bot')`;
    expect((await outcome({ user_id, file_id })).status).toBe("DELIVERED");
    expect(telegram.documents(user_id)).toMatchObject([{ sha256 }]);
    const { telegram_file_id } = await library.worker.getDeliverySource({ id: file_id });
    expect(telegram_file_id).toBe(telegram.documents(user_id)[0]?.file_id);
  });

  test.each([
    [400, "Bad Request: DOCUMENT_INVALID"],
    [400, "Bad Request: file reference expired"],
    [400, "Bad Request: file is too big"],
    [420, "words that nobody knows"],
  ])("is uploaded again when Telegram refuses its cached id with %i %s", async (code, description) => {
    const { user_id, file_id, sha256 } = await prepare();
    const first = await outcome({ user_id, file_id });
    telegram.faults.plan(`sendDocument ${user_id}`, tg(code, description));
    const again = await outcome({ user_id, file_id });
    expect(again).toMatchObject({ status: "DELIVERED", attempt: 0, last_error: null });
    expect(again.telegram_file_id).not.toBe(first.telegram_file_id);
    expect(telegram.documents(user_id)).toMatchObject([{ sha256 }, { sha256 }]);
    const { telegram_file_id } = await library.worker.getDeliverySource({ id: file_id });
    expect(telegram_file_id).toBe(again.telegram_file_id);
  });

  test("keeps its cached id when Telegram refuses the chat", async () => {
    const { user_id, file_id } = await prepare();
    const { telegram_file_id } = await outcome({ user_id, file_id });
    telegram.faults.plan(`sendDocument ${user_id}`, tg(403, "Forbidden: bot was blocked by the user"));
    expect(await outcome({ user_id, file_id })).toMatchObject({
      status: "FAILED",
      last_error: { code: "USER_BLOCKED_BOT" },
    });
    expect(await library.worker.getDeliverySource({ id: file_id })).toMatchObject({ telegram_file_id });
  });

  test("is read again when it has changed, although Telegram has the old version", async () => {
    const { user_id, file_id, path } = await prepare();
    await outcome({ user_id, file_id });
    const { sha256 } = await addFile(path.split("/").at(-1)!, bytes("a new edition"));
    await outcome({ user_id, file_id });
    expect(telegram.documents(user_id).at(-1)).toMatchObject({ sha256, size: 13 });
  });

  // Request, fault that occurs once, and the recorded error; null: reading resumes, and no error is recorded.
  test.each<[string, InjectedFault, string | null]>([
    ["bytes", { kind: "reset", after: MB + 7 }, null],
    ["bytes", { kind: "stall", after: MB + 7 }, null],
    ["bytes", status(500), null],
    ["bytes", { kind: "short" }, "CORRUPTED"],
    ["bytes", { kind: "garbled" }, "CORRUPTED"],
    ["bytes", status(429, { "retry-after": "0" }), "RATE_LIMITED"],
    ["meta", status(500), "STORAGE_UNAVAILABLE"],
    ["meta", { kind: "reset" }, "NETWORK_RESET"],
    ["meta", { kind: "stall" }, "NETWORK_TIMEOUT"],
    ["link", status(503), null],
    ["link", status(423), null],
    ["link", status(409), "UNKNOWN"],
    ["download", status(401), null],
    ["sendDocument", { kind: "reset", after: MB }, "NETWORK_RESET"],
    ["sendDocument", { kind: "stall", after: MB }, "NETWORK_TIMEOUT"],
    ["sendDocument", tg(500, "Internal Server Error"), "TELEGRAM_UNAVAILABLE"],
    ["sendDocument", tg(429, "Too Many Requests: retry after 1", 1), "RATE_LIMITED"],
    ["sendDocument", tg(400, "Bad Request: something new"), "UNKNOWN"],
  ])("still arrives completely and once when %s has the fault %o (%s)", async (where, fault, code) => {
    const { sha256, ...file } = await prepare({ where, faults: [fault] });
    const job = await outcome(file);
    expect(job).toMatchObject({ status: "DELIVERED", attempt: code === null ? 0 : 1 });
    expect(job.last_error?.code ?? null).toBe(code);
    expect(telegram.documents(file.user_id)).toMatchObject([{ sha256, size: SIZE }]);
    const isLogged = library.logged.some(({ message }) => message.startsWith("unknown"));
    if (code === "UNKNOWN") expect(isLogged).toBe(true);
  });

  // Permanent errors.
  test.each<[string, InjectedFault, string]>([
    ["meta", status(403), "ACCESS_DENIED"],
    ["meta", status(404), "FILE_NOT_FOUND"],
    ["sendDocument", tg(403, "Forbidden: bot was blocked by the user"), "USER_BLOCKED_BOT"],
    ["sendDocument", tg(400, "Bad Request: chat not found"), "USER_BLOCKED_BOT"],
    ["sendDocument", tg(413, "Request Entity Too Large"), "FILE_TOO_LARGE"],
  ])("fails without a retry when %s has the fault %o: %s", async (where, fault, code) => {
    const file = await prepare({ where, faults: [fault] });
    const error = { code, retryable: false };
    expect(await outcome(file)).toMatchObject({ status: "FAILED", attempt: 1, last_error: error });
    expect(telegram.documents(file.user_id)).toEqual([]);
  });

  test.each([
    ["empty.txt", bytes(""), "FILE_EMPTY"],
    ["large.iso", { size: 2_000 * MB + 1, read: () => bytes("").read(0) }, "FILE_TOO_LARGE"],
  ])("fails without a retry if it is %s", async (name, content, code) => {
    const user_id = await addReader(String(nextUser++));
    const job = await outcome({ user_id, ...(await addFile(name, content)) });
    expect(job).toMatchObject({ status: "FAILED", last_error: { code } });
  });

  test("fails without a retry if it does not exist", async () => {
    const user_id = await addReader(String(nextUser++));
    const job = await outcome({ user_id, file_id: "no-such-file" });
    expect(job).toMatchObject({ status: "FAILED", last_error: { code: "FILE_NOT_FOUND" } });
  });

  test("is retried after the delay of Retry-After", async () => {
    const faults = [tg(429, "Too Many Requests: retry after 300", 300)];
    const { user_id, file_id } = await prepare({ where: "sendDocument", faults });
    const { id } = await tap(user_id, file_id);
    // Not expect.poll: among concurrent tests it does not always know which test it belongs to.
    const { available_at, updated_at } = await until(async () => {
      const job = await library.job(id);
      return job.status === "QUEUED" && job.attempt === 1 && job;
    });
    expect(Date.parse(available_at!) - Date.parse(updated_at)).toBe(300_000);
  });

  test("fails after the third attempt with the reason, and its user gets a notice", async () => {
    const reset: InjectedFault = { kind: "reset", after: MB };
    const file = await prepare({ where: "sendDocument", faults: [reset, reset, reset] });
    const job = await outcome(file);
    expect(job).toMatchObject({ status: "FAILED", attempt: 3, last_error: { code: "NETWORK_RESET" } });
    const owed =
      await library.sql`select kind, params from pawl.delivery_notice where user_id = ${file.user_id} and kind = 'job_failed'`;
    expect(owed).toEqual([{ kind: "job_failed", params: { code: "NETWORK_RESET", title: job.title } }]);
  });

  test("is not sent to a user without access", async () => {
    const { user_id, file_id } = await prepare();
    await library.adminCalls.blockDeliveryUser({ id: user_id });
    const last_error = { code: "USER_NOT_ACTIVE", retryable: false };
    expect(await outcome({ user_id, file_id })).toMatchObject({ status: "FAILED", attempt: 0, last_error });
  });

  test("is delivered twice in one case: Telegram accepted it, and its answer was lost", async () => {
    const { sha256, ...file } = await prepare({ where: "sendDocument", faults: [{ kind: "lost answer" }] });
    expect(await outcome(file)).toMatchObject({ status: "DELIVERED", attempt: 1 });
    expect(telegram.documents(file.user_id)).toMatchObject([{ sha256 }, { sha256 }]);
  });
});
