import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { pawl } from "../../cli/pawl-process.ts";
import { BUILT_PAWL } from "../../support/built-pawl.ts";
import { scratchData, startPawl, emptyDatabase } from "../../http/running-pawl.ts";
import { until } from "../../support/until.ts";

import { startPawlDelivery } from "./pawl-process.ts";
import { Person } from "./person.ts";
import { BOT_TOKEN, failure, openBotApi } from "./stand-ins/bot-api.ts";

const telegram = await openBotApi();
const folder = await mkdtemp(join(tmpdir(), "pawl-tour-"));
await mkdir(join(folder, "library/Книги"), { recursive: true });
const content = "Все счастливые семьи похожи друг на друга.";
await writeFile(join(folder, "library/Книги/Анна Каренина.txt"), content);
afterAll(async () => {
  await telegram.close();
  await rm(folder, { recursive: true, force: true });
});

const env = {
  PAWL_TELEGRAM_BOT_TOKEN: BOT_TOKEN,
  PAWL_TELEGRAM_API_URL: telegram.url,
  PAWL_DELIVERY_STORAGE: "local",
  PAWL_DELIVERY_FOLDER: join(folder, "library"),
  PAWL_DELIVERY_ADMINS: "100",
};

const data = await scratchData({ until: afterAll });
await startPawl(["--data", data, "--port", "0"], {
  env: { DATABASE_URL: await emptyDatabase({ until: afterAll }) },
  program: [...BUILT_PAWL, "start"],
  until: afterAll,
});

test("with a folder and a bot token, three commands deliver a file; they create their members", async () => {
  // Telegram is unavailable while they start.
  telegram.faults.plan("getMe", { kind: "reset" }, { kind: "status", status: 502 });
  for (const method of ["setMyCommands", "deleteWebhook"]) telegram.faults.plan(method, { kind: "reset" });
  const [bot, worker] = await Promise.all([
    startPawlDelivery(["bot", "--data", data], env),
    startPawlDelivery(["worker", "--data", data, "--concurrency", "2"], env),
  ]);
  expect(bot.output()).toContain("@library_bot is running (https://t.me/library_bot), as delivery-bot");
  expect(worker.output()).toContain(
    "Delivering as delivery-worker through @library_bot, 2 at a time, from local storage.",
  );

  const admin = new Person(telegram, 100, "Boss");
  const reader = new Person(telegram, 200, "Reader");
  expect((await admin.say("/start")).text).toBe("📁 Библиотека");
  await reader.say("/start");
  await admin.waitFor(/Reader \(200\) просит доступ/);
  const listed = await pawl(["delivery", "users", "--status", "PENDING", "--data", data]);
  expect(listed.stdout).toMatch(/200 +Reader +PENDING/);
  const approved = await pawl(["delivery", "approve", "200", "--days", "7", "--data", data, "--json"]);
  expect(JSON.parse(approved.stdout)).toMatchObject({ id: "200", status: "ACTIVE" });
  await reader.waitFor(/Доступ открыт до/);
  await reader.say("/start");
  await reader.tap(/Книги/);
  await reader.tap(/Каренина/);
  await reader.tap(/Скачать/);
  const [document] = await until(() => telegram.documents(200).length > 0 && telegram.documents(200));
  expect(document).toMatchObject({
    file_name: "Анна Каренина.txt",
    sha256: createHash("sha256").update(content).digest("hex"),
  });

  const status = await pawl(["delivery", "status", "--data", data]);
  expect(status.stdout).toMatch(/QUEUED 0 · CLAIMED 0 · DOWNLOADING 0 · STREAMING 0\nworker .*: 2 at a time/);
  expect((await pawl(["delivery", "extend", "999", "--data", data])).code).toBe(3);
  const extend = ["delivery", "extend", "200", "--data", data, "--json", "--until"];
  const extended = await pawl([...extend, "2099-12-31"]);
  const end = new Date("2099-12-31T23:59:59").toISOString();
  expect(JSON.parse(extended.stdout)).toMatchObject({ id: "200", access_until: end });
  expect((await pawl([...extend, "soon"])).code).toBe(2);
  for (const name of ["bot-token", "worker-token"])
    expect((await stat(join(data, "delivery", name))).mode & 0o777).toBe(0o600);
  for (const process of [bot, worker]) {
    expect(await process.end("SIGTERM")).toBe(0);
    expect(process.output()).not.toContain(BOT_TOKEN);
  }

  const again = await startPawlDelivery(["worker", "--data", data], env);
  expect(again.output()).toContain("Delivering as delivery-worker");
  expect(await again.end("SIGINT")).toBe(0);
});

