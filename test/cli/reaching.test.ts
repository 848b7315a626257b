import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchData, startPawl } from "../http/running-pawl.ts";
import { openCliAtServer } from "./cli-at-server.ts";
import { folderWith, pawl } from "./pawl-process.ts";

const at = await openCliAtServer();

test("the server on the data folder is found by itself, with the admin's token, and forgotten when it stops", async () => {
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
      "pawl: No server answers at http://127.0.0.1:2 (the default, ECONNREFUSED).\n  Start one with `pawl start`, or say with PAWL_URL where it is.\n",
  });
});

test("the admin's token is sent to the server that made it, and to no other", async () => {
  const heard: (string | undefined)[] = [];
  const url = await stub((_, authorization) => {
    heard.push(authorization);
    return [401, { code: "INVALID_TOKEN", detail: "Who are you?" }];
  });
  const folder = await folderWith({ address: "http://127.0.0.1:9\n", "admin-token": "secret\n" });
  const { code, stderr } = await pawl(["tasks", "list"], { env: { PAWL_URL: url, PAWL_DATA: folder } });
  expect(code).toBe(4);
  expect(stderr).toContain(`The server at ${url} wants a token, and there is none.`);
  expect(heard).toEqual([undefined]);
});

test("a server of another version is named where the two do not understand each other", async () => {
  const url = await stub((path) =>
    path === "/openapi.json"
      ? [200, { info: { title: "Pawl", version: "9.9.9" } }]
      : [404, { code: "NOT_FOUND", detail: "Nothing here." }],
  );
  const { code, stdout, stderr } = await pawl(["tasks", "list"], { env: { PAWL_URL: url, PAWL_TOKEN: "x" } });
  expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
  expect(stderr).toMatch(
    /^pawl: The server at \S+ \(PAWL_URL\) is Pawl 9\.9\.9 and this is Pawl \d+\.\d+\.\d+: they do not understand each other here\.\n/,
  );
});

test("answers of another shape are no stack trace either", async () => {
  const url = await stub((path) =>
    path === "/openapi.json" ? [200, { info: { title: "Pawl", version: "9.9.9" } }] : [200, { items: [] }],
  );
  const { code, stderr } = await pawl(["tasks", "list"], { env: { PAWL_URL: url, PAWL_TOKEN: "x" } });
  expect(code).toBe(5);
  expect(stderr).toContain("is Pawl 9.9.9");
});

test.each(["some page", '{"message":"hello"}'])("what is no Pawl is said to be none: %s", async (page) => {
  const url = await stub(() => [404, page]);
  const { code, stderr } = await pawl(["tasks", "list"], { env: { PAWL_URL: url } });
  expect(code).toBe(5);
  expect(stderr).toContain(`What answers at ${url} (PAWL_URL) is no Pawl server.`);
});

test.each([
  ["PAWL_URL", "here", 2, 'PAWL_URL is "here", not an address like http://127.0.0.1:4747.'],
  ["PAWL_URL", "htp://me:hunter2@here", 2, 'PAWL_URL is "htp://…@here", not an address'],
  ["PAWL_URL", "http://me:hunter2@here", 2, "PAWL_URL must not contain a user name or a password."],
  ["PAWL_TOKEN", "two words", 4, "What PAWL_TOKEN holds is no token"],
  ["PAWL_TOKN", "x", 1, "did you mean PAWL_TOKEN?"],
])("%s=%s is told as a mistake", async (name, value, code, said) => {
  const ran = await at.cli("tasks list", { env: { [name]: value } });
  expect(ran).toMatchObject({ code, stdout: "" });
  expect(ran.stderr).toContain(said);
  expect(ran.stderr).not.toContain("hunter2");
});

test("an address with a path too many is no Pawl's", async () => {
  const { code, stderr } = await at.cli(["tasks", "list", "--url", `${at.server.address}/api`]);
  expect(code).toBe(5);
  expect(stderr).toContain(`What answers at ${at.server.address}/api (--url) is no Pawl server.`);
});

test("a mistake in a lifecycle here does not hide a server that runs", async () => {
  const cwd = await folderWith({ "pawl.config.ts": "export default { lifecycles: 7 };" });
  expect(await at.cli("projects list", { cwd })).toMatchObject({ code: 0, stderr: "" });
});

test("two servers on one data folder: the one that stops leaves the other's address alone", async () => {
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

/** Something that answers. */
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
