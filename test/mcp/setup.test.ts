import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { folderWith, pawl } from "../cli/pawl-process.ts";
import { emptyDatabase, scratchData, startPawl } from "../http/running-pawl.ts";
import { BUILT_PAWL } from "../support/built-pawl.ts";

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
    mcpServers: { other: { command: "other" }, pawl: { command: "npx" } },
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

  // The arguments from the configuration, with this build instead of the package.
  const { args } = await entryIn(cwd, ".mcp.json");
  expect(args.slice(0, 2)).toEqual(["-y", "pawl"]);
  const command = { command: process.execPath, args: [...BUILT_PAWL, ...args.slice(2)], cwd };
  expect(await toolsBy(new StdioClientTransport(command))).toHaveLength(7);
});

test("an outdated section is updated in place", async () => {
  const cwd = await folderWith({
    "AGENTS.md": "Before\n<!-- pawl:begin -->\nold words\n<!-- pawl:end -->\nAfter\n",
  });
  await setUp(cwd, "cursor", "--write");
  const guide = await text(cwd, "AGENTS.md");
  expect(guide).toMatch(/^Before\n<!-- pawl:begin -->\n## Tasks\n[^]*<!-- pawl:end -->\nAfter\n$/);
  expect(guide).not.toContain("old words");
  expect(await entryIn(cwd, ".cursor/mcp.json")).toMatchObject({ command: "npx" });
});

test("codex gets one section in TOML", async () => {
  const cwd = await folderWith({});
  await setUp(cwd, "codex", "--write");
  const config = await text(cwd, ".codex/config.toml");
  expect(config).toMatch(/^# pawl:begin\n\[mcp_servers\.pawl\]\ncommand = "npx"\nargs = \["-y","pawl","mcp"/);
  await writeFile(join(cwd, ".codex/config.toml"), `model = "x"\n\n${config}`);
  await setUp(cwd, "codex", "--write");
  expect(await text(cwd, ".codex/config.toml")).toBe(`model = "x"\n\n${config}`);
});

test("without --write nothing is written, and the printed HTTP configuration works", async () => {
  const cwd = await folderWith({});
  const { code, stdout } = await setUp(cwd, "generic", "--http", "--json");
  expect(code).toBe(0);
  const { files } = JSON.parse(stdout) as { files: { path: string; text: string; state: string }[] };
  expect(files.map(({ path, state }) => [path, state])).toEqual([
    ["mcp.json", "not written"],
    ["AGENTS.md", "not written"],
  ]);
  await expect(text(cwd, "mcp.json")).rejects.toThrow("ENOENT");
  const { mcpServers } = JSON.parse(files[0]!.text) as { mcpServers: { pawl: Entry } };
  const { url, headers } = mcpServers.pawl;
  expect(url).toBe(`${server.address}/mcp`);
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  expect(await toolsBy(transport as Transport)).toHaveLength(7);
});

test("an invalid stored token is replaced", async () => {
  const cwd = await folderWith({});
  await setUp(cwd, "generic", "--member", "gamma");
  const path = join(data, "agents/gamma.token");
  const before = await readFile(path, "utf8");
  await writeFile(path, "of-somebody-else\n");
  expect((await setUp(cwd, "generic", "--member", "gamma")).stdout).toContain("Token: created, stored");
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
  expect(code).toBe(1);
  expect(stderr).toContain("pawl setup generic --member nobody");
});
