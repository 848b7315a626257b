import { setMaxListeners } from "node:events";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { PawlProblem } from "../client/index.ts";
import { MAX_NAME_LENGTH, shorten, shownErrors } from "../core/index.ts";
import type { Client } from "../client/index.ts";
import { advise } from "./advise.ts";
import { fieldsOf } from "./compact-schema.ts";
import { openDesk } from "./desk.ts";
import type { Task } from "./desk.ts";
import type { RecentClaims } from "./recent-claims.ts";
import type { Known, Told, Tool } from "./tool.ts";
import { TOOLS } from "./tools/index.ts";

export type McpOptions = {
  /** The caller's own, with his token. */
  client: Client;
  claims: RecentClaims<Task>;
  version: string;
  now?: () => number;
};

const INSTRUCTIONS =
  "Pawl holds tasks that you share with others. Take one with claim_task, do the work, then act to complete it; every answer names the next step. Refusals say what to do instead.";

/** The tools, to be connected to a transport. */
export function buildMcpServer({ client, claims, version, now = Date.now }: McpOptions): McpServer {
  const mcp = new McpServer(
    { name: "pawl", title: "Pawl", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  // By hand, and not by `registerTool`: descriptions name the lifecycles there are at the moment, and what is wrong with
  // an argument is said in words that an agent can mend it by.
  mcp.server.setRequestHandler(ListToolsRequestSchema, async (_, { signal }) => {
    heardByMany(signal);
    const known = await lifecyclesAt(client, signal);
    return { tools: TOOLS.map((tool) => listedTool(tool, known)) };
  });
  mcp.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    heardByMany(signal);
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (!tool) return resultOf(noSuchTool(params.name));
    const given = tool.input.safeParse(params.arguments ?? {});
    if (!given.success) return resultOf(wrongArguments(tool, given.error));
    const desk = openDesk({ client, claims, signal, now });
    const told = await tool.run(desk, given.data).catch((error: unknown) => {
      const { task_id, action } = given.data as { task_id?: string; action?: string };
      return advise(desk, error, { tool: tool.name, task_id, action });
    });
    return resultOf(told);
  });
  return mcp;
}

/** One call to a tool is many to the server, some of them at once: Node would take the listeners for a leak. */
export function heardByMany(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}

function listedTool(tool: Tool, known: Known): ListedTool {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: "input" });
  return {
    name: tool.name,
    description: tool.describe(known),
    inputSchema: schema as ListedTool["inputSchema"],
    annotations: { title: tool.title, readOnlyHint: tool.reads ?? false, openWorldHint: false },
  };
}

/** A server that cannot be reached still has tools: the calls will say what is the matter. */
async function lifecyclesAt(client: Client, signal: AbortSignal): Promise<Known> {
  try {
    const { lifecycles: briefs } = await client.listLifecycles(undefined, { signal });
    const told = await Promise.all(briefs.map(({ name }) => client.describeLifecycle({ name }, { signal })));
    return { briefs, told };
  } catch (error) {
    if (error instanceof PawlProblem) return { briefs: [], told: [] };
    throw error;
  }
}

function resultOf({ text, data, refused }: Told): CallToolResult {
  return {
    content: [{ type: "text", text }],
    ...(data ? { structuredContent: data } : {}),
    ...(refused ? { isError: true } : {}),
  };
}

function noSuchTool(name: string): Told {
  return {
    text: `There is no tool "${shorten(name, MAX_NAME_LENGTH)}". There are ${TOOLS.map((tool) => tool.name).join(", ")}.`,
    refused: true,
  };
}

function wrongArguments({ name, input }: Tool, { issues }: z.ZodError): Told {
  const errors = shownErrors(issues.map(({ path, message }) => ({ path: path.join("."), message })));
  const wrong = errors.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const fields = fieldsOf(z.toJSONSchema(input, { io: "input" }));
  return {
    text: `VALIDATION_ERROR: ${wrong.join("; ")}. ${name} takes: ${fields}. Mend that and call ${name} again.`,
    data: { code: "VALIDATION_ERROR", errors },
    refused: true,
  };
}
