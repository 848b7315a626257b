import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../support/until.ts";
import { startCodeServer } from "./code-server.ts";
import type { CodeTask } from "./code-server.ts";
import { createTestRepository } from "./test-repository.ts";

Object.assign(process.env, {
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
});

const NOBODY = 65_534;
const server = await startCodeServer();
const whenCompleted = ({ id }: CodeTask) =>
  until(async () => (await server.getTask(id)).status === "completed");
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe("the files of an agent", () => {
  test("are private, in a folder with an unpredictable name, and removed when it ends", async () => {
    const { add, agent, work, note, folder } = await createTestRepository(server);
    const task = await add("Write two");
    // Version 0.1.0 used this path: it would have written text of the task through the link.
    const guessed = join(tmpdir(), `pawl-agent-${process.pid}-${task.id}`);
    onTestFinished(() => rm(guessed, { recursive: true, force: true }));
    await mkdir(guessed, { mode: 0o777 });
    await writeFile(join(folder, "victim"), "untouched");
    await symlink(join(folder, "victim"), join(guessed, "prompt.md"));
    await work({
      agent: await agent(`
        dir=$(dirname "$PAWL_PROMPT_FILE"); echo "$dir" > "$NOTES/dir"
        stat -c %a "$dir" "$(dirname "$dir")" "$PAWL_PROMPT_FILE" "$PAWL_MCP_CONFIG" > "$NOTES/modes"
        grep -c "$PAWL_TOKEN" "$PAWL_MCP_CONFIG" >> "$NOTES/modes"
        echo two > two`),
    });
    await whenCompleted(task);
    expect(await readFile(join(folder, "victim"), "utf8")).toBe("untouched");
    expect((await note("modes")).trim().split("\n")).toEqual(["700", "700", "600", "600", "1"]);
    const agentFolder = (await note("dir")).trim();
    expect(agentFolder.startsWith(join(folder, "shop.pawl", "agents"))).toBe(true);
    await expect(stat(agentFolder)).rejects.toThrow(/ENOENT/);
  });

  test("are removed by the next worker on the machine if their own worker was killed, and only then", async () => {
    const { add, agent, work, folder } = await createTestRepository(server);
    const agents = join(folder, "shop.pawl", "agents");
    const child = spawn("sleep", ["600"]);
    onTestFinished(() => void child.kill());
    const ended = spawn("true");
    await once(ended, "exit");
    const names = {
      killed: `${hostname()}.${ended.pid}.abcdef`,
      running: `${hostname()}.${child.pid}.abcdef`,
      elsewhere: `another-host.${ended.pid}.abcdef`,
    };
    for (const name of Object.values(names)) {
      await mkdir(join(agents, name), { recursive: true });
      await writeFile(join(agents, name, "mcp.json"), "a token");
    }
    const outside = join(folder, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "kept"), "mine");
    await symlink(outside, join(agents, names.killed, "link"));
    const task = await add("Write two");
    await work({ agent: await agent("echo two > two") });
    await whenCompleted(task);
    await until(async () => !(await readdir(agents)).includes(names.killed));
    expect((await readdir(agents)).sort()).toEqual([names.elsewhere, names.running].sort());
    expect(await readdir(outside)).toEqual(["kept"]);
  });
});

describe("the folder of the worktrees", () => {
  test("lets no other user in, even if an earlier version left it open", async () => {
    const { add, agent, work, folder } = await createTestRepository(server);
    const place = join(folder, "shop.pawl");
    await mkdir(join(place, "logs"), { recursive: true, mode: 0o755 });
    const task = await add("Write two");
    const worker = await work({ agent: await agent("echo hello; echo two > two") });
    await whenCompleted(task);
    await worker.stop();
    for (const name of ["worktrees", "logs", "agents"]) expect(await modeOf(join(place, name))).toBe("700");
    const [log] = await readdir(join(place, "logs"));
    expect(await modeOf(join(place, "logs", log!))).toBe("600");
  });

  test("is refused if it is a link or open to everyone", async () => {
    const { folder, open } = await createTestRepository(server);
    const place = join(folder, "shop.pawl");
    await mkdir(join(folder, "elsewhere"));
    await mkdir(place);
    await symlink(join(folder, "elsewhere"), join(place, "worktrees"));
    await expect(open()).rejects.toThrow(/cannot be kept in .*shop\.pawl.*--worktrees/);
    await rm(place, { recursive: true });
    await mkdir(place);
    await chmod(place, 0o777);
    await expect(open()).rejects.toThrow(/everyone can write to it/);
  });

  test.runIf(process.getuid?.() === 0)("is refused if it belongs to another user", async () => {
    const { folder, open } = await createTestRepository(server);
    const place = join(folder, "shop.pawl");
    await mkdir(join(place, "worktrees"), { recursive: true });
    await chown(join(place, "worktrees"), NOBODY, NOBODY);
    await expect(open()).rejects.toThrow(/belongs to another user/);
    await chown(place, NOBODY, NOBODY);
    await expect(open()).rejects.toThrow(/belongs to another user/);
  });
});
