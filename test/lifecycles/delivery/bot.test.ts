import { afterAll, describe, expect, test } from "vitest";
import { Catalogue } from "../../../src/lifecycles/delivery/bot/catalogue.ts";
import { until } from "../../support/until.ts";
import { FOLDER, logInto, openLibrary, untilFinished } from "./test-library.ts";
import { labels, Person } from "./person.ts";
import type { Message } from "./stand-ins/bot-api.ts";
import { bytes } from "./stand-ins/content.ts";

const library = await openLibrary();
const { disk, telegram, sql } = library;

for (const path of [
  "Книги/Физика/Ландау/Том 1. Механика.pdf",
  "Книги/Физика/Ландау/Том 2. Поля.pdf",
  "Устав.txt",
])
  disk.put(`${FOLDER}/${path}`, bytes(`contents of ${path}`));
for (let number = 10; number < 30; number++)
  disk.put(`${FOLDER}/Журналы/№ ${number}.txt`, bytes(String(number)));

const admin = new Person(telegram, 100, "Босс");
const ann = new Person(telegram, 200, "Анна");
const bot = await library.startBot({ admins: ["100"], catalogueIntervalMs: 3_600_000 });

const accessOf = (person: Person) => library.bot.getDeliveryUser({ id: String(person.id) });
const jobsOf = async (person: Person) =>
  (await library.bot.listDeliveryJobs({ user_id: String(person.id) })).jobs;

