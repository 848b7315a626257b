import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { BUILT_PAWL } from "../support/built-pawl.ts";
import { ALL_ROLES } from "../http/test-server.ts";
import { startMcpServer, TRANSPORTS } from "./agent.ts";

const server = await startMcpServer();

// The other tests use version 1 of the SDK's client, as most agents do.
test.each(TRANSPORTS)("an agent with version 2 of the SDK works over %s", async (kind) => {
  const token = await server.member({ id: `ann-${kind}`, roles: ALL_ROLES });
  const transport =
    kind === "http"
      ? new StreamableHTTPClientTransport(new URL("/mcp", server.url), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        })
      : new StdioClientTransport({
          command: process.execPath,
          args: [...BUILT_PAWL, "mcp"],
          env: { PATH: process.env.PATH ?? "", PAWL_URL: server.url, PAWL_TOKEN: token },
        });
  const client = new Client({ name: "test", version: "0" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("claim_task");
  const { content, isError } = await client.callTool({ name: "list_tasks", arguments: {} });
  expect([isError ?? false, content]).toMatchObject([false, [{ type: "text" }]]);
});
