import { beforeAll, expect, test } from "vitest";
import { LANGUAGES } from "../../../src/lifecycles/delivery/bot/texts.ts";
import { generated } from "./stand-ins/content.ts";
import { Person } from "./person.ts";
import { openLibrary } from "./test-library.ts";
import type { TestLibrary } from "./test-library.ts";

const { help, trouble } = LANGUAGES.ru;
const LONG_QUERY = "каталог ".repeat(500);

let library: TestLibrary;
let reader: Person;

beforeAll(async () => {
  library = await openLibrary();
  await library.addFile("Каталог осень.pdf", generated(100, 1));
  await library.startBot({ admins: ["900"] });
  reader = new Person(library.telegram, 501, "Reader");
  await library.addReader("501");
});

test.each([
  ["%"],
  ["_"],
  ["%%%"],
  ["___"],
  ["\\"],
  ["'; --"],
  ["...!?"],
  ["🦄"],
  ["👩‍👩‍👧‍👦"],
  ["מסמך"],
  ["\u202Eгол"],
  ["\u0001"],
])("a search for %j finds no file, and is answered", async (query) => {
  const { text, buttons } = await reader.say(query);
  expect(text).not.toBe(trouble);
  expect(buttons).toEqual([]);
});

test("a query of the maximum length of a message is shortened and answered", async () => {
  const { text } = await reader.say(LONG_QUERY);
  expect(text).not.toBe(trouble);
  expect(text?.length).toBeLessThan(400);
});

test.each([["/stats"], ["/audit"], ["/sync"]])("%s shows a reader only the help", async (command) => {
  expect((await reader.say(command)).text).toBe(help);
});
