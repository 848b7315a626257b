import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskUsage } from "../../scripts/disk-usage.ts";
import { ROOT } from "../support/built-pawl.ts";

type Locked = { dev?: boolean; devOptional?: boolean; optional?: boolean; peer?: boolean };

/** The folders that `npm install --omit=optional` creates for users of Pawl, besides Pawl's own. */
async function dependencies(): Promise<string[]> {
  const text = await readFile(join(ROOT, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  return Object.entries(packages)
    .filter(
      ([path, { dev, devOptional, optional, peer }]) => path && !(dev ?? devOptional ?? optional ?? peer),
    )
    .map(([path]) => path);
}

test("the README states how much Pawl installs", async () => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const [, count, megabytes] = /\| Installs \| (\d+) packages, (\d+) MB;/.exec(readme) ?? [];
  const folders = await dependencies();
  expect(Number(count)).toBe(folders.length + 1);
  // A package inside another is part of its size.
  const outer = folders.filter((path) => !/node_modules\/.*\/node_modules\//.test(path));
  const bytes = [...outer, "dist"].reduce((sum, path) => sum + diskUsage(join(ROOT, path)), 0);
  expect(bytes / 1e6).toBeLessThan(Number(megabytes));
  expect(bytes / 1e6).toBeGreaterThan(0.8 * Number(megabytes));
});

test("no override changes what users install: overrides apply only in this repository", async () => {
  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
    overrides?: Record<string, string>;
  };
  const names = (await dependencies()).map((path) => path.replace(/^.*node_modules\//, ""));
  expect(names.filter((name) => name in (manifest.overrides ?? {}))).toEqual([]);
});
