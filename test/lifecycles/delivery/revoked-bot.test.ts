import { beforeEach, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { openLibrary } from "./test-library.ts";
import { BOT_TOKEN } from "./stand-ins/bot-api.ts";
import { Person } from "./person.ts";

const library = await openLibrary();
const { telegram, logged, worker, bot } = library;
const REVOKED = "123456:another-token-0123456789abcdef";
const ADMIN = 900;
const SECOND_ADMIN = 901;

const revoke = () => {
  telegram.setToken(REVOKED);
};
const accept = () => {
  telegram.setToken(BOT_TOKEN);
};
const unsent = () => library.sql`select key from pawl.delivery_notice where sent_at is null`;
const rejections = () => logged.filter(({ message }) => message === "Telegram rejected a notice").length;

/** Offers the unsettled notices again at once, instead of after a minute. */
const offerAgain = () =>
  library.sql`update pawl.delivery_notice set taken_until = now() where sent_at is null`;

beforeEach(async () => {
  await library.sql`delete from pawl.delivery_notice`;
  await library.sql`delete from pawl.delivery_outage`;
  accept();
  for (const list of [logged, telegram.messages, telegram.called]) list.length = 0;
});

test.each([
  ["long polling", null],
  ["a webhook", { url: "https://bot.example.com/hook", host: "127.0.0.1", port: 0 }],
])("a bot with %s keeps running while its token is rejected, and loses no notice", async (_, webhook) => {
  const running = await library.startBot({ admins: [String(ADMIN)], webhook });
  const ended: unknown[] = [];
  running.finished.then(
    () => ended.push("stopped"),
    (error: unknown) => ended.push(error),
  );
  await until(() => telegram.called.includes(webhook ? "setWebhook" : "getUpdates"));
  revoke();
  const outage = { side: "telegram", code: "BOT_TOKEN_INVALID", reason: "telegram: rejected (401)" } as const;
  await worker.reportDeliveryOutage(outage);
  await until(() => rejections() > 0);
  expect(await unsent()).toHaveLength(1);
  expect(ended).toEqual([]);
  accept();
  await offerAgain();
  await new Person(telegram, ADMIN, "Admin").waitFor(/⚠️/);
  await until(async () => (await unsent()).length === 0);
  if (webhook === null) await new Person(telegram, ADMIN, "Admin").say("/start");
  await running.stop();
});

test.each([
  ["storage", "SOURCE_TOKEN_INVALID", /ключи хранилища и перезапустите/],
  ["telegram", "BOT_TOKEN_INVALID", /PAWL_TELEGRAM_BOT_TOKEN и перезапустите/],
  ["storage", "QUOTA_EXCEEDED", /продолжится сама/],
] as const)("the notice of an outage of the %s by %s has the remedy", async (side, code, remedy) => {
  const running = await library.startBot({ admins: [String(ADMIN)] });
  await worker.reportDeliveryOutage({ side, code, reason: `${side}: no answer` });
  const { text } = await new Person(telegram, ADMIN, "Admin").waitFor(/⚠️/);
  expect(text).toMatch(remedy);
  expect(text).toContain("pawl delivery retry --since");
  await running.stop();
});

test("a notice to the admins waits for one that can be reached, not for one that has blocked the bot", async () => {
  telegram.faults.plan(`sendMessage ${ADMIN}`, { kind: "status", status: 403 });
  telegram.faults.plan(`sendMessage ${SECOND_ADMIN}`, { kind: "status", status: 500 });
  const running = await library.startBot({ admins: [ADMIN, SECOND_ADMIN].map(String) });
  await bot.requestDeliveryAccess({ id: "700", name: "Reader" });
  await until(() => rejections() === 2);
  await offerAgain();
  await new Person(telegram, SECOND_ADMIN, "Admin").waitFor(/👤/);
  await running.stop();
});
