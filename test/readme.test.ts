import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

test("the README's first task prints what the README says", async () => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const cwd = await mkdtemp(join(tmpdir(), "pawl-readme-"));
  const args = ["--import", import.meta.resolve("tsx"), join(ROOT, "examples/first-task.ts")];
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(ROOT, "tsconfig.json") };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
  await rm(cwd, { recursive: true });
  expect(readme).toContain(`$ npx tsx examples/first-task.ts\n${stdout}\`\`\``);
});
