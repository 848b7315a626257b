import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createClient } from "../client/index.ts";
import { buildMcpServer, heardByMany } from "./build-server.ts";
import type { Task } from "./desk.ts";
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
  const over = new AbortController();
  heardByMany(over.signal);
  const client = createClient({ url, token, signal: over.signal, ...PATIENCE });
  const mcp = buildMcpServer({ client, claims: new RecentClaims<Task>(), version });
  const ended = new Promise<void>((resolve) => {
    input.once("end", resolve).once("close", resolve);
    output.once("error", () => {
      resolve();
    });
  });
  await mcp.connect(new StdioServerTransport(input, output));
  await ended;
  over.abort();
  await mcp.close();
}

/** Long enough for a server to restart, and short enough to be told about it before the agent gives up on its call. */
const PATIENCE = { retries: 6, timeoutMs: 15_000 };
