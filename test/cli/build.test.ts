import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { scratchData, startPawl } from "../http/running-pawl.ts";
import { ROOT } from "../support/built-pawl.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { configWith, EXAMPLE, folderWith, pawl } from "./pawl-process.ts";

const execute = promisify(execFile);

test("the build creates an executable that runs by itself", async () => {
  const bin = join(ROOT, "dist/main/bin.js");
  if (process.platform !== "win32") {
    expect((await stat(bin)).mode & 0o111).toBe(0o111);
    expect((await execute(bin, ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+/);
  }
  expect(await pawl(["check"])).toMatchObject({ code: 0, stderr: "" });
});

test("the built command line loads a user's configuration with its own modules", async () => {
  const cwd = await folderWith({ "pawl.config.ts": configWith() });
  const { code, stdout, stderr } = await pawl(["check", "letters"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("1 lifecycle checked (1 of pawl.config.ts): no findings.");
  expect(await pawl(["check", "support-ticket"], { cwd: EXAMPLE })).toMatchObject({
    code: 0,
  });
});

test("the built command line reports a mistake in a definition with its location", async () => {
  const cwd = await folderWith({ "pawl.config.ts": configWith({ name: 'name: "Letters!",' }) });
  const { code, stderr } = await pawl(["check"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'pawl: Lifecycle "Letters!" (pawl.config.ts:5): the name "Letters!" must be kebab-case.\n  Fix the definition.\n',
  );
});

test("the built server plays the demo of every lifecycle", async () => {
  const env = { PAWL_ADMIN_TOKEN: "an-admin-of-the-test", PAWL_DEMO_PACE: "10" };
  const running = await startPawl(["--port", "0", "--data", await scratchData(), "--demo"], { env });
  const token = (await running.ask("POST /api/demo", env.PAWL_ADMIN_TOKEN)).body.token as string;
  await expect
    .poll(
      async () => {
        const { body } = await running.ask("GET /api/overview", token);
        const figures = body.lifecycles as { name: string; open: number }[];
        return figures.filter(({ open }) => open > 0).map(({ name }) => name);
      },
      { timeout: 2 * WAIT_LIMIT_MS },
    )
    .toEqual(expect.arrayContaining(["board", "planner", "delivery", "code"]));
  expect(await running.stop()).toBe(0);
});

test("npm start runs the build and passes its arguments on", async () => {
  const program = [join(ROOT, "scripts/start.js")];
  const running = await startPawl(["--port", "0", "--data", await scratchData()], { program });
  expect((await running.ask("GET /ready", null)).status).toBe(200);
  expect((await running.ask("GET /docs", null)).status).toBe(200);
  expect(await running.stop()).toBe(0);
});
