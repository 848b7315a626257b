import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { configurationPage } from "../scripts/configuration-page.ts";
import { brokenRulesPage } from "../scripts/mutate/broken-rules-page.ts";
import { RULES } from "../scripts/mutate/rules.ts";
import { grantScript } from "../src/engine/upkeep/grant-script.ts";

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

test("the page of broken rules shows the table of mutations (else: npm run generate)", async () => {
  expect(await page("broken-rules.md")).toBe(brokenRulesPage());
});

test("every mutation applies to one place, and names a test that is there", async () => {
  const read = (file: string) => readFile(new URL(`../${file}`, import.meta.url), "utf8");
  const lost: string[] = [];
  for (const { fault, file, find, test: testFile, name } of RULES.flatMap(({ mutations }) => mutations)) {
    if ((await read(file)).split(find).length !== 2) lost.push(`${fault}: ${file}`);
    if (!(await read(testFile)).includes(name)) lost.push(`${fault}: ${testFile}: ${name}`);
  }
  expect(lost).toEqual([]);
});

test("every setting that the pages speak of exists", async () => {
  const [told, known] = [await page("production.md"), configurationPage()];
  const named = new Set([...told.matchAll(/PAWL_[A-Z_]+/g)].map(([name]) => name));
  expect([...named].filter((name) => !known.includes(`\`${name}\``))).toEqual([]);
});

const INVOICES = new URL("../examples/invoices/", import.meta.url);

test("the page about plugins shows the code of the example", async () => {
  const blocks = [
    ...(await page("plugins.md")).matchAll(
      /^\[`([^`\n]+)`\]\(\.\.\/examples\/invoices\/\1\)\n\n```\w+\n([\s\S]*?)^```$/gm,
    ),
  ];
  expect(blocks.length).toBeGreaterThan(20);
  const outdated: string[] = [];
  for (const [, file = "", shown = ""] of blocks)
    if (!(await readFile(new URL(file, INVOICES), "utf8")).includes(shown)) outdated.push(file);
  expect(outdated).toEqual([]);
});

test("the page about plugins names every file of the example", async () => {
  const text = await page("plugins.md");
  const files = (await readdir(INVOICES, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) =>
      relative(fileURLToPath(INVOICES), join(entry.parentPath, entry.name)).replaceAll("\\", "/"),
    )
    .filter((file) => /^(\w[\w.-]*|(src|ui|test|migrations)\/.+)$/.test(file) && !file.endsWith(".tgz"));
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !text.includes(`(../examples/invoices/${file})`))).toEqual([]);
});

test("the page about production shows the script of `pawl migrate --grant`", async () => {
  expect(await page("production.md")).toContain(`\`\`\`sql\n${grantScript("pawl", "pawl_app")}\`\`\``);
});
