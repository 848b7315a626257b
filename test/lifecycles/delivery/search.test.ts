import { expect, test } from "vitest";
import { openLibrary } from "./test-library.ts";

const library = await openLibrary();
const { bot } = library;

test("search finds parts of words, tolerates typos if nothing else is found, and forgets deleted names", async () => {
  const names = ["Квантовая механика.pdf", "Квантовая химия.pdf", "100%_готово.txt", "Статика.pdf"];
  const save = (scan: string, kept: string[]) => {
    const entries = kept.map((name) => ({ kind: "file" as const, path: `search/${name}`, name }));
    return bot.saveDeliveryFiles({ folder: "search", scan, entries, last: true });
  };
  await save("1", names);
  const find = async (q: string, more: { limit?: number; offset?: number } = {}) => {
    const { files: found, total, similar } = await bot.listDeliveryFiles({ q, ...more });
    return { names: found.map(({ name }) => name), total, similar };
  };
  expect(await find("ВАНТОВАЯ меха")).toEqual({ names: [names[0]], total: 1, similar: false });
  expect(await find("ху")).toEqual({ names: [], total: 0, similar: false });
  expect(await find("%_")).toEqual({ names: [names[2]], total: 1, similar: false });
  expect(await find("квонтовая")).toEqual({ names: [names[0], names[1]], total: 2, similar: true });
  expect(await find("квонтовая хмиия")).toEqual({ names: [names[1]], total: 1, similar: true });
  expect(await find("кватноавя")).toEqual({ names: [names[0], names[1]], total: 2, similar: true });
  expect(await find("квонтовая", { limit: 1, offset: 1 })).toEqual({
    names: [names[1]],
    total: 2,
    similar: true,
  });
  // Behind the last page of exact results there are no similar ones.
  expect(await find("статика", { offset: 5 })).toEqual({ names: [], total: 1, similar: false });
  await save("2", [names[1]!]);
  expect(await find("механека")).toEqual({ names: [], total: 0, similar: false });
  const words =
    await library.sql`select word from pawl.delivery_word where word in ('квантовая', 'механика')`;
  expect(words).toEqual([{ word: "квантовая" }]);
});
