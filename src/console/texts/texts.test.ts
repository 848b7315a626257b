import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { en } from "./en.ts";
import { formatsIn } from "./formats.ts";
import { ru } from "./ru.ts";

const CONSOLE = fileURLToPath(new URL("..", import.meta.url));

/** The paths of all texts, each with its type: a string or a function. */
function keysOf(texts: object, path = ""): string[] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null
      ? keysOf(value, `${path}${name}.`)
      : [`${path}${name}: ${typeof value}`],
  );
}

test("every language has the same keys", () => {
  expect(keysOf(ru)).toEqual(keysOf(en));
});

test("every text is translated into Russian", () => {
  const shared = new Set(["name", "kind", "lifecycle.rate"]);
  const textsByPath = (texts: object) =>
    keysOf(texts)
      .map((key) => key.replace(/: .*/, ""))
      .map((path) => [
        path,
        path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], texts),
      ]);
  const english = new Map(textsByPath(en) as [string, unknown][]);
  const same = (textsByPath(ru) as [string, unknown][])
    .filter(([path, text]) => typeof text === "string" && english.get(path) === text && !shared.has(path))
    .map(([path]) => path);
  expect(same).toEqual([]);
});

test("every text is used somewhere", () => {
  const source = readdirSync(CONSOLE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.endsWith("texts"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
  // Texts looked up by a computed key.
  const computed = /^(shell\.(live|connecting)|form\.\w+|name)$/;
  const unused = Object.entries(en).flatMap(([part, texts]) =>
    typeof texts === "string"
      ? []
      : Object.keys(texts)
          .map((name) => `${part}.${name}`)
          .filter((path) => !computed.test(path) && !source.includes(`t.${path}`)),
  );
  expect(unused).toEqual([]);
});

test("counts use the plural forms of each language", () => {
  expect([1, 2, 5, 21].map((n) => en.overview.sweepDue(n))).toEqual([
    "1 timer overdue",
    "2 timers overdue",
    "5 timers overdue",
    "21 timers overdue",
  ]);
  expect([1, 2, 5, 21].map((n) => ru.overview.sweepDue(n))).toEqual([
    "1 таймер просрочен",
    "2 таймера просрочено",
    "5 таймеров просрочено",
    "21 таймер просрочен",
  ]);
});

test.each([
  [0.25, "0.3s"],
  [59, "59s"],
  [61, "1m 1s"],
  [3_600, "1h"],
  [93_784, "1d 2h"],
  [-5, "0s"],
])("%d seconds are %s", (seconds, text) => {
  expect(formatsIn("en").span(seconds)).toBe(text);
});
