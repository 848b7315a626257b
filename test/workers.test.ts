import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, inject, onTestFinished, test } from "vitest";
import { FIRST_WORKER } from "../src/cli/first-worker.ts";
import { createClient } from "../src/client/index.ts";
import { ROOT } from "./support/built-pawl.ts";
import { installPawl, packPawl } from "./support/installed-pawl.ts";
import { testDatabases } from "./support/postgres.ts";
import { until } from "./support/until.ts";

const ADMIN_TOKEN = randomUUID();

/** A folder in which Pawl is installed and `pawl init` has run. */
const scratch = await realpath(await mkdtemp(join(tmpdir(), "pawl-workers-")));
const databases = testDatabases(inject("postgresUrl"));
const database = await databases.createDatabase();
afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
  await database.drop();
  await databases.close();
});
const { tarball } = await packPawl(scratch);
await installPawl(tarball, scratch, ["typescript", "tsx", "@types/node", "pg", "@types/pg"]);
await writeFile(join(scratch, "package.json"), '{ "type": "module" }');
await finished(run(["node_modules/.bin/pawl", "init"]));
const page = await readFile(join(ROOT, "docs/workers.md"), "utf8");

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, args, {
    cwd: scratch,
    env: { PATH: process.env.PATH, HOME: scratch, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const shown = { child, output: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (shown.output += text));
  return shown;
}

async function finished(shown: { child: ChildProcess; output: string }): Promise<void> {
  const [code] = shown.child.exitCode === null ? ((await once(shown.child, "close")) as [number]) : [0];
  if (code !== 0) throw new Error(shown.output);
}

/** Starts a program of the folder; it is killed at the end of the test if it still runs. */
function start(file: string, env: NodeJS.ProcessEnv) {
  const shown = run(["--import", "tsx", file], env);
  onTestFinished(() => void shown.child.kill("SIGKILL"));
  return shown;
}

async function startErrands(count: number) {
  const server = run(["node_modules/.bin/pawl", "start"], {
    DATABASE_URL: database.url,
    PAWL_PORT: "0",
    PAWL_ADMIN_TOKEN: ADMIN_TOKEN,
    PAWL_LOG_LEVEL: "warn",
  });
  onTestFinished(async () => {
    server.child.kill("SIGTERM");
    await finished(server);
  });
  await until(() => server.output.includes("Pawl listens on "));
  const [url = ""] = /http:[^\s;]+/.exec(server.output) ?? [];
  const admin = createClient({ url, token: ADMIN_TOKEN });
  const id = `wanda-${randomUUID()}`;
  await admin.createMember({ id, kind: "worker", roles: ["worker"] });
  const { token } = await admin.createToken({ id });
  const client = admin.lifecycle("errand");
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await client.create({ title: `Errand ${n}`, note: "milk" })).id);
  const statuses = async () =>
    (await Promise.all(ids.map((id) => client.get(id)))).map(({ status }) => status);
  return { env: { PAWL_URL: url, PAWL_TOKEN: token }, statuses };
}

test("the page shows the worker that `pawl init` writes, and so does the guide", async () => {
  const guide = await readFile(join(ROOT, "docs/guide.md"), "utf8");
  for (const text of [page, guide]) expect(text).toContain(`\`\`\`ts\n// worker.ts\n${FIRST_WORKER}\`\`\`\n`);
  expect(await readFile(join(scratch, "worker.ts"), "utf8")).toBe(FIRST_WORKER);
});

test.skipIf(process.platform === "win32").each(["SIGINT", "SIGTERM"] as const)(
  "the worker that `pawl init` writes gives all of its tasks back on %s",
  async (signal) => {
    const { env, statuses } = await startErrands(4);
    const slow = FIRST_WORKER.replace(
      "    signal.throwIfAborted();\n",
      '    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));\n',
    ).replace("graceMs: 10_000", "graceMs: 100");
    expect(slow).not.toContain("throwIfAborted");
    await writeFile(join(scratch, "slow-worker.ts"), slow);
    const worker = start("slow-worker.ts", env);
    await until(async () => (await statuses()).every((status) => status === "running"));
    worker.child.kill(signal);
    await finished(worker);
    expect(await statuses()).toEqual(Array.from({ length: 4 }, () => "waiting"));
    expect(worker.output.match(/given back: /g)).toHaveLength(4);
    // The unchanged worker then finishes them.
    const unchanged = start("worker.ts", env);
    await until(async () => (await statuses()).every((status) => status === "done"));
    unchanged.child.kill(signal);
    await finished(unchanged);
  },
);

test("the program of the page compiles, and finishes a task together with its own row", async () => {
  const [, app = ""] = /^```ts\n\/\/ app\.ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  await writeFile(join(scratch, "app.ts"), app);
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--skipLibCheck"];
  const extensions = ["--allowImportingTsExtensions", "--types", "node"];
  await finished(run(["node_modules/.bin/tsc", ...options, ...extensions, "app.ts", "worker.ts"]));

  const program = start("app.ts", { DATABASE_URL: database.url });
  await until(() => program.output.includes("done: Send order 7"));
  const pool = new pg.Pool({ connectionString: database.url });
  onTestFinished(() => pool.end());
  expect((await pool.query("select id, sent from customer_order")).rows).toEqual([{ id: 7, sent: true }]);
  const { rows } = await pool.query("select status from pawl.task where title = 'Send order 7'");
  expect(rows).toEqual([{ status: "done" }]);
  program.child.kill("SIGTERM");
  await finished(program);
});
