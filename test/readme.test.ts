import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = new URL("..", import.meta.url);

test("the README's first move prints what the README says", async () => {
  const readme = await readFile(new URL("README.md", ROOT), "utf8");
  const args = ["--import", import.meta.resolve("tsx"), "examples/first-move.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  expect(readme).toContain(`$ npx tsx examples/first-move.ts\n${stdout}\`\`\``);
});
