import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, onTestFinished } from "vitest";
import { answerMcp } from "../../src/mcp/index.ts";
import { BUILT_PAWL } from "../support/built-pawl.ts";
import { openFrontDesk } from "../http/front-desk.ts";
import type { FrontDesk } from "../http/front-desk.ts";

/** What a tool said. */
export type Said = { text: string; refused: boolean; data: Record<string, unknown> };

export type Agent = {
  client: Client;
  call(tool: string, given?: Record<string, unknown>): Promise<Said>;
  close(): Promise<void>;
};

type Place = { url: string; token: string };

type Until = (end: () => Promise<void>) => void;

export type Way = "stdio" | "http";
export const WAYS: readonly Way[] = ["stdio", "http"];

/** An agent that reaches the server by the SDK's own client. */
export async function connectAgent(
  way: Way,
  { url, token }: Place,
  until: Until = onTestFinished,
): Promise<Agent> {
  const transport =
    way === "http"
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
        data: (answer.structuredContent ?? {}) as Said["data"],
      };
    },
    close: () => client.close(),
  };
}

/** The same for a whole test file. */
export function employAgent(way: Way, place: Place): Promise<Agent> {
  return connectAgent(way, place, afterAll);
}

/** A server with /mcp. */
export function openMcpDesk(options: Parameters<typeof openFrontDesk>[0] = {}): Promise<FrontDesk> {
  const { server = {}, ...rest } = options;
  const mounts = [{ path: "/mcp", answer: answerMcp({ version: "0.0.0" }) } as const];
  return openFrontDesk({ ...rest, server: { mounts, ...server } });
}

/** The tasks that an answer tells of. */
export function tasksIn({
  data,
}: Said): { id: string; status: string; title: string; row_version: number }[] {
  return data.tasks as ReturnType<typeof tasksIn>;
}
