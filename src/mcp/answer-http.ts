import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createClient } from "../client/index.ts";
import { buildMcpServer, heardByMany } from "./build-server.ts";
import type { Task } from "./desk.ts";
import { RecentClaims } from "./recent-claims.ts";

/** A request that has been let in, and where the server itself is to be reached. */
export type Visit = { request: Request; token: string; url: string };

/**
 * Answers MCP over HTTP. Every request stands for itself: there is no session that a restart of the server could lose, or
 * that only one of several servers would know. What is asked goes to the server's own API with the caller's token, so that
 * nothing is allowed here which is not allowed there.
 */
export function answerMcp({ version }: { version: string }): (visit: Visit) => Promise<Response> {
  const claims = new RecentClaims<Task>();
  return async ({ request, token, url }) => {
    const { signal } = request;
    heardByMany(signal);
    const mcp = buildMcpServer({
      client: createClient({ url, token, signal, ...PATIENCE }),
      claims,
      version,
    });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const leave = () => {
      void mcp.close();
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      await mcp.connect(transport);
      return await transport.handleRequest(request);
    } finally {
      signal.removeEventListener("abort", leave);
      await mcp.close();
    }
  };
}

/** A server that asks itself gets an answer soon or never. */
const PATIENCE = { retries: 2, timeoutMs: 20_000 };