describe("the bot", () => {
  test("requests access for a new user, and the admin grants it with a tap", async () => {
    expect((await ann.say("/start")).text).toContain("Запрос на доступ отправлен");
    expect((await ann.say("/start")).text).toContain("уже у администратора");
    expect((await ann.say("Ландау")).text).toContain("уже у администратора");
    const request = await admin.waitFor(/Анна \(200\) просит доступ/);
    expect(labels(request)).toEqual(["✅ Открыть доступ", "🚫 Закрыть доступ"]);
    await admin.tap(/Открыть доступ/);
    expect(request).toMatchObject({
      text: expect.stringMatching(/^Анна \(200\): доступ открыт до/) as string,
      buttons: [],
    });
    await ann.waitFor(/Доступ открыт до/);
    const { access_until, decided_by } = await accessOf(ann);
    const days = (Date.parse(access_until!) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
    expect(decided_by).toBe("100");
  });

  test("opens nested folders in one message, and goes back", async () => {
    const message = await ann.say("/start");
    expect(labels(message)).toEqual([
      "📁 Журналы",
      "📁 Книги",
      expect.stringMatching(/^📄 Устав\.txt · \d+ Б$/),
    ]);
    for (const folder of [/Книги/, /Физика/, /Ландау/]) await ann.tap(folder);
    expect(message.text).toBe("📁 Ландау");
    expect(labels(message)).toEqual([
      expect.stringMatching(/Том 1/),
      expect.stringMatching(/Том 2/),
      "⬅️ Назад",
    ]);
    await ann.tap(/Назад/);
    expect(message.text).toBe("📁 Физика");
    await ann.tap(/Назад/);
    await ann.tap(/Назад/);
    expect(message.text).toBe("📁 Библиотека");
    await ann.tap(/Журналы/);
    expect(message.text).toBe("📁 Журналы · 1/3");
    await ann.tap(/›/);
    expect(labels(message)).toContain("📄 № 18.txt · 2 Б");
  });

  test("shows new files when their folder is opened, and no deleted ones", async () => {
    disk.put(`${FOLDER}/Книги/Физика/Новинка.txt`, bytes("new"));
    disk.remove(`${FOLDER}/Устав.txt`);
    const catalogue = new Catalogue({ calls: library.bot, storage: library.storage, log: logInto([]) });
    const names = async (folder_id: string | null) =>
      (await catalogue.open(folder_id, { page: 0, perPage: 50 })).files.map(({ name }) => name);
    expect(await names(null)).toEqual(["Журналы", "Книги"]);
    const { files } = await library.bot.listDeliveryFiles({ q: "физика" });
    expect(await names(files[0]!.id)).toEqual(["Ландау", "Новинка.txt"]);
    disk.put(`${FOLDER}/Устав.txt`, bytes("the rules"));
    await catalogue.scanAll(new AbortController().signal);
    expect((await library.bot.listDeliveryFiles({ q: "устав" })).total).toBe(1);
  });

  test("skips unreadable folders and invalid names, and shows the rest", async () => {
    disk.put(`${FOLDER}/Закрыто/тайна.txt`, bytes("secret"));
    disk.put(`${FOLDER}/Странное/ с пробелами .txt`, bytes("odd"));
    disk.put(`${FOLDER}/Странное/${"я".repeat(1_001)}.txt`, bytes("long"));
    disk.faults.plan(`list ${FOLDER}/Закрыто`, { kind: "status", status: 403 });
    const lines: typeof library.logged = [];
    const catalogue = new Catalogue({ calls: library.bot, storage: library.storage, log: logInto(lines) });
    await catalogue.scanAll(new AbortController().signal);
    expect(lines.map(({ message }) => message)).toEqual([
      "a folder could not be scanned; continuing with the others",
      "an entry in the storage has an invalid name; skipped",
    ]);
    const { files } = await library.bot.listDeliveryFiles({ q: "с пробелами" });
    expect(files).toMatchObject([{ name: " с пробелами .txt" }]);
    const { path } = await library.worker.getDeliverySource({ id: files[0]!.id });
    expect(path).toBe(`${FOLDER}/Странное/ с пробелами .txt`);
    for (const gone of ["Закрыто", "Странное"]) disk.remove(`${FOLDER}/${gone}`);
    await catalogue.scanAll(new AbortController().signal);
    expect((await library.bot.listDeliveryFiles({ q: "с пробелами" })).total).toBe(0);
  });

  test("scans a folder once if many users open it at the same time", async () => {
    let scans = 0;
    const list: typeof library.storage.list = (folder, signal) => {
      scans++;
      return library.storage.list(folder, signal);
    };
    const storage = { ...library.storage, list };
    const catalogue = new Catalogue({ calls: library.bot, storage, log: logInto([]) });
    await Promise.all(Array.from({ length: 20 }, () => catalogue.open(null, { page: 0, perPage: 8 })));
    expect(scans).toBe(1);
  });

  test("finds names by words in any order and case, in all folders", async () => {
    const found = await ann.say("ПОЛЯ том");
    expect(found.text).toBe("🔎 «ПОЛЯ том»: найдено 1");
    expect(labels(found)).toEqual([expect.stringMatching(/Том 2\. Поля/)]);
    expect((await ann.say("/search нетничего")).text).toContain("ничего не найдено");
    expect((await ann.say("/search")).text).toContain("Напишите, что найти");
    expect((await ann.say("ладнау")).text).toBe("🔎 «ладнау»: точных совпадений нет, похожих 1");
    expect(labels(await ann.say("тон механека"))).toEqual([]);
    expect(labels(await ann.say("том механека"))).toEqual([expect.stringMatching(/Том 1\. Механика/)]);
    expect((await ann.say(`x${"🔎".repeat(150)}`)).text).toContain("ничего не найдено");
  });

  test("pages through the results of a search, in one message", async () => {
    const found = await ann.say("№ txt");
    expect(found.text).toBe("🔎 «№ txt»: найдено 20 · 1/3");
    const seen = new Set(labels(found).filter((label) => label.startsWith("📄")));
    for (const page of [2, 3]) {
      await ann.tap(/›/);
      expect(found.text).toBe(`🔎 «№ txt»: найдено 20 · ${page}/3`);
      for (const label of labels(found)) if (label.startsWith("📄")) seen.add(label);
    }
    expect(seen.size).toBe(20);
    expect(labels(found)).not.toContain("›");
    await ann.tap(/‹/);
    expect(found.text).toContain("2/3");
  });

  test("reports a failure to the user, and answers the next message", async () => {
    const broken = { kind: "status" as const, status: 500 };
    telegram.faults.plan("sendMessage 200", broken);
    expect((await ann.say("поля")).text).toBe("Сейчас не получилось. Попробуйте ещё раз через минуту.");
    await ann.say("поля");
    telegram.faults.plan("editMessageText 200", broken);
    await ann.tap(/Том 2/);
    expect(telegram.answers.at(-1)).toContain("Сейчас не получилось");
    await ann.tap(/Том 2/);
    expect(labels(ann.find(/Скачать/).message)).toContain("⬇️ Скачать");
  });

  test("creates one job per tap; the button is renewed, and a later tap creates another job", async () => {
    await ann.say("механика");
    await ann.tap(/Том 1/);
    const { message, data } = ann.find(/^⬇️ Скачать$/);
    const first = ann.tapWithoutWaiting(/^⬇️ Скачать$/);
    telegram.redeliver(first);
    await until(() => (message.text ?? "").includes("в очереди"));
    const second = telegram.redeliver(first);
    await until(() => telegram.isConfirmed(second));
    expect(ann.find(/Скачать ещё раз/).data).not.toBe(data);
    const third = telegram.redeliver(first);
    await until(() => telegram.isConfirmed(third));
    expect(await jobsOf(ann)).toMatchObject([
      { status: "QUEUED", title: "Том 1. Механика.pdf", chat_id: "200" },
    ]);
    await ann.tap(/Скачать ещё раз/);
    expect(await jobsOf(ann)).toHaveLength(2);
  });

  test("/status shows queued jobs, and a button cancels one", async () => {
    const shown = await ann.say("/status");
    expect(shown.text?.match(/Том 1\. Механика\.pdf: в очереди/g)).toHaveLength(2);
    await ann.tap(/Отменить/);
    expect(telegram.answers.at(-1)).toBe("Отменено.");
    expect((await jobsOf(ann)).map(({ status }) => status).sort()).toEqual(["CANCELLED", "QUEUED"]);
    expect(shown.text).toContain("отменён");
  });

  test("does not let users see or cancel jobs of others", async () => {
    await library.addReader("202");
    const eve = new Person(telegram, 202, "Ева");
    const [mine] = (await jobsOf(ann)).filter(({ status }) => status === "QUEUED");
    const shown = await eve.say("/status");
    expect(shown.text).toBe("Вы пока ничего не скачивали.");
    const tapped = telegram.tap({ id: 202, first_name: "Ева" }, shown, `c:${mine!.id}`);
    await until(() => telegram.answered(tapped));
    expect((await library.job(mine!.id)).status).toBe("QUEUED");
  });

  test("/status shows the age of a stuck job, and the progress of a running one", async () => {
    const [job] = (await jobsOf(ann)).filter(({ status }) => status === "QUEUED");
    const claimed = await library.ask("POST /api/claims", {
      token: library.tokens.worker,
      body: { lifecycle: "delivery" },
    });
    const [{ lease_token }] = claimed.body.tasks as [{ lease_token: string }];
    for (const action of ["start_download", "start_stream"] as const)
      await library.worker.moveDeliveryJob({ id: job!.id, action, lease_token });
    const jobs = [{ job_id: job!.id, lease_token, bytes: 450, total_bytes: 1_000 }];
    await library.worker.reportDeliveryProgress({ worker: { id: "w", concurrency: 1 }, jobs });
    expect((await ann.say("/status")).text).toContain("Том 1. Механика.pdf: отправляется, 45 %");
    await sql`update pawl.task set leased_at = now() - interval '45 seconds' where id = ${job!.id}`;
    const status = await library.adminCalls.getDeliveryStatus();
    expect(status.stuck).toMatchObject([{ id: job!.id, stuck: true }]);
    expect((await ann.say("/status")).text).toMatch(/Механика\.pdf: завис, нет ответа 4\d с/);
    const error = { code: "FILE_NOT_FOUND", message: "storage: gone (404)", retryable: false };
    await library.worker.moveDeliveryJob({ id: job!.id, action: "fail", lease_token, payload: { error } });
    await ann.waitFor(/«Том 1\. Механика\.pdf» доставить не удалось: файла больше нет в библиотеке/);
    expect((await ann.say("/status")).text).toContain("не доставлен: файла больше нет");
  });

  test("/status shows open jobs before finished ones; messages without text are answered too", async () => {
    const { files } = await library.bot.listDeliveryFiles({ q: "том" });
    const waiting = await library.tap("200", files[0]!.id);
    for (let count = 0; count < 11; count++) {
      const { id } = await library.tap("200", files[0]!.id);
      await library.adminCalls.moveDeliveryJob({ id, action: "cancel" });
    }
    const { text } = await ann.say("/status");
    expect(text?.split("\n")[1]).toMatch(/: в очереди$/);
    expect(text?.split("\n")).toHaveLength(11);
    await library.adminCalls.moveDeliveryJob({ id: waiting.id, action: "cancel" });
    expect((await ann.send({ sticker: { file_id: "s" } })).text).toContain("Напишите, что найти");
  });

  test("delivers a file to the chat that requested it", async () => {
    const worker = await library.startWorker();
    await ann.say("устав");
    await ann.tap(/Устав/);
    await ann.tap(/Скачать/);
    const [job] = await jobsOf(ann);
    expect((await untilFinished(library, job!.id)).status).toBe("DELIVERED");
    expect(telegram.documents(200)).toMatchObject([{ file_name: "Устав.txt" }]);
    expect((await ann.say("/status")).text).toContain("Устав.txt: доставлен");
    await worker.stop();
  });

  test("warns user and admins once, in the last 24 hours of access; an admin extends it with a tap", async () => {
    const second = await library.startBot({ admins: ["100"] });
    await sql`update pawl.delivery_user set access_until = now() + interval '20 hours' where id = '200'`;
    await ann.waitFor(/Доступ к библиотеке заканчивается/);
    await admin.waitFor(/У пользователя Анна \(200\) доступ заканчивается/);
    const before = Date.parse((await accessOf(ann)).access_until!);
    const button = admin.find(/Продлить/);
    const tapped = admin.tapWithoutWaiting(/Продлить/);
    telegram.redeliver(tapped);
    await ann.waitFor(/Доступ продлён до/);
    await until(() => button.message.buttons.length === 0);
    // Two taps on one button extend access once.
    const after = Date.parse((await accessOf(ann)).access_until!);
    expect(after - before).toBe(30 * 86_400_000);
    expect(ann.chat().filter(({ text }) => text?.includes("заканчивается"))).toHaveLength(1);
    expect(
      admin.chat().filter(({ text }) => text?.includes("Анна (200)") && text.includes("доступ")),
    ).not.toHaveLength(0);
    await second.stop();
  });

  test("shows an expired user that access has ended, and lets the user request it again", async () => {
    await sql`update pawl.delivery_user set access_until = now() - interval '1 minute' where id = '200'`;
    const reply = await ann.say("/status");
    expect(reply.text).toBe("Срок доступа к библиотеке закончился.");
    await ann.tap(/Запросить доступ/);
    expect(reply.text).toContain("Запрос отправлен");
    await admin.waitFor(/Анна \(200\) просит продлить доступ/);
    await admin.tap(/Продлить/);
    expect(labels(await ann.say("/start"))).toContain("📁 Книги");
  });

  test("lets admins list, approve, extend and block users by commands, which others cannot use", async () => {
    const dan = new Person(telegram, 203, "Даня");
    await dan.say("/start");
    expect((await dan.say("/approve 203")).text).toContain("уже у администратора");
    expect((await accessOf(dan)).status).toBe("PENDING");
    expect((await admin.say("/approve")).text).toBe("Формат: /approve 123456 30");
    expect((await admin.say("/extend 203")).text).toContain("сначала /approve 203");
    expect((await admin.say("/approve 999")).text).toBe("Пользователя 999 нет.");
    expect((await admin.say("/approve 203 7")).text).toMatch(/^Даня \(203\): доступ открыт до/);
    expect((await dan.say("/approve 203")).text).toContain("/status");
    expect((await admin.say("/users")).text).toMatch(/Анна \(200\): доступ открыт до/);
    expect((await admin.say("/block 203")).text).toBe("Даня (203): закрыт");
    for (const words of ["/start", "/status", "механика"])
      expect((await dan.say(words)).text).toBe("Доступ к библиотеке закрыт.");
  });

  test("answers /stats, /audit and /sync to admins only", async () => {
    const commands = ["/stats", "/audit", "/sync"];
    for (const command of commands) expect((await ann.say(command)).text).toContain("/status — ваши файлы");
    expect((await admin.say("/stats")).text).toMatch(
      /^Очередь:\n• QUEUED: \d+\n[^]*\nЗастряло: \d+\nЖдут доступа: \d+\n[^]*Хранилище: в порядке\.$/,
    );
    expect((await admin.say("/audit")).text).toMatch(
      /^Последние доставки:\n.* · 200 · Устав\.txt: доставлен/,
    );
    expect((await admin.say("/audit")).text).toContain("Механика.pdf: не доставлен (FILE_NOT_FOUND)");
    disk.put(`${FOLDER}/Книги/Химия/Опыты.txt`, bytes("new"));
    expect((await admin.say("/sync")).text).toContain("Обновляю каталог");
    await admin.waitFor(/^Каталог обновлён, файлов и папок: \d+\.$/);
    expect((await library.bot.listDeliveryFiles({ q: "опыты" })).total).toBe(1);
    disk.faults.plan(`list ${FOLDER}`, { kind: "status", status: 401 }, { kind: "status", status: 401 });
    await admin.say("/sync");
    await admin.waitFor(/^Обновить каталог не удалось: SOURCE_TOKEN_INVALID/);
    await admin.say("/sync");
    await until(() => admin.chat().filter(({ text }) => text?.startsWith("Каталог обновлён")).length === 2);
  });

  test("sends admins one digest of the failed jobs of an hour, and users a notice each", async () => {
    const second = await library.startBot({ admins: ["100"] });
    await sql`
      insert into pawl.delivery_notice (org_id, key, kind, user_id, params, created_at, sent_at)
      select 'main', 'digest-test:' || n, 'job_failed', '200',
        jsonb_build_object('title', 'Файл ' || n, 'code', case when n <= 3 then 'FILE_NOT_FOUND' else 'NETWORK_RESET' end),
        date_trunc('hour', now()) - interval '1 minute', now()
      from generate_series(1, 50) n`;
    const digest = await admin.waitFor(/^⚠️ За час с .* не доставлено: 50, например «Файл 1»\n/);
    expect(digest.text).toContain("• NETWORK_RESET × 47: связь несколько раз прерывалась");
    expect(digest.text).toContain("• FILE_NOT_FOUND × 3: файла больше нет");
    for (let takes = 0; takes < 3; takes++) await library.bot.takeDeliveryNotices({ limit: 100 });
    const digests = await sql`select 1 from pawl.delivery_notice where kind = 'jobs_failed'`;
    expect(digests).toHaveLength(1);
    await second.stop();
  });

  test("creates one job per tap with two bots and repeated updates", async () => {
    const second = await library.startBot();
    const people = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const person = new Person(telegram, 300 + index, "Читатель");
        await library.addReader(String(person.id));
        return person;
      }),
    );
    await Promise.all(people.map((person) => person.say("поля")));
    for (const person of people) person.tapWithoutWaiting(/Том 2/);
    const all = (isDone: (message: Message) => boolean) =>
      until(() => people.every((person) => person.chat().some(isDone)));
    await all((message) => labels(message).includes("⬇️ Скачать"));
    for (const person of people) telegram.redeliver(person.tapWithoutWaiting(/Скачать/));
    await all(({ text }) => (text ?? "").includes("в очереди"));
    await until(() => telegram.waiting() === 0);
    await second.stop();
    expect((await Promise.all(people.map(jobsOf))).map((jobs) => jobs.length)).toEqual(people.map(() => 1));
  });

  test("pages through the users with the command below each page", async () => {
    for (const id of ["401", "402"]) await library.addReader(id);
    const first = await admin.say("/users");
    const [, next = ""] = /\n(\/users \d+)$/.exec(first.text ?? "") ?? [];
    const second = await admin.say(next);
    const ids = [first, second].flatMap(({ text }) =>
      [...(text ?? "").matchAll(/\((\d+)\):/g)].map(([, id]) => id),
    );
    const { users } = await library.adminCalls.listDeliveryUsers({
      status: ["ACTIVE", "EXPIRED", "BLOCKED"],
    });
    expect(ids).toEqual(users.map(({ id }) => id));
  });

  test("never shows the storage's name, paths or ids", () => {
    const sent = JSON.stringify([telegram.messages, telegram.answers]);
    expect(sent).not.toMatch(/disk:|Library|yandex|яндекс/i);
    for (const { buttons } of telegram.messages)
      for (const { callback_data } of buttons) expect(callback_data).toMatch(/^[oqdfscraeb](:[\w-]*){0,3}$/);
  });
});

describe("the bot with a webhook", () => {
  test("answers in English, and refuses requests without Telegram's secret", async () => {
    await bot.stop();
    const lines = library.logged.length;
    const hook = await openPort();
    await library.startBot({
      webhook: { url: `http://127.0.0.1:${hook}/`, host: "127.0.0.1", port: hook },
      language: "en",
    });
    await until(() => library.logged.slice(lines).some(({ message }) => message === "webhook is ready"));
    const { text } = await ann.say("/help");
    expect(text).toContain("/start: the library");
    const forged = await fetch(`http://127.0.0.1:${hook}/`, {
      method: "POST",
      body: "{}",
      headers: { "x-telegram-bot-api-secret-token": "guess" },
    });
    expect(forged.status).toBe(403);
  });
});

afterAll(() => {
  // Every URL of the Bot API contains the token; no log may.
  expect(JSON.stringify(library.logged)).not.toContain("the-token-of-the-bot");
});

async function openPort(): Promise<number> {
  const { createServer } = await import("node:net");
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => {
        resolve(port);
      });
    });
  });
}
