import { setMaxListeners } from "node:events";
import { McpServer } from "@modelcontextprotocol/server";
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PawlProblem } from "../client/index.ts";
import { MAX_NAME_LENGTH, shorten, shownErrors } from "../core/index.ts";
import type { Client } from "../client/index.ts";
import { adviseOnRefusal } from "./refusal-advice.ts";
import { fieldsOf } from "./compact-schema.ts";
import { createToolContext } from "./tool-context.ts";
import type { Task } from "./tool-context.ts";
import type { RecentClaims } from "./recent-claims.ts";
import type { KnownLifecycles, ToolReply, Tool } from "./tool.ts";
import { TOOLS } from "./tools/index.ts";

export type McpOptions = {
  /** A client with the caller's token. */
  client: Client;
  claims: RecentClaims<Task>;
  version: string;
  now?: () => number;
};

const INSTRUCTIONS =
  "Pawl manages tasks that you share with others. Take one with claim_task, do the work, then complete it with act. Every reply names the next step; a refusal says what to do instead.";

/** Builds the MCP server with its tools; the caller connects it to a transport. */
export function buildMcpServer({ client, claims, version, now = Date.now }: McpOptions): McpServer {
  const mcp = new McpServer(
    { name: "pawl", title: "Pawl", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  // Handlers instead of `registerTool`: descriptions list the current lifecycles, and errors in arguments have messages
  // that help an agent to correct them.
  mcp.server.setRequestHandler("tools/list", async (_, { mcpReq: { signal } }) => {
    allowManyListeners(signal);
    const known = await loadLifecycles(client, signal);
    return { tools: TOOLS.map((tool) => listedTool(tool, known)) };
  });
  mcp.server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal } }) => {
    allowManyListeners(signal);
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (!tool) return resultOf(unknownTool(params.name));
    const given = tool.input.safeParse(params.arguments ?? {});
    if (!given.success) return resultOf(wrongArguments(tool, given.error));
    const context = createToolContext({ client, claims, signal, now });
    const reply = await tool.run(context, given.data).catch((error: unknown) => {
      const { task_id, action } = given.data as { task_id?: string; action?: string };
      return adviseOnRefusal(context, error, { tool: tool.name, task_id, action });
    });
    return resultOf(reply);
  });
  return mcp;
}

/** One tool call makes many concurrent requests; without this, Node would report their listeners as a leak. */
export function allowManyListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}

function listedTool(tool: Tool, known: KnownLifecycles): ListedTool {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: "input" });
  return {
    name: tool.name,
    description: tool.describe(known),
    inputSchema: schema as ListedTool["inputSchema"],
    annotations: { title: tool.title, readOnlyHint: tool.reads ?? false, openWorldHint: false },
  };
}

/** Returns nothing if the server cannot be reached: the tools are still listed, and their calls report the error. */
async function loadLifecycles(client: Client, signal: AbortSignal): Promise<KnownLifecycles> {
  try {
    const { lifecycles: briefs } = await client.listLifecycles(undefined, { signal });
    const descriptions = await Promise.all(
      briefs.map(({ name }) => client.describeLifecycle({ name }, { signal })),
    );
    return { briefs, descriptions };
  } catch (error) {
    if (error instanceof PawlProblem) return { briefs: [], descriptions: [] };
    throw error;
  }
}

function resultOf({ text, data, refused }: ToolReply): CallToolResult {
  return {
    content: [{ type: "text", text }],
    ...(data ? { structuredContent: data } : {}),
    ...(refused ? { isError: true } : {}),
  };
}

function unknownTool(name: string): ToolReply {
  return {
    text: `There is no tool "${shorten(name, MAX_NAME_LENGTH)}". Tools: ${TOOLS.map((tool) => tool.name).join(", ")}.`,
    refused: true,
  };
}

function wrongArguments({ name, input }: Tool, { issues }: z.ZodError): ToolReply {
  const errors = shownErrors(issues.map(({ path, message }) => ({ path: path.join("."), message })));
  const wrong = errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const fields = fieldsOf(z.toJSONSchema(input, { io: "input" }));
  return {
    text: `VALIDATION_ERROR: ${wrong.join("; ")}. ${name} takes: ${fields}. Correct that and call ${name} again.`,
    data: { code: "VALIDATION_ERROR", errors },
    refused: true,
  };
}
