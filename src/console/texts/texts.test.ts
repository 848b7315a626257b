import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { en } from "./en.ts";
import { formatsIn } from "./formats.ts";
import { ru } from "./ru.ts";

const CONSOLE = fileURLToPath(new URL("..", import.meta.url));

/** The paths of all texts, and whether each is said as it is or made of something. */
function keysOf(texts: object, path = ""): string[] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null
      ? keysOf(value, `${path}${name}.`)
      : [`${path}${name}: ${typeof value}`],
  );
}

test("every language says the same things", () => {
  expect(keysOf(ru)).toEqual(keysOf(en));
});

test("nothing is left in English where Russian is spoken", () => {
  const shared = new Set(["name", "kind", "lifecycle.rate"]);
  const said = (texts: object) =>
    keysOf(texts)
      .map((key) => key.replace(/: .*/, ""))
      .map((path) => [
        path,
        path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], texts),
      ]);
  const english = new Map(said(en) as [string, unknown][]);
  const same = (said(ru) as [string, unknown][])
    .filter(([path, text]) => typeof text === "string" && english.get(path) === text && !shared.has(path))
    .map(([path]) => path);
  expect(same).toEqual([]);
});

test("every text is said somewhere", () => {
  const source = readdirSync(CONSOLE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.endsWith("texts"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
  // Those that are chosen by a name at hand.
  const chosen = /^(shell\.(live|connecting)|form\.\w+|name)$/;
  const unsaid = Object.entries(en).flatMap(([part, texts]) =>
    typeof texts === "string"
      ? []
      : Object.keys(texts)
          .map((name) => `${part}.${name}`)
          .filter((path) => !chosen.test(path) && !source.includes(`t.${path}`)),
  );
  expect(unsaid).toEqual([]);
});

test("numbers of things are said as each language counts them", () => {
  expect([1, 2, 5, 21].map((n) => en.overview.sweepDue(n))).toEqual([
    "1 timer waits",
    "2 timers wait",
    "5 timers wait",
    "21 timers wait",
  ]);
  expect([1, 2, 5, 21].map((n) => ru.overview.sweepDue(n))).toEqual([
    "1 таймер ждёт",
    "2 таймера ждут",
    "5 таймеров ждут",
    "21 таймер ждёт",
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
