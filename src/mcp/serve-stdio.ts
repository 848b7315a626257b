import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createClient } from "../client/index.ts";
import { buildMcpServer, allowManyListeners } from "./build-server.ts";
import type { Task } from "./tool-context.ts";
import { RecentClaims } from "./recent-claims.ts";

export type StdioOptions = {
  url: string;
  token: string | undefined;
  version: string;
  input: Readable;
  output: Writable;
};

/** `pawl mcp`: serves one agent on standard input and output until the input ends. */
export async function serveStdio({ url, token, version, input, output }: StdioOptions): Promise<void> {
  const closing = new AbortController();
  allowManyListeners(closing.signal);
  const client = createClient({ url, token, signal: closing.signal, ...RETRY_OPTIONS });
  const mcp = buildMcpServer({ client, claims: new RecentClaims<Task>(), version });
  const ended = new Promise<void>((resolve) => {
    input.once("end", resolve).once("close", resolve);
    output.once("error", () => {
      resolve();
    });
  });
  await mcp.connect(new StdioServerTransport(input, output));
  await ended;
  closing.abort();
  await mcp.close();
}

/** Enough for a restart of the server, and short enough that the error arrives before the agent's own timeout. */
const RETRY_OPTIONS = { retries: 6, timeoutMs: 15_000 };
