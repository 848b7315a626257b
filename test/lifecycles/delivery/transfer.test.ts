import { describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { openLibrary, over } from "./library-room.ts";
import { failure } from "./stand-ins/bot-api.ts";
import { bytes, generated } from "./stand-ins/content.ts";
import type { Mischief } from "./stand-ins/mischief.ts";

const library = await openLibrary();
const { disk, telegram, reader, tap, shelve } = library;
await library.startWorker({ concurrency: 8 });
const MB = 1024 * 1024;
const SIZE = 2 * MB + 5;

let people = 700;

/** A file of its own, asked for by somebody of his own; what is to go wrong with it goes wrong with no other. */
async function wish({ size = SIZE, where = "", mischief = [] as Mischief[] } = {}) {
  const number = people++;
  const user_id = await reader(String(number));
  const file = await shelve(`Отчёт № ${number}; "май".pdf`, generated(size, number));
  if (where === "sendDocument") telegram.mischief.plan(`${where} ${user_id}`, ...mischief);
  else disk.mischief.plan(`${where} ${file.path}`, ...mischief);
  return { user_id, ...file };
}

/** The tap's job when it is over. */
async function outcome({ user_id, file_id }: { user_id: string; file_id: string }) {
  return over(library, (await tap(user_id, file_id)).id);
}

const status = (code: number, headers?: Record<string, string>): Mischief => ({
  kind: "status",
  status: code,
  ...(headers ? { headers } : {}),
});
const tg = (code: number, description: string, retry_after?: number): Mischief => ({
  kind: "status",
  status: code,
  body: failure(code, description, retry_after),
});

describe.concurrent("a file on its way", () => {
  test("arrives whole and once, under its name, and its bytes are counted", async () => {
    const { user_id, file_id, sha256 } = await wish();
    const job = await outcome({ user_id, file_id });
    expect(job).toMatchObject({ status: "DELIVERED", attempt: 0, last_error: null });
    const [document, ...more] = telegram.documents(user_id);
    expect(more).toEqual([]);
    expect(document).toMatchObject({ sha256, size: SIZE, file_id: job.telegram_file_id });
    expect(document?.file_name).toMatch(/^Отчёт № \d+_ _май_\.pdf$/);
    expect(job.progress).toMatchObject({ total_bytes: SIZE });
  });

  test("does not touch the storage when it is delivered a second time", async () => {
    const { user_id, file_id, path, sha256 } = await wish();
    await outcome({ user_id, file_id });
    const friend = await reader(String(people++));
    disk.remove(path);
    expect((await outcome({ user_id: friend, file_id })).status).toBe("DELIVERED");
    expect(telegram.documents(friend)).toMatchObject([{ sha256 }]);
  });

  test("is read again when Telegram does not know its cached id any more", async () => {
    const { user_id, file_id, sha256 } = await wish();
    await library.sql`
      insert into pawl.delivery_cached_file (org_id, file_id, telegram_file_id) values ('main', ${file_id}, 'of another bot')`;
    expect((await outcome({ user_id, file_id })).status).toBe("DELIVERED");
    expect(telegram.documents(user_id)).toMatchObject([{ sha256 }]);
    const { telegram_file_id } = await library.worker.getDeliverySource({ id: file_id });
    expect(telegram_file_id).toBe(telegram.documents(user_id)[0]?.file_id);
  });

  test("is read again when it has changed, though Telegram has the old one", async () => {
    const { user_id, file_id, path } = await wish();
    await outcome({ user_id, file_id });
    const { sha256 } = await shelve(path.split("/").at(-1)!, bytes("a new edition"));
    await outcome({ user_id, file_id });
    expect(telegram.documents(user_id).at(-1)).toMatchObject({ sha256, size: 13 });
  });

  // Where, what goes wrong once, and what is noted of it; null: it goes on where it broke off, and nothing is noted.
  test.each<[string, Mischief, string | null]>([
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
  ])("still arrives whole and once when %s does %o once (%s)", async (where, mischief, code) => {
    const { sha256, ...wanted } = await wish({ where, mischief: [mischief] });
    const job = await outcome(wanted);
    expect(job).toMatchObject({ status: "DELIVERED", attempt: code === null ? 0 : 1 });
    expect(job.last_error?.code ?? null).toBe(code);
    expect(telegram.documents(wanted.user_id)).toMatchObject([{ sha256, size: SIZE }]);
    const known = library.logged.some(({ message }) => message.startsWith("unknown"));
    if (code === "UNKNOWN") expect(known).toBe(true);
  });

  // What no second try would mend.
  test.each<[string, Mischief, string]>([
    ["meta", status(403), "ACCESS_DENIED"],
    ["meta", status(404), "FILE_NOT_FOUND"],
    ["sendDocument", tg(403, "Forbidden: bot was blocked by the user"), "USER_BLOCKED_BOT"],
    ["sendDocument", tg(400, "Bad Request: chat not found"), "USER_BLOCKED_BOT"],
    ["sendDocument", tg(413, "Request Entity Too Large"), "FILE_TOO_LARGE"],
  ])("is given up at once when %s does %o: %s", async (where, mischief, code) => {
    const wanted = await wish({ where, mischief: [mischief] });
    const error = { code, retryable: false };
    expect(await outcome(wanted)).toMatchObject({ status: "FAILED", attempt: 1, last_error: error });
    expect(telegram.documents(wanted.user_id)).toEqual([]);
  });

  test.each([
    ["empty.txt", bytes(""), "FILE_EMPTY"],
    ["large.iso", { size: 2 * 1024 * MB + 1, read: () => bytes("").read(0) }, "FILE_TOO_LARGE"],
  ])("is given up at once as %s", async (name, content, code) => {
    const user_id = await reader(String(people++));
    const job = await outcome({ user_id, ...(await shelve(name, content)) });
    expect(job).toMatchObject({ status: "FAILED", last_error: { code } });
  });

  test("that nobody has ever seen is given up at once", async () => {
    const user_id = await reader(String(people++));
    const job = await outcome({ user_id, file_id: "no-such-file" });
    expect(job).toMatchObject({ status: "FAILED", last_error: { code: "FILE_NOT_FOUND" } });
  });

  test("waits as long as the other side asks for in Retry-After", async () => {
    const mischief = [tg(429, "Too Many Requests: retry after 300", 300)];
    const { user_id, file_id } = await wish({ where: "sendDocument", mischief });
    const { id } = await tap(user_id, file_id);
    // Not expect.poll: among concurrent tests it does not always know which test it belongs to.
    const { available_at, updated_at } = await until(async () => {
      const job = await library.job(id);
      return job.status === "QUEUED" && job.attempt === 1 && job;
    });
    expect(Date.parse(available_at!) - Date.parse(updated_at)).toBe(300_000);
  });

  test("has failed for good the third time, says why, and its user is owed plain words", async () => {
    const reset: Mischief = { kind: "reset", after: MB };
    const wanted = await wish({ where: "sendDocument", mischief: [reset, reset, reset] });
    const job = await outcome(wanted);
    expect(job).toMatchObject({ status: "FAILED", attempt: 3, last_error: { code: "NETWORK_RESET" } });
    const owed =
      await library.sql`select kind, params from pawl.delivery_notice where user_id = ${wanted.user_id} and kind = 'job_failed'`;
    expect(owed).toEqual([{ kind: "job_failed", params: { code: "NETWORK_RESET", title: job.title } }]);
  });

  test("is not begun for a user whose access is gone", async () => {
    const { user_id, file_id } = await wish();
    await library.boss.blockDeliveryUser({ id: user_id });
    const last_error = { code: "USER_NOT_ACTIVE", retryable: false };
    expect(await outcome({ user_id, file_id })).toMatchObject({ status: "FAILED", attempt: 0, last_error });
  });

  test("comes twice in one case: Telegram took it, and its answer got lost", async () => {
    const { sha256, ...wanted } = await wish({ where: "sendDocument", mischief: [{ kind: "lost answer" }] });
    expect(await outcome(wanted)).toMatchObject({ status: "DELIVERED", attempt: 1 });
    expect(telegram.documents(wanted.user_id)).toMatchObject([{ sha256 }, { sha256 }]);
  });
});
