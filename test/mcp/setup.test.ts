import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { cp, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { folderWith, pawl } from "../cli/pawl-process.ts";
import { emptyDatabase, scratchData, startPawl } from "../http/running-pawl.ts";
import { BUILT_PAWL, ROOT } from "../support/built-pawl.ts";

const until = afterAll;
const data = await scratchData({ until });
const env = { DATABASE_URL: await emptyDatabase({ until }) };
const server = await startPawl(["--port", "0", "--data", data], { env, until });
const admin = (await readFile(join(data, "admin-token"), "utf8")).trim();

type Entry = { command: string; args: string[]; url: string; headers: Record<string, string> };

async function setUp(cwd: string, ...args: string[]) {
  return pawl(["setup", ...args, "--data", data], { cwd });
}

const text = (cwd: string, path: string) => readFile(join(cwd, path), "utf8");

async function entryIn(cwd: string, path: string): Promise<Entry> {
  const { mcpServers } = JSON.parse(await text(cwd, path)) as { mcpServers: { pawl: Entry } };
  return mcpServers.pawl;
}

async function toolsBy(transport: Transport): Promise<string[]> {
  const client = new Client({ name: "test", version: "0" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name);
}

test("setup of claude writes the client's configuration, and changes nothing when run again", async () => {
  const cwd = await folderWith({
    ".mcp.json": JSON.stringify({ mcpServers: { other: { command: "other" } }, more: 1 }),
    "AGENTS.md": "# House rules\n\nKnock first.\n",
  });
  const first = await setUp(cwd, "claude", "--write");
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain("Member claude: added.");
  expect(first.stdout).toContain("Token: created, stored in ");
  expect(JSON.parse(await text(cwd, ".mcp.json"))).toMatchObject({
    mcpServers: { other: { command: "other" }, pawl: { command: process.execPath } },
    more: 1,
  });
  const guide = await text(cwd, "AGENTS.md");
  expect(guide).toMatch(/^# House rules\n\nKnock first\.\n\n<!-- pawl:begin -->\n## Tasks\n/);
  const config = await text(cwd, ".mcp.json");
  const token = (await readFile(join(data, "agents/claude.token"), "utf8")).trim();
  expect(config).not.toContain(token);
  expect((await stat(join(data, "agents/claude.token"))).mode & 0o777).toBe(0o600);

  const second = await setUp(cwd, "claude", "--write");
  expect(second.stdout).toContain("Member claude: already exists.");
  expect(second.stdout).toContain("Token: stored in ");
  expect([await text(cwd, ".mcp.json"), await text(cwd, "AGENTS.md")]).toEqual([config, guide]);
  expect((await readFile(join(data, "agents/claude.token"), "utf8")).trim()).toBe(token);

  // The project has no pawl of its own, so the configuration names this installation.
  const { command, args } = await entryIn(cwd, ".mcp.json");
  expect([command, ...args]).toEqual([
    process.execPath,
    ...BUILT_PAWL,
    "mcp",
    "--as",
    "claude",
    "--data",
    data,
  ]);
  expect(await toolsBy(new StdioClientTransport({ command, args, cwd: "/" }))).toHaveLength(7);
});

test("the configuration of a project with pawl as a dependency still works after the project was moved", async () => {
  const cwd = await folderWith({ "package.json": "{}" });
  await mkdir(join(cwd, "node_modules/.bin"), { recursive: true });
  await symlink(ROOT, join(cwd, "node_modules/pawl"), "junction");
  await symlink("../pawl/dist/main/bin.js", join(cwd, "node_modules/.bin/pawl"));
  const inside = join(cwd, "data");
  await mkdir(inside);
  await Promise.all(["address", "admin-token"].map((name) => cp(join(data, name), join(inside, name))));
  const written = await pawl(["setup", "cursor", "--member", "mover", "--data", "data", "--write"], { cwd });
  expect(written).toMatchObject({ code: 0, stderr: "" });
  const { command, args } = await entryIn(cwd, ".cursor/mcp.json");
  expect([command, ...args]).toEqual(["npx", "--no", "pawl", "mcp", "--as", "mover", "--data", "data"]);
  const moved = join(cwd, "../", `${basename(cwd)}-moved`);
  await rename(cwd, moved);
  onTestFinished(() => rename(moved, cwd));
  expect(await toolsBy(new StdioClientTransport({ command, args, cwd: moved }))).toHaveLength(7);
});

test("an outdated section is updated in place", async () => {
  const cwd = await folderWith({
    "AGENTS.md": "Before\n<!-- pawl:begin -->\nold words\n<!-- pawl:end -->\nAfter\n",
  });
  await setUp(cwd, "cursor", "--write");
  const guide = await text(cwd, "AGENTS.md");
  expect(guide).toMatch(/^Before\n<!-- pawl:begin -->\n## Tasks\n[^]*<!-- pawl:end -->\nAfter\n$/);
  expect(guide).not.toContain("old words");
  expect(await entryIn(cwd, ".cursor/mcp.json")).toMatchObject({ command: process.execPath });
});

test("codex gets one section in TOML", async () => {
  const cwd = await folderWith({});
  await setUp(cwd, "codex", "--write");
  const config = await text(cwd, ".codex/config.toml");
  const start = ["# pawl:begin", "[mcp_servers.pawl]", `command = "${process.execPath}"`, "args = ["].join(
    "\n",
  );
  expect(config.slice(0, start.length)).toBe(start);
  await writeFile(join(cwd, ".codex/config.toml"), `model = "x"\n\n${config}`);
  await setUp(cwd, "codex", "--write");
  expect(await text(cwd, ".codex/config.toml")).toBe(`model = "x"\n\n${config}`);
});

test.each([[[]], [["--http"]], [["--print"]], [["--json"]]])(
  "without --write, setup with %j changes nothing, and prints what it would do",
  async (flags) => {
    const cwd = await folderWith({ "AGENTS.md": "# House rules\n" });
    const state = async () => ({
      files: [await readdir(cwd), await readdir(data, { recursive: true }), await text(cwd, "AGENTS.md")],
      members: (await server.ask("GET /api/members", admin)).body,
    });
    const before = await state();
    const { code, stdout, stderr } = await setUp(cwd, "claude", "--member", "planned", ...flags);
    expect([code, stderr]).toEqual([0, ""]);
    expect(await state()).toEqual(before);
    if (flags[0] === "--json") {
      expect(JSON.parse(stdout)).toMatchObject({
        member: { id: "planned", state: "not added" },
        token: { state: "not created" },
        files: [
          { path: ".mcp.json", state: "not written" },
          { path: "AGENTS.md", state: "not written" },
        ],
      });
      return;
    }
    expect(stdout).toContain("Member planned: would be added.\nToken: would be created and stored in ");
    expect(stdout).toContain("\n.mcp.json would contain:\n\n{");
    expect(stdout).toMatch(/\nNothing was changed\. Add --write to do it.*\n$/);
    if (flags[0] === "--http") expect(stdout).toContain("Bearer <the token of planned>");
  },
);

test("the written HTTP configuration works", async () => {
  const cwd = await folderWith({});
  expect(await setUp(cwd, "generic", "--http", "--write")).toMatchObject({ code: 0, stderr: "" });
  const { url, headers } = await entryIn(cwd, "mcp.json");
  expect(url).toBe(`${server.address}/mcp`);
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  expect(await toolsBy(transport as Transport)).toHaveLength(7);
});

test("an invalid stored token is replaced", async () => {
  const cwd = await folderWith({});
  await setUp(cwd, "generic", "--member", "gamma", "--write");
  const path = join(data, "agents/gamma.token");
  const before = await readFile(path, "utf8");
  await writeFile(path, "of-somebody-else\n");
  const again = await setUp(cwd, "generic", "--member", "gamma", "--write");
  expect(again.stdout).toContain("Token: created, stored");
  expect(await readFile(path, "utf8")).not.toBe(before);
  const { body } = await server.ask("GET /api/members/gamma", admin);
  expect(body).toMatchObject({ kind: "agent", roles: ["agent"] });
});

test.each([
  [".mcp.json", "{ no json", "it is not JSON"],
  [".mcp.json", "[]", "it must contain an object"],
  [".mcp.json", '{"mcpServers": []}', "its mcpServers must be an object"],
])("a %s that contains %s is not changed, and no member is created", async (path, held, why) => {
  const cwd = await folderWith({ [path]: held });
  const { code, stderr } = await setUp(cwd, "claude", "--member", "delta", "--write");
  expect(code).toBe(1);
  expect(stderr).toContain(why);
  expect(await text(cwd, path)).toBe(held);
  expect((await server.ask("GET /api/members/delta", admin)).status).toBe(404);
});

test("mcp as a member that was never set up prints how to do it", async () => {
  const { code, stderr } = await pawl(["mcp", "--as", "nobody", "--data", data]);
  expect(code).toBe(4);
  expect(stderr).toContain("pawl setup generic --member nobody --write");
});
