import { expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { FOLDER, openLibrary } from "./test-library.ts";
import { Person } from "./person.ts";
import { bytes } from "./stand-ins/content.ts";

const library = await openLibrary();
const { disk, telegram, addReader } = library;
const ANSWER_MS = 500;

test("a call that Telegram never answers does not block the bot for its other users", async () => {
  disk.put(`${FOLDER}/Book.txt`, bytes("words"));
  const [ann, ben] = [new Person(telegram, 200, "Ann"), new Person(telegram, 201, "Ben")];
  for (const { id } of [ann, ben]) await addReader(String(id));
  await library.startBot({ answerMs: ANSWER_MS, catalogueIntervalMs: 3_600_000 });
  for (const person of [ann, ben]) await person.say("/start");
  await until(async () => (await library.bot.listDeliveryFiles({})).total > 0);
  telegram.faults.plan("editMessageText 200", { kind: "stall" });
  telegram.faults.plan("sendMessage 200", { kind: "stall" });
  const opened = ann.tapWithoutWaiting(/Book/);
  await until(() => telegram.faults.happened("editMessageText 200"));
  expect((await ben.say("/status")).text).toContain("пока ничего");
  await until(() => telegram.isConfirmed(opened));
  expect(library.logged.map(({ message }) => message)).toContain("failed to handle an update");
});
