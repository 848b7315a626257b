import { spawn } from "node:child_process";
import { once } from "node:events";
import picocolors from "picocolors";
import { expect, test, vi } from "vitest";
import { widthOf } from "../../src/cli/display-width.ts";
import type { CliEnvironment } from "../../src/cli/cli-environment.ts";
import { watchTasks } from "../../src/cli/watch-tasks.ts";
import { openCliAtServer } from "./cli-at-server.ts";
import { firstLineOf } from "./pawl-process.ts";
import { BUILT_PAWL } from "../support/built-pawl.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { toTerminal } from "../../src/cli/terminal-text.ts";

const at = await openCliAtServer();

test("in a pipe every event is a line, from the requested position, as text or JSON", async () => {
  const id = await at.task("To be watched");
  expect((await at.cli(["tasks", "act", id, "comment", "-m", "hm"])).code).toBe(0);
  const { code, stdout } = await at.cli("watch --after 0 --count 2");
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(`^\\S+Z ${id} board create NEW by admin\n\\S+Z ${id} board comment NEW by admin\n$`),
  );
  const lines = (await at.cli("tasks watch --after 0 --count 2 --json")).stdout.trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { position: number }).position)).toEqual([1, 2]);
});

test.skipIf(process.platform === "win32")(
  "events are printed as they happen, until Ctrl-C, which exits with 0",
  async () => {
    const program = [...BUILT_PAWL, "watch"];
    const env = { PATH: process.env.PATH, PAWL_URL: at.server.address, PAWL_TOKEN: at.admin };
    const child = spawn(process.execPath, program, { env, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
    const closed = once(child, "close");
    await vi.waitFor(
      async () => {
        await at.task("Something new");
        expect(printed).toMatch(/board create NEW by admin\n/);
      },
      { timeout: WAIT_LIMIT_MS, interval: 500 },
    );
    child.kill("SIGINT");
    expect((await closed)[0]).toBe(0);
  },
);

test.skipIf(process.platform === "win32").each([
  ["--after", "0"],
  ["--after", "0", "--json"],
])("`pawl watch %s %s | head -1` ends, although no further event comes", async (...args) => {
  await at.task("The first line");
  const env = { PAWL_URL: at.server.address, PAWL_TOKEN: at.admin };
  const { code, stdout, stderr } = await firstLineOf([...BUILT_PAWL, "watch", ...args], env);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n")).toHaveLength(2);
});

test("pawl watch ends after the socket that it writes to was closed", async () => {
  await at.task("The first line");
  const child = spawn(process.execPath, [...BUILT_PAWL, "watch", "--after", "0"], {
    env: { PATH: process.env.PATH, PAWL_URL: at.server.address, PAWL_TOKEN: at.admin },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.stdout.once("data", () => child.stdout.destroy());
  expect([(await once(child, "close"))[0], errors]).toEqual([0, ""]);
});

test("in a terminal the view is redrawn, the screen is restored, and no line is too long", async () => {
  const columns = 80;
  const drawn: string[] = [];
  const out = {
    write: (text: string) => drawn.push(toTerminal(text)),
    colours: picocolors.createColors(false),
    columns,
    rows: 12,
    untilClosed: () => new Promise<void>(() => undefined),
    ignoreWriteErrors: () => undefined,
  };
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const watching = watchTasks(
    {
      version: "0.0.0",
      out,
      err: out,
      now: Date.now,
      untilStopped: () => stopped,
      findServer: () =>
        Promise.resolve({
          url: at.server.address,
          urlFrom: "PAWL_URL",
          token: at.admin,
          tokenFrom: "PAWL_TOKEN",
        }),
    } as unknown as CliEnvironment,
    { lifecycle: "board" },
  );
  await expect.poll(() => drawn.at(-1)).toContain("live");
  const title = "A task with a title that is far too long to fit in one line of a terminal of 80 columns";
  const id = await at.task(title);
  await vi.waitFor(
    () => {
      expect(drawn.at(-1)).toContain("A task with a title");
      expect(drawn.at(-1)).toContain("admin create NEW");
    },
    { timeout: WAIT_LIMIT_MS },
  );
  await at.cli(["tasks", "act", id, "cancel", "-m", "enough"]);
  await vi.waitFor(
    () => {
      expect(drawn.at(-1)).toContain("admin cancel NEW → CANCELLED");
    },
    { timeout: WAIT_LIMIT_MS },
  );
  stop();
  expect(await watching).toBe(0);
  expect(drawn[0]).toBe("\u001b[?1049h\u001b[?25l");
  expect(drawn.at(-1)).toBe("\u001b[?25h\u001b[?1049l");
  const frames = drawn.slice(1, -1).map((frame) => frame.replaceAll(/\u001b\[\w/g, "").split("\n"));
  for (const lines of frames) {
    expect(lines.length).toBeLessThan(12);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  }
});

test("without a server, watch reports an error instead of waiting forever", async () => {
  const { code, stderr } = await at.cli("watch", { env: { PAWL_URL: "http://127.0.0.1:2" } });
  expect(code).toBe(5);
  expect(stderr).toContain("No server answers at http://127.0.0.1:2");
});
