import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { configurationPage } from "../scripts/configuration-page.ts";

const page = (name: string) => readFile(new URL(`../docs/${name}`, import.meta.url), "utf8");

test("the page of settings shows the table that the server reads (else: npm run generate)", async () => {
  expect(await page("configuration.md")).toBe(configurationPage());
});

test("every guarantee names a test that is there", async () => {
  const rows = [...(await page("guarantees.md")).matchAll(/\| `(test\/[^`]+)`: ([^|]+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(20);
  const lost: string[] = [];
  for (const [, file = "", name = ""] of rows) {
    const path = new URL(`../${file}`, import.meta.url);
    if (!existsSync(path) || !(await readFile(path, "utf8")).includes(name)) lost.push(`${file}: ${name}`);
  }
  expect(lost).toEqual([]);
});

test("every setting that the pages speak of exists", async () => {
  const [told, known] = [await page("production.md"), configurationPage()];
  const named = new Set([...told.matchAll(/PAWL_[A-Z_]+/g)].map(([name]) => name));
  expect([...named].filter((name) => !known.includes(`\`${name}\``))).toEqual([]);
});
