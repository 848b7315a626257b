import { request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import { openMcpDesk } from "./agent.ts";

const PARTNER = "https://partner.example";
// Written with a slash, as people do.
const desk = await openMcpDesk({ server: { corsOrigins: [`${PARTNER}/`] } });
const { port } = new URL(desk.url);
const token = await desk.member({ id: "ann", roles: ["agent"] });

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

/** Not `fetch`, which sets `Host` itself. */
function post(
  headers: Record<string, string>,
  method = "POST",
): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${desk.url}/mcp`,
      {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (text += piece));
        response.on("end", () => {
          resolve({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text });
        });
      },
    );
    sent.on("error", reject);
    sent.end(method === "POST" ? PING : undefined);
  });
}

test.each([
  [
    "a page that DNS rebinding brought here",
    { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
  ],
  ["a page of another site", { origin: "https://evil.example" }],
  [
    "a page behind a proxy whose origin is not listed",
    { host: "pawl.example", origin: "https://pawl.example" },
  ],
  ["a page of another IP address", { origin: "http://192.0.2.7" }],
  ["a page without an origin of its own", { origin: "null" }],
  ["a name that begins like a loopback name", { origin: "http://localhost.evil.example" }],
  ["a name that begins like a loopback address", { origin: "http://127.0.0.1.evil.example" }],
  ["an origin of another scheme", { origin: "ftp://localhost" }],
])("%s is refused, whatever its token", async (_, headers) => {
  for (const method of ["POST", "GET", "DELETE"]) {
    const { status, type, text } = await post(headers, method);
    expect([status, type]).toEqual([403, "application/problem+json; charset=utf-8"]);
    expect(JSON.parse(text)).toMatchObject({
      code: "ORIGIN_NOT_ALLOWED",
      origin: headers.origin,
      next: expect.stringContaining("PAWL_CORS_ORIGINS") as string,
    });
  }
  expect((await post({ ...headers, authorization: "Bearer unknown" })).status).toBe(403);
});

test.each([
  ["a program", {}],
  ["a program behind a proxy that passes the public name on", { host: "pawl.example" }],
  ["a page of an origin that is listed", { host: "pawl.example", origin: PARTNER }],
  ["a page of this machine", { origin: "http://localhost:6274" }],
  ["a page of this machine, by address", { origin: "http://127.0.0.1:6274" }],
  ["a page of this machine, by its IPv6 address", { origin: "http://[::1]:6274" }],
  [
    "a page of this server by its own IP address",
    { host: "192.0.2.7:4747", origin: "http://192.0.2.7:4747" },
  ],
])("%s is answered", async (_, headers) => {
  const { status, text } = await post(headers);
  expect([status, JSON.parse(text)]).toEqual([200, { jsonrpc: "2.0", id: 1, result: {} }]);
});

test("the SDK's client reaches the tools from a page of an origin that is listed", async () => {
  const client = new Client({ name: "test", version: "0" });
  const headers = { authorization: `Bearer ${token}`, origin: PARTNER };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", desk.url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  const preflight = await fetch(`${desk.url}/mcp`, {
    method: "OPTIONS",
    headers: {
      origin: PARTNER,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
    },
  });
  expect(preflight.headers.get("access-control-allow-origin")).toBe(PARTNER);
  expect(preflight.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version");
});
