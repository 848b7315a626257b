import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { createClient } from "../client/index.ts";
import { buildMcpServer, allowManyListeners } from "./build-server.ts";
import type { Task } from "./tool-context.ts";
import { RecentClaims } from "./recent-claims.ts";

/** An authenticated request, and the server's own address. */
export type McpRequest = { request: Request; token: string; url: string };

/**
 * Serves MCP over HTTP without sessions: a restart loses nothing, and any node can answer any request. Tools call the
 * server's own API with the caller's token, so they allow nothing that the API refuses.
 */
export function answerMcp({ version }: { version: string }): (visit: McpRequest) => Promise<Response> {
  const claims = new RecentClaims<Task>();
  return async ({ request, token, url }) => {
    const { signal } = request;
    allowManyListeners(signal);
    const mcp = buildMcpServer({
      client: createClient({ url, token, signal, ...RETRY_OPTIONS }),
      claims,
      version,
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
      // The server has checked the size of the body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
    const close = () => {
      void mcp.close();
    };
    signal.addEventListener("abort", close, { once: true });
    try {
      await mcp.connect(transport);
      return await transport.handleRequest(request);
    } finally {
      signal.removeEventListener("abort", close);
      await mcp.close();
    }
  };
}

/** Few retries: the server calls itself, so the first reply comes soon or not at all. */
const RETRY_OPTIONS = { retries: 2, timeoutMs: 20_000 };
