import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, inject, onTestFinished, test } from "vitest";
import { startTestServer } from "../src/main/testing.ts";
import { testDatabases } from "./support/postgres.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const README = await readFile(join(ROOT, "README.md"), "utf8");
const runTs = (file: string, args: readonly string[], cwd: string) =>
  promisify(execFile)(process.execPath, ["--import", import.meta.resolve("tsx"), join(ROOT, file), ...args], {
    cwd,
    env: { ...process.env, TSX_TSCONFIG_PATH: join(ROOT, "tsconfig.json") },
  });

test("the README shows what the first task prints", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "pawl-readme-"));
  const { stdout } = await runTs("examples/first-task.ts", [], cwd);
  await rm(cwd, { recursive: true });
  expect(README).toContain(`$ npx tsx examples/first-task.ts\n${stdout}\`\`\``);
});

test("the README shows the lifecycle of examples/purchase and what `pawl check` reports of it", async () => {
  const folder = join(ROOT, "examples/purchase");
  expect(README).toContain(`\`\`\`ts\n${await readFile(join(folder, "pawl.config.ts"), "utf8")}\`\`\``);
  const { stdout } = await runTs("src/main/bin.ts", ["check", "purchase"], folder);
  const [first] = stdout.split("\n");
  expect(README).toContain(`$ npx pawl check purchase\n  ${first ?? ""}\n`);
});

test("managers approve purchases of others, but not their own", async () => {
  const { default: config } = await import("../examples/purchase/pawl.config.ts");
  const databases = testDatabases(inject("postgresUrl"));
  const database = await databases.createDatabase();
  const server = await startTestServer({ url: database.url, plugins: config.lifecycles ?? [] });
  onTestFinished(async () => {
    await server.stop();
    await database.drop();
    await databases.close();
  });
  const of = async (id: string, roles: string[]) =>
    (await server.member({ id, roles })).client.lifecycle("purchase");
  const [ann, bob, eve] = await Promise.all([
    of("ann", ["manager"]),
    of("bob", ["manager"]),
    of("eve", ["agent"]),
  ]);
  const { id } = await ann.create({ item: "A lamp", amount: 40 });
  await expect(ann.act(id, "approve")).rejects.toMatchObject({ detail: "Ask another manager." });
  await expect(eve.act(id, "approve")).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(await bob.act(id, "approve")).toMatchObject({ task: { status: "approved" } });
});
