import { PawlError } from "../../core/index.ts";

/** Clients whose configuration file Pawl knows. */
export type AgentHost = "claude" | "cursor" | "codex" | "generic";

/** How the client connects to Pawl: by a process that it starts, or over HTTP with a token. */
export type Reach = { command: string; args: readonly string[] } | { url: string; token: string };

type Edit = (before: string | null, path: string) => string;

/** The file where a client lists MCP servers, and how to add Pawl to it; other entries are kept. */
export const CONFIG_FILES: Readonly<Record<AgentHost, { path: string; edit: (reach: Reach) => Edit }>> = {
  claude: {
    path: ".mcp.json",
    edit: (reach) => editJson("url" in reach ? { type: "http", ...httpEntry(reach) } : reach),
  },
  cursor: { path: ".cursor/mcp.json", edit: (reach) => editJson("url" in reach ? httpEntry(reach) : reach) },
  codex: { path: ".codex/config.toml", edit: (reach) => editToml(reach) },
  generic: { path: "mcp.json", edit: (reach) => editJson("url" in reach ? httpEntry(reach) : reach) },
};

/** Adds the section for agents to AGENTS.md. */
export function editGuide(before: string | null): string {
  return withSection(before, ["<!-- pawl:begin -->", "<!-- pawl:end -->"], GUIDE);
}

const GUIDE = `## Tasks

Work here is shared through Pawl, the MCP server \`pawl\`.

- Take work with \`claim_task\`; do not work on a task that you have not claimed.
- When it is done, \`act\` with \`complete\` and describe in \`comment\` what you did. If you cannot continue, \`act\` with \`block\` or \`release\` and give the reason.
- Split large work with \`create_tasks\`, with \`blocked_by\` where one task must wait for another.
- Nothing free? \`wait_for_changes\`. Refused? The reply explains what to do instead.
- A call that timed out can be sent again unchanged: it is not executed twice.`;

function httpEntry({ url, token }: { url: string; token: string }) {
  return { url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
}

function editJson(entry: object): Edit {
  return (before, path) => {
    const config = before === null || before.trim() === "" ? {} : parsed(before, path);
    const { mcpServers = {} } = config;
    if (!isObject(mcpServers)) throw unusableFile(path, "its mcpServers must be an object");
    return `${JSON.stringify({ ...config, mcpServers: { ...mcpServers, pawl: entry } }, null, 2)}\n`;
  };
}

function parsed(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unusableFile(path, "it is not JSON");
  }
  if (!isObject(value)) throw unusableFile(path, "it must contain an object");
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function editToml(reach: Reach): Edit {
  const [begin, end] = ["# pawl:begin", "# pawl:end"] as const;
  // A JSON string is also a valid TOML string.
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
      throw unusableFile(path, "it has its own section [mcp_servers.pawl]; remove that first");
    return withSection(before, [begin, end], ["[mcp_servers.pawl]", ...lines].join("\n"));
  };
}

/** Replaces the section between the marks, or appends it. */
function withSection(before: string | null, [begin, end]: readonly [string, string], text: string): string {
  const section = `${begin}\n${text}\n${end}`;
  const [from, to] = [before?.indexOf(begin) ?? -1, before?.indexOf(end) ?? -1];
  if (before !== null && from >= 0 && to > from)
    return before.slice(0, from) + section + before.slice(to + end.length);
  const head = before === null || before.trim() === "" ? "" : `${before.trimEnd()}\n\n`;
  return `${head}${section}\n`;
}

function unusableFile(path: string, why: string): PawlError {
  return new PawlError("INVALID_CONFIG", `${path} was not changed: ${why}.`, { path });
}
