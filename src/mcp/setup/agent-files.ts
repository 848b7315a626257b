import { PawlError } from "../../core/index.ts";

/** The clients that Pawl knows where to configure. */
export type AgentHost = "claude" | "cursor" | "codex" | "generic";

/** How the client reaches Pawl: by a process that it starts, or over HTTP with a token. */
export type Reach = { command: string; args: readonly string[] } | { url: string; token: string };

type Edit = (before: string | null, path: string) => string;

/** The file in which a client looks for MCP servers, and how Pawl is put into it; whatever else stands there stays. */
export const CONFIG_FILES: Readonly<Record<AgentHost, { path: string; edit: (reach: Reach) => Edit }>> = {
  claude: {
    path: ".mcp.json",
    edit: (reach) => inJson("url" in reach ? { type: "http", ...overHttp(reach) } : reach),
  },
  cursor: { path: ".cursor/mcp.json", edit: (reach) => inJson("url" in reach ? overHttp(reach) : reach) },
  codex: { path: ".codex/config.toml", edit: (reach) => inToml(reach) },
  generic: { path: "mcp.json", edit: (reach) => inJson("url" in reach ? overHttp(reach) : reach) },
};

/** What agents read about the project they work in. */
export function editGuide(before: string | null): string {
  return withSection(before, ["<!-- pawl:begin -->", "<!-- pawl:end -->"], GUIDE);
}

const GUIDE = `## Tasks

Work here is shared through Pawl, the MCP server \`pawl\`.

- Take work with \`claim_task\`; do not start on what you have not claimed.
- When it is done, \`act\` with \`complete\` and say in \`comment\` what you did. If you cannot go on, \`act\` with \`block\` or \`release\` and say why.
- Cut large work into pieces with \`create_tasks\`, with \`blocked_by\` where one must wait for another.
- Nothing free? \`wait_for_changes\`. Refused? The answer says what to do instead.
- A call that timed out can be sent again as it was: it is not done twice.`;

function overHttp({ url, token }: { url: string; token: string }) {
  return { url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
}

function inJson(entry: object): Edit {
  return (before, path) => {
    const config = before === null || before.trim() === "" ? {} : parsed(before, path);
    const { mcpServers = {} } = config;
    if (!isObject(mcpServers)) throw unreadable(path, "its mcpServers are no object");
    return `${JSON.stringify({ ...config, mcpServers: { ...mcpServers, pawl: entry } }, null, 2)}\n`;
  };
}

function parsed(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(path, "it is not JSON");
  }
  if (!isObject(value)) throw unreadable(path, "it holds no object");
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inToml(reach: Reach): Edit {
  const [begin, end] = ["# pawl:begin", "# pawl:end"] as const;
  // A basic string of TOML is written as one of JSON.
  const lines =
    "url" in reach
      ? [
          `url = ${JSON.stringify(`${reach.url}/mcp`)}`,
          `http_headers = { Authorization = ${JSON.stringify(`Bearer ${reach.token}`)} }`,
        ]
      : [`command = ${JSON.stringify(reach.command)}`, `args = ${JSON.stringify(reach.args)}`];
  return (before, path) => {
    const others = (before ?? "").replace(new RegExp(`${begin}\\n[^]*?${end}`), "");
    if (/^\s*\[mcp_servers\.(pawl|"pawl")\]/m.test(others))
      throw unreadable(path, "it has a section [mcp_servers.pawl] of somebody else's; remove it");
    return withSection(before, [begin, end], ["[mcp_servers.pawl]", ...lines].join("\n"));
  };
}

/** Puts a section between its marks, where it stood before or at the end. */
function withSection(before: string | null, [begin, end]: readonly [string, string], text: string): string {
  const section = `${begin}\n${text}\n${end}`;
  const [from, to] = [before?.indexOf(begin) ?? -1, before?.indexOf(end) ?? -1];
  if (before !== null && from >= 0 && to > from)
    return before.slice(0, from) + section + before.slice(to + end.length);
  const head = before === null || before.trim() === "" ? "" : `${before.trimEnd()}\n\n`;
  return `${head}${section}\n`;
}

function unreadable(path: string, why: string): PawlError {
  return new PawlError("INVALID_CONFIG", `${path} is left as it is: ${why}.`, { path });
}
