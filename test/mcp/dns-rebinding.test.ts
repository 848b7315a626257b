import { request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import { rebindingRefusal } from "../../src/server/auth/dns-rebinding.ts";
import { sendRaw, rawOutcomeOf } from "../http/raw-socket.ts";
import { emptyDatabase, startPawl } from "../http/running-pawl.ts";
import { startMcpServer } from "./agent.ts";

const PARTNER = "https://partner.example";
// With a trailing slash, as people often write it.
const server = await startMcpServer({
  server: { corsOrigins: [`${PARTNER}/`], allowedHosts: ["Pawl.example", "*.apps.example"] },
});
const { port } = new URL(server.url);
const token = await server.member({ id: "ann", roles: ["agent"] });

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

/** Does not use `fetch`, which sets `Host` itself. */
function post(
  headers: Record<string, string>,
  { method = "POST", body = PING, url = server.url } = {},
): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/mcp`,
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
    sent.end(method === "POST" ? body : undefined);
  });
}

test.each([
  ["a page of another site", { origin: "https://evil.example" }],
  ["a page of another site, behind a proxy", { host: "pawl.example", origin: "https://evil.example" }],
  ["a page of another name that is listed", { host: "pawl.example", origin: "https://a.apps.example" }],
  [
    "a page of another port of this server's name",
    { host: "pawl.example", origin: "https://pawl.example:8443" },
  ],
  ["a page of another IP address", { origin: "http://192.0.2.7" }],
  ["a page without an origin of its own", { origin: "null" }],
  ["a name that begins like a loopback name", { origin: "http://localhost.evil.example" }],
  ["a name that begins like a loopback address", { origin: "http://127.0.0.1.evil.example" }],
  ["an origin of another scheme", { origin: "ftp://localhost" }],
])("%s is refused, whatever its token", async (_, headers) => {
  for (const method of ["POST", "GET", "DELETE"]) {
    const { status, type, text } = await post(headers, { method });
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
  ["an unknown name", "evil.example"],
  ["an unknown name with the server's port", `evil.example:${port}`],
  ["a name that begins like a loopback name", "localhost.evil.example"],
  ["a name that begins like a loopback address", "127.0.0.1.evil.example"],
  ["a name that ends like a loopback name", "notlocalhost"],
  ["a subdomain of a name that is listed without them", "a.pawl.example"],
  ["the domain of a listed wildcard", "apps.example"],
  ["a name that ends like a listed wildcard", "evilapps.example"],
  ["a host with a user", "localhost@evil.example"],
  ["a host with a path", "localhost/evil.example"],
  ["two hosts", "localhost, evil.example"],
  ["a port that is no number", "localhost:evil"],
  ["a port beyond all ports", "localhost:65536"],
  ["an IPv6 address without brackets", "::1"],
])("%s is refused as Host, with or without an Origin, whatever the token", async (_, host) => {
  const origins = [{}, { origin: `http://evil.example:${port}` }, { origin: "http://localhost:6274" }];
  for (const origin of origins) {
    for (const method of ["POST", "GET", "DELETE"]) {
      const { status, type, text } = await post({ host, ...origin }, { method });
      expect([status, type]).toEqual([403, "application/problem+json; charset=utf-8"]);
      expect(JSON.parse(text)).toMatchObject({
        code: "HOST_NOT_ALLOWED",
        host,
        next: expect.stringContaining("PAWL_ALLOWED_HOSTS") as string,
      });
    }
  }
  expect((await post({ host, authorization: "Bearer unknown" })).status).toBe(403);
});

test.each([
  ["without Host", []],
  ["with an empty Host", ["Host:"]],
])("a request of HTTP/1.0 %s is refused", async (_, host) => {
  const lines = ["GET /mcp HTTP/1.0", ...host, `Authorization: Bearer ${token}`, "", ""];
  expect(rawOutcomeOf(await sendRaw(server.url, lines.join("\r\n")))).toBe("403 HOST_NOT_ALLOWED");
});

test(":authority counts if there is no Host", () => {
  const refusalOf = (authority: string) =>
    rebindingRefusal({ ":authority": authority }, { origins: [], hosts: ["pawl.example"] });
  expect(refusalOf("pawl.example:443")).toBeNull();
  expect(refusalOf("evil.example")).toMatchObject({ code: "HOST_NOT_ALLOWED" });
});

test.each([
  ["a program", {}],
  ["a program that uses a loopback name", { host: `localhost:${port}` }],
  ["a program that uses a loopback name with a trailing dot", { host: `localhost.:${port}` }],
  ["a program that uses another loopback address", { host: "127.8.9.1" }],
  ["a program that uses the IPv6 loopback address", { host: `[::1]:${port}` }],
  ["a program that uses an IP address", { host: "192.0.2.7:4747" }],
  ["a program that uses an IPv6 address", { host: "[2001:db8::7]" }],
  ["a program that uses a listed name", { host: "pawl.example" }],
  ["a program that uses a listed name in capitals, with a port", { host: "PAWL.EXAMPLE:8443" }],
  ["a program that uses a subdomain of a listed wildcard", { host: "a.b.apps.example" }],
  ["a program that uses the host of a listed origin", { host: "partner.example:8443" }],
  ["a page of this server by a listed name", { host: "pawl.example", origin: "https://pawl.example" }],
  [
    "a page of this server by a listed name, where the proxy adds the port",
    { host: "pawl.example:443", origin: "https://pawl.example" },
  ],
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
    new StreamableHTTPClientTransport(new URL("/mcp", server.url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  const preflight = await fetch(`${server.url}/mcp`, {
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

test("PAWL_ALLOWED_HOSTS opens the tools under the server's public name", async () => {
  const env = {
    DATABASE_URL: await emptyDatabase(),
    PAWL_ADMIN_TOKEN: "an-admin-of-the-test",
    PAWL_ALLOWED_HOSTS: "Pawl.example, *.apps.example",
  };
  const { address: url } = await startPawl(["--host", "localhost", "--port", "0"], { env });
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "list_tasks", arguments: {} },
  });
  const statusFor = async (host: string) => {
    const { status, text } = await post(
      { host, authorization: "Bearer an-admin-of-the-test" },
      { body, url },
    );
    // The tool calls the server's own address, so it works under any allowed name.
    if (status === 200)
      expect(JSON.parse(text)).toMatchObject({ result: { structuredContent: { tasks: [] } } });
    return status;
  };
  expect(await statusFor("pawl.example")).toBe(200);
  expect(await statusFor("a.apps.example")).toBe(200);
  expect(await statusFor(new URL(url).host)).toBe(200);
  expect(await statusFor("evil.example")).toBe(403);
});