test.runIf(existsSync("/dev/full"))(
  "a bot keeps running when the disk refuses its output and log",
  async () => {
    const full = openSync("/dev/full", "w");
    // Each failure is logged, and then the call is retried.
    telegram.faults.plan("getMe", { kind: "reset" }, { kind: "reset" });
    const child = spawn(process.execPath, [...BUILT_PAWL, "delivery", "bot", "--data", data], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", full, full],
    });
    const ended = once(child, "close");
    onTestFinished(async () => {
      if (child.exitCode === null) child.kill("SIGKILL");
      await ended;
      closeSync(full);
    });
    const reader = new Person(telegram, 300, "Another reader");
    await reader.say("/start");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  },
);

test("a rejected webhook address is reported with Telegram's reason", async () => {
  telegram.faults.plan("setWebhook", {
    kind: "status",
    status: 400,
    body: failure(400, "Bad Request: bad webhook: an HTTPS URL must be provided for webhook"),
  });
  const webhook = { PAWL_DELIVERY_WEBHOOK_URL: "http://127.0.0.1/", PAWL_DELIVERY_WEBHOOK_PORT: "0" };
  const ran = await pawl(["delivery", "bot", "--data", data], { env: { ...env, ...webhook } });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("Telegram rejects PAWL_DELIVERY_WEBHOOK_URL: Bad Request: bad webhook");
  expect(ran.stderr).not.toContain("bug in Pawl");
});

test("a webhook port that is in use is reported with a solution", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const webhook = {
    PAWL_DELIVERY_WEBHOOK_URL: "http://127.0.0.1/",
    PAWL_DELIVERY_WEBHOOK_PORT: String(port),
  };
  const ran = await pawl(["delivery", "bot", "--data", data], { env: { ...env, ...webhook } });
  expect(ran.code).toBe(1);
  expect(ran.stderr.replaceAll(/\s+/g, " ")).toContain(
    `The bot cannot listen on 127.0.0.1:${port} (PAWL_DELIVERY_WEBHOOK_PORT): something listens there already; end it, or choose another port.`,
  );
  expect(ran.stderr).not.toContain("bug in Pawl");
});

test.each([
  ["no bot token", { PAWL_TELEGRAM_BOT_TOKEN: "" }, "PAWL_TELEGRAM_BOT_TOKEN is not set"],
  ["a malformed bot token", { PAWL_TELEGRAM_BOT_TOKEN: "hunter2" }, "PAWL_TELEGRAM_BOT_TOKEN is not a token"],
  [
    "an unknown bot token",
    { PAWL_TELEGRAM_BOT_TOKEN: "1:unknown" },
    "Telegram rejects the token in PAWL_TELEGRAM_BOT_TOKEN",
  ],
  ["no folder", { PAWL_DELIVERY_FOLDER: "" }, "PAWL_DELIVERY_FOLDER is not set"],
  ["a missing folder", { PAWL_DELIVERY_FOLDER: "/nowhere" }, "the folder /nowhere does not exist"],
  [
    "an unknown storage",
    { PAWL_DELIVERY_STORAGE: "dropbox" },
    'PAWL_DELIVERY_STORAGE is "dropbox", not one of local, yandex-disk',
  ],
  [
    "Yandex Disk without a token",
    { PAWL_DELIVERY_STORAGE: "yandex-disk" },
    "PAWL_YANDEX_DISK_TOKEN is not set",
  ],
])("with %s it reports what to do, without secrets", async (_, wrong, words) => {
  const ran = await pawl(["delivery", "worker", "--data", data], { env: { ...env, ...wrong } });
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toContain(words);
  expect(ran.stderr).not.toContain("hunter2");
  expect(ran.stderr).not.toContain("bug in Pawl");
});
