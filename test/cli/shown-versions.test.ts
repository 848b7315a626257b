import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { BUILT_PAWL } from "../support/built-pawl.ts";
import { openCliAtServer } from "./cli-at-server.ts";

const { cli, ask, server, admin, task } = await openCliAtServer();
const state = await mkdtemp(join(tmpdir(), "pawl-state-"));
afterAll(() => rm(state, { recursive: true }));
const env = { PAWL_URL: server.address, PAWL_TOKEN: admin, XDG_STATE_HOME: state };
const file = join(state, "pawl", "shown-versions.json");

/** Runs a command in a terminal of its own, which the `script` of util-linux provides. */
async function inTerminal(...args: string[]): Promise<{ code: number | null; text: string }> {
  const line = [process.execPath, ...BUILT_PAWL, ...args].map((part) => `'${part}'`).join(" ");
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    env: { PATH: process.env.PATH, TERM: "xterm", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return { code, text: stripVTControlCharacters(text) };
}

const edit = (id: string) => ["tasks", "act", id, "edit", "title=Another", "-m", "typo"];
const hasScript = String(spawnSync("script", ["--version"]).stdout).includes("util-linux");

describe.skipIf(!hasScript)("in a terminal", () => {
  test("an action is refused if the task has changed since it was shown, until it is shown again", async () => {
    const id = await task("A title");
    expect((await inTerminal("tasks", "show", id)).text).toContain("version 1");
    await ask(edit(id));
    const claim = ["tasks", "act", id, "claim", "-m", "on it"];
    const refused = await inTerminal(...claim);
    expect([refused.code, refused.text]).toEqual([3, expect.stringContaining("--expect any")]);
    expect((await inTerminal("tasks", "list")).text).toContain("Another");
    expect((await inTerminal(...claim)).code).toBe(0);
    expect((await inTerminal("tasks", "act", id, "release", "-m", "later")).code).toBe(0);
  });

  test("an action on any version is performed, and so is one on a task that was never shown", async () => {
    const id = await task("A title");
    expect((await inTerminal("why", id, "claim")).code).toBe(0);
    await ask(edit(id));
    expect((await inTerminal("tasks", "act", id, "claim", "-m", "on it", "--expect", "any")).code).toBe(0);
    expect((await inTerminal("tasks", "act", await task("Never shown"), "claim", "-m", "on it")).code).toBe(
      0,
    );
  });

  test("a damaged file counts as empty and is replaced", async () => {
    const id = await task("A title");
    await writeFile(file, "{");
    expect((await inTerminal("tasks", "act", id, "claim", "-m", "on it")).code).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ [`${server.address} ${id}`]: 2 });
  });
});

test("outside a terminal no version is kept, and none is compared", async () => {
  const id = await task("A title");
  const before = await readFile(file, "utf8").catch(() => null);
  expect((await cli(["tasks", "show", id], { env })).code).toBe(0);
  await ask(edit(id));
  expect((await cli(["tasks", "act", id, "claim", "-m", "on it"], { env })).code).toBe(0);
  expect(await readFile(file, "utf8").catch(() => null)).toBe(before);
});
