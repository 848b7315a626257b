import { expect, test } from "vitest";
import { containsPattern, gramsOf, maxTypos, searchKey, typosBetween, wordsOf } from "./search-words.ts";

test.each([
  ["ландау", "ландау", 0],
  ["ландай", "ландау", 1],
  ["ладнау", "ландау", 1],
  ["ландуа", "ландау", 1],
  ["лндау", "ландау", 1],
  ["ланддау", "ландау", 1],
  ["механеки", "механика", 2],
  ["", "abc", 3],
  ["😀a", "😀b", 1],
])("%s and %s differ by %i typos", (one, other, typos) => {
  expect(typosBetween(one, other)).toBe(typos);
  expect(typosBetween(other, one)).toBe(typos);
});

test.each([
  [3, 0],
  [4, 1],
  [7, 1],
  [8, 2],
])("a word of %i letters may have %i typos", (length, typos) => {
  expect(maxTypos(length)).toBe(typos);
});

test("a name is split into normalized words", () => {
  expect(wordsOf(searchKey("Том 12. Ёлка и «Ель» — ёлка.PDF"))).toEqual(["том", "елка", "ель", "pdf"]);
});

test("trigrams are counted by code points", () => {
  expect(gramsOf("ab")).toEqual([]);
  expect(gramsOf("a😀bc")).toEqual(["a😀b", "😀bc"]);
});

test("patterns match special characters literally", () => {
  expect(containsPattern(String.raw`50%_\ `.trim())).toBe(String.raw`%50\%\_\\%`);
});
