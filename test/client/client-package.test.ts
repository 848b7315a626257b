import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, expect, test } from "vitest";
import { startTestServer } from "../http/test-server.ts";
import { ROOT } from "../support/built-pawl.ts";

const execute = promisify(execFile);
const SHELL = { shell: process.platform === "win32" };
const server = await startTestServer();

/** The folder that the package was built in, and an app that has nothing but the package installed. */
let built: string;
let app: string;

beforeAll(async () => {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "pawl-client-")));
  [built, app] = [join(scratch, "built"), join(scratch, "app")];
  await mkdir(app);
  await execute(process.execPath, [join(ROOT, "scripts/build-client.js"), built]);
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", scratch];
  const { stdout } = await execute("npm", pack, { cwd: built, ...SHELL });
  const [tarball] = /pawl-client-[\d.]+\.tgz/.exec(stdout) ?? [];
  await writeFile(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  // Without a registry: the package needs no other.
  await execute("npm", ["install", "--offline", "--no-audit", "--no-fund", join(scratch, String(tarball))], {
    cwd: app,
    ...SHELL,
  });
  return () => rm(scratch, { recursive: true, force: true });
});

async function runInApp(code: string, env: Record<string, string> = {}): Promise<string> {
  const args = ["--input-type=module", "-e", code];
  const { stdout } = await execute(process.execPath, args, { cwd: app, env: { ...process.env, ...env } });
  return stdout;
}

test("the package installs no other package", async () => {
  const installed = await readdir(join(app, "node_modules"));
  expect(installed.filter((name) => !name.startsWith("."))).toEqual(["pawl-client"]);
});

test("its version is that of Pawl", async () => {
  const [own, pawl] = await Promise.all(
    [built, ROOT].map((folder) => readFile(join(folder, "package.json"), "utf8")),
  );
  const versionOf = (text = "{}") => (JSON.parse(text) as { version: string }).version;
  expect(versionOf(own)).toBe(versionOf(pawl));
});

test("a client and a worker of the package do a task of a real server", async () => {
  const token = await server.member({ id: "robot", roles: ["worker", "admin"] });
  const output = await runInApp(
    `
    import { createClient, PawlProblem } from "pawl-client";
    import { startWorker } from "pawl-client/worker";
    const client = createClient({ url: process.env.PAWL_URL, token: process.env.PAWL_TOKEN });
    const tasks = client.lifecycle("code");
    const { id } = await tasks.create({ title: "Write it" });
    const refused = await tasks.act(id, "complete", { payload: { commit: "abc" } }).catch((error) => error);
    console.log(refused instanceof PawlProblem, refused.code);
    const worker = startWorker({
      client,
      lifecycle: { name: "code" },
      failed: () => null,
      run: async (task, { act }) => {
        await act("start", { payload: { worktree: "/w", branch: "pawl/1" } });
        return { action: "complete", payload: { commit: "abc" } };
      },
      onEvent: ({ kind, task }) => {
        if (kind === "finished" || kind === "failed" || kind === "lost") {
          console.log(kind, task.id === id, task.status);
          void worker.stop();
        }
      },
    });
    await worker.finished;
    for await (const event of client.events({ after: 0 })) if (event.to_status === "completed") break;
    console.log((await tasks.get(id)).status);`,
    { PAWL_URL: server.url, PAWL_TOKEN: token },
  );
  expect(output.split("\n")).toEqual([
    expect.stringMatching(/^true [A-Z_]+$/),
    "finished true completed",
    "completed",
    "",
  ]);
});

test.each(["pawl-client", "pawl-client/react"])("%s can be bundled for a browser", async (entry) => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "${entry}";`, resolveDir: app },
    bundle: true,
    // Fails if a module needs Node.
    platform: "browser",
    format: "esm",
    external: ["react"],
    write: false,
  });
  expect(outputFiles[0]?.text).toContain("PawlProblem");
});

const TYPED = `
import { createClient } from "pawl-client";
import type { SomeLifecycle, TaskOf } from "pawl-client";
import { startWorker } from "pawl-client/worker";

const client = createClient({ url: "http://127.0.0.1:4747" });
export async function titles(): Promise<string[]> {
  const { tasks } = await client.listTasks({ status: ["ready"], limit: 5 });
  // @ts-expect-error the version is a number
  const version: string = tasks[0]?.row_version;
  // @ts-expect-error there is no such call
  await client.listTask();
  // @ts-expect-error the id is missing
  await client.getTask({});
  return [version, ...tasks.map((task: TaskOf) => task.title)];
}
const code: SomeLifecycle = { name: "code" };
export const worker = startWorker({
  client,
  lifecycle: code,
  failed: () => null,
  run: (task) => Promise.resolve({ action: "complete", comment: task.title }),
});
`;

test("it has complete types without zod", async () => {
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", module: "nodenext", types: [] };
  await writeFile(join(app, "typed.ts"), TYPED);
  await writeFile(
    join(app, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, lib: ["es2022", "dom"] }, files: ["typed.ts"] }),
  );
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const { stdout } = await execute(process.execPath, [tsc, "-p", app]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe("");
});

test("it names the licenses of what it includes", async () => {
  const licenses = await readFile(join(built, "dist/LICENSES.txt"), "utf8");
  expect(licenses).toMatch(/^eventsource-parser [\d.]+\n[^]*\nzod [\d.]+\n/);
});

test("publint reports nothing about it", async () => {
  const { messages, pkg } = await publint({ pkgDir: built, strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});
