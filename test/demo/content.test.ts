import { expect, test } from "vitest";
import { BOARD_EN } from "../../src/lifecycles/board/demo/board-work-en.ts";
import { BOARD_RU } from "../../src/lifecycles/board/demo/board-work-ru.ts";
import { CHATS_EN } from "../../src/lifecycles/bot-actions/demo/chats-en.ts";
import { CHATS_RU } from "../../src/lifecycles/bot-actions/demo/chats-ru.ts";
import { CODE_EN } from "../../src/lifecycles/code/demo/code-work-en.ts";
import { CODE_RU } from "../../src/lifecycles/code/demo/code-work-ru.ts";
import { featuresIn } from "../../src/lifecycles/code/demo/code-work.ts";
import { DELIVERY_EN } from "../../src/lifecycles/delivery/demo/delivery-files-en.ts";
import { DELIVERY_RU } from "../../src/lifecycles/delivery/demo/delivery-files-ru.ts";
import { PLANNER_EN } from "../../src/lifecycles/planner/demo/planner-work-en.ts";
import { PLANNER_RU } from "../../src/lifecycles/planner/demo/planner-work-ru.ts";

const CYRILLIC = /\p{Script=Cyrillic}/u;
/** Ids and enums, which both languages share, and user names of Telegram. */
const IDENTIFIER = /^[\w-]+$/;

const CONTENTS = [
  ["board", BOARD_EN, BOARD_RU],
  ["bot-actions", CHATS_EN, CHATS_RU],
  ["code", CODE_EN, CODE_RU],
  ["delivery", DELIVERY_EN, DELIVERY_RU],
  ["planner", PLANNER_EN, PLANNER_RU],
] as const;

test.each(CONTENTS)("%s: both languages have the same entries", (_, en, ru) => {
  expect([...leavesOf(ru)].map(([path]) => path)).toEqual([...leavesOf(en)].map(([path]) => path));
});

test.each(CONTENTS)("%s: the English texts have no Cyrillic letter, and the Russian ones do", (_, en, ru) => {
  expect([...leavesOf(en)].filter(([, text]) => CYRILLIC.test(text))).toEqual([]);
  const foreign = [...leavesOf(ru)].filter(([, text]) => !CYRILLIC.test(text) && !IDENTIFIER.test(text));
  expect(foreign).toEqual([]);
});

test("board: priorities and workspaces are the same in both languages", () => {
  const outline = ({ works }: typeof BOARD_EN) =>
    works.map(({ priority, workspace }) => ({ priority, workspace }));
  expect(outline(BOARD_RU)).toEqual(outline(BOARD_EN));
});

test.each([
  ["English", CODE_EN],
  ["Russian", CODE_RU],
])("code: every task in %s has a slug for its branch, and waits for tasks of its feature", (_, content) => {
  const features = featuresIn(content);
  const slugs = features.flat().map(({ slug }) => slug);
  expect(new Set(slugs).size).toBe(slugs.length);
  for (const slug of slugs) expect(slug).toMatch(/^[a-z]+(-[a-z]+)*$/);
  for (const feature of features) {
    const own = feature.map(({ slug }) => slug);
    expect(own).toEqual(expect.arrayContaining(feature.flatMap(({ after }) => after)));
  }
});

/** Lists the texts of a content with their paths. */
function* leavesOf(value: unknown, path = ""): Generator<[path: string, text: string]> {
  if (typeof value === "string") yield [path, value];
  else if (value === null) yield [path, "null"];
  else for (const [key, part] of Object.entries(value as object)) yield* leavesOf(part, `${path}/${key}`);
}
