import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchData, startPawl } from "../http/running-pawl.ts";
import { openCliAtServer } from "./cli-at-server.ts";
import { folderWith, pawl } from "./pawl-process.ts";

const at = await openCliAtServer();

test("the server of the data folder is found with its admin token, and no longer found when it has stopped", async () => {
  const data = await scratchData();
  const cwd = await folderWith({
    "pawl.config.ts": `export default { data: ${JSON.stringify(data)}, port: 2 };`,
  });
  const server = await startPawl(["--port", "0"], { cwd });
  const listed = await pawl(["members", "list"], { cwd });
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  expect(listed.stdout).toMatch(/^admin /m);
  expect(await pawl(["projects", "list", "--data", data])).toMatchObject({ code: 0 });
  await server.stop();
  expect(await pawl(["projects", "list"], { cwd })).toEqual({
    code: 5,
    stdout: "",
    stderr:
      "pawl: No server answers at http://127.0.0.1:2 (the default, ECONNREFUSED).\n  Start one with `pawl start`, or set PAWL_URL to the address of a running server.\n",
  });
});

test("the admin token is sent only to the server that created it", async () => {
  const received: (string | undefined)[] = [];
  const url = await stub((_, authorization) => {
    received.push(authorization);
    return [401, { code: "INVALID_TOKEN", detail: "Who are you?" }];
  });
  const folder = await folderWith({ address: "http://127.0.0.1:9\n", "admin-token": "secret\n" });
  const { code, stderr } = await pawl(["tasks", "list"], { env: { PAWL_URL: url, PAWL_DATA: folder } });
  expect(code).toBe(4);
  expect(stderr).toContain(`The server at ${url} requires a token, and none is set.`);
  expect(received).toEqual([undefined]);
});

test("a request that fails because of the server's version names both versions", async () => {
  const url = await stub((path) =>
    path === "/openapi.json"
      ? [200, { info: { title: "Pawl", version: "9.9.9" } }]
      : [404, { code: "NOT_FOUND", detail: "Nothing here." }],
  );
  const { code, stdout, stderr } = await pawl(["tasks", "list"], { env: { PAWL_URL: url, PAWL_TOKEN: "x" } });
  expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
  expect(stderr).toMatch(
    /^pawl: The server at \S+ \(PAWL_URL\) is Pawl 9\.9\.9 and this is Pawl \d+\.\d+\.\d+; they differ in this request\.\n/,
  );
});

test("a reply of an unexpected shape does not cause a stack trace", async () => {
  const url = await stub((path) =>
    path === "/openapi.json" ? [200, { info: { title: "Pawl", version: "9.9.9" } }] : [200, { items: [] }],
  );
  const { code, stderr } = await pawl(["tasks", "list"], { env: { PAWL_URL: url, PAWL_TOKEN: "x" } });
  expect(code).toBe(5);
  expect(stderr).toContain("is Pawl 9.9.9");
});

test.each(["some page", '{"message":"hello"}'])(
  "another kind of server is reported as such: %s",
  async (page) => {
    const url = await stub(() => [404, page]);
    const { code, stderr } = await pawl(["tasks", "list"], { env: { PAWL_URL: url } });
    expect(code).toBe(5);
    expect(stderr).toContain(`There is no Pawl server at ${url} (PAWL_URL)`);
  },
);

test.each([
  ["PAWL_URL", "here", 2, 'PAWL_URL is "here", not an address like http://127.0.0.1:4747.'],
  ["PAWL_URL", "htp://me:hunter2@here", 2, 'PAWL_URL is "htp://…@here", not an address'],
  ["PAWL_URL", "http://me:hunter2@here", 2, "PAWL_URL must not contain a user name or a password."],
  ["PAWL_TOKEN", "two words", 4, "PAWL_TOKEN does not contain a valid token"],
  ["PAWL_TOKN", "x", 1, "did you mean PAWL_TOKEN?"],
])("%s=%s is reported as a mistake", async (name, value, code, message) => {
  const ran = await at.cli("tasks list", { env: { [name]: value } });
  expect(ran).toMatchObject({ code, stdout: "" });
  expect(ran.stderr).toContain(message);
  expect(ran.stderr).not.toContain("hunter2");
});

test("an address with an extra path is reported", async () => {
  const { code, stderr } = await at.cli(["tasks", "list", "--url", `${at.server.address}/api`]);
  expect(code).toBe(5);
  expect(stderr).toContain(`There is no Pawl server at ${at.server.address}/api (--url)`);
});

test("a mistake in the configuration does not hide a running server", async () => {
  const cwd = await folderWith({ "pawl.config.ts": "export default { lifecycles: 7 };" });
  expect(await at.cli("projects list", { cwd })).toMatchObject({ code: 0, stderr: "" });
});

test("a server that stops keeps the address of another server on the same data folder", async () => {
  const { serverAddressFile } = await import("../../src/main/server-address-file.ts");
  const folder = await folderWith({});
  const file = serverAddressFile(join(folder, "data"));
  await file.write("http://127.0.0.1:1");
  await file.write("http://127.0.0.1:2");
  await file.remove("http://127.0.0.1:1");
  expect(await file.read()).toBe("http://127.0.0.1:2");
  await file.remove("http://127.0.0.1:2");
  expect(await file.read()).toBeNull();
});

/** Starts an HTTP server that answers every request with `answer`. */
async function stub(
  answer: (path: string, authorization: string | undefined) => [status: number, body: object | string],
): Promise<string> {
  const server = createServer(({ url = "", headers }, response) => {
    const [status, body] = answer(url, headers.authorization);
    const [type, text] =
      typeof body === "string" ? ["text/html", body] : ["application/json", JSON.stringify(body)];
    response.writeHead(status, { "content-type": type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
