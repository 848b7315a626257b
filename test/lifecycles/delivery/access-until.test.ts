import { expect, test } from "vitest";
import { outcomeOf } from "../../http/test-server.ts";
import { bytes } from "./stand-ins/content.ts";
import { Person } from "./person.ts";
import { openLibrary, untilFinished } from "./test-library.ts";

const library = await openLibrary();
const { adminCalls, ask, bot, sql, telegram } = library;
const users = "/api/delivery/users";
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

test("access is granted and extended until a date; the same key changes it once", async () => {
  await bot.requestDeliveryAccess({ id: "1", name: "Until" });
  const first = inDays(3);
  expect(await adminCalls.approveDeliveryUser({ id: "1", until: first })).toMatchObject({
    status: "ACTIVE",
    access_until: first,
  });
  const later = inDays(9);
  const once = { id: "1", until: later, client_event_id: "one" };
  expect((await adminCalls.extendDeliveryUser(once)).access_until).toBe(later);
  const earlier = inDays(2);
  expect((await adminCalls.extendDeliveryUser({ id: "1", until: earlier })).access_until).toBe(earlier);
  expect((await adminCalls.extendDeliveryUser(once)).access_until).toBe(later);
  expect((await bot.getDeliveryUser({ id: "1" })).access_until).toBe(earlier);
});

test.each([
  [{ until: inDays(-1) }, "422 VALIDATION_ERROR"],
  [{ until: inDays(40_000) }, "422 VALIDATION_ERROR"],
  [{ until: "tomorrow" }, "422 VALIDATION_ERROR"],
  [{ until: inDays(1), days: 1 }, "422 VALIDATION_ERROR"],
  [{ until: "2099-01-01T00:00:00+03:00" }, "200"],
])("a grant with %j is %s", async (body, expected) => {
  await bot.requestDeliveryAccess({ id: "2", name: "Wrong" });
  expect(outcomeOf(await ask(`POST ${users}/2/approve`, { body }))).toBe(expected);
});

test("the user is reminded once, and refused after the end", async () => {
  await library.startBot({ admins: ["100"] });
  await bot.requestDeliveryAccess({ id: "300", name: "Reader" });
  await adminCalls.approveDeliveryUser({ id: "300", until: inDays(0.5) });
  const reader = new Person(telegram, 300, "Reader");
  await reader.waitFor(/^Доступ к библиотеке заканчивается/);
  for (let takes = 0; takes < 3; takes++) await bot.takeDeliveryNotices({ limit: 100 });
  const reminders =
    await sql`select 1 from pawl.delivery_notice where kind = 'access_ending' and user_id = '300'`;
  expect(reminders).toHaveLength(1);
  await sql`update pawl.delivery_user set access_until = now() where id = '300'`;
  expect((await reader.say("/status")).text).toBe("Срок доступа к библиотеке закончился.");
  const { file_id } = await library.addFile("a.txt", bytes("a"));
  await library.startWorker();
  const job = await untilFinished(library, (await library.tap("300", file_id)).id);
  expect(job).toMatchObject({ status: "FAILED", last_error: { code: "USER_NOT_ACTIVE" } });
  expect(telegram.documents(300)).toEqual([]);
});
