import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, onTestFinished } from "vitest";
import { answerMcp } from "../../src/mcp/index.ts";
import { BUILT_PAWL } from "../support/built-pawl.ts";
import { startTestServer } from "../http/test-server.ts";
import type { TestServer } from "../http/test-server.ts";

/** The reply of a tool. */
export type ToolReply = { text: string; refused: boolean; data: Record<string, unknown> };

export type Agent = {
  client: Client;
  call(tool: string, given?: Record<string, unknown>): Promise<ToolReply>;
  close(): Promise<void>;
};

type Target = { url: string; token: string };

type Until = (end: () => Promise<void>) => void;

export type AgentTransport = "stdio" | "http";
export const TRANSPORTS: readonly AgentTransport[] = ["stdio", "http"];

/** Connects an agent to the server with the SDK's client. */
export async function connectAgent(
  kind: AgentTransport,
  { url, token }: Target,
  until: Until = onTestFinished,
): Promise<Agent> {
  const transport =
    kind === "http"
      ? new StreamableHTTPClientTransport(new URL("/mcp", url), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        })
      : new StdioClientTransport({
          command: process.execPath,
          args: [...BUILT_PAWL, "mcp"],
          env: { PATH: process.env.PATH ?? "", PAWL_URL: url, PAWL_TOKEN: token },
        });
  const client = new Client({ name: "test", version: "0" });
  await client.connect(transport);
  until(() => client.close());
  return {
    client,
    call: async (name, given = {}) => {
      const answer = await client.callTool({ name, arguments: given });
      const [content] = answer.content as { text: string }[];
      return {
        text: content?.text ?? "",
        refused: answer.isError === true,
        data: (answer.structuredContent ?? {}) as ToolReply["data"],
      };
    },
    close: () => client.close(),
  };
}

/** Connects an agent for a whole test file. */
export function connectFileAgent(kind: AgentTransport, target: Target): Promise<Agent> {
  return connectAgent(kind, target, afterAll);
}

/** Starts a server with /mcp. */
export function startMcpServer(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const { server = {}, ...rest } = options;
  const mounts = [{ path: "/mcp", answer: answerMcp({ version: "0.0.0" }) } as const];
  return startTestServer({ ...rest, server: { mounts, ...server } });
}

/** The tasks in a reply. */
export function tasksIn({
  data,
}: ToolReply): { id: string; status: string; title: string; row_version: number }[] {
  return data.tasks as ReturnType<typeof tasksIn>;
}
