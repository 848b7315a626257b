import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { ALL_ROLES, startTestServer } from "./test-server.ts";
import { sendRaw, rawOutcomeOf } from "./raw-socket.ts";
import { scratchData } from "./running-pawl.ts";

const PROBLEM = "application/problem+json; charset=utf-8";

const folder = await consoleFolder();
const server = await startTestServer({ server: { console: { folder } } });

/** A build of the console: its page, one script with a compressed copy, and a folder among the files. */
async function consoleFolder(): Promise<string> {
  const folder = join(await scratchData({ until: afterAll }), "console");
  await mkdir(join(folder, "assets/folder"), { recursive: true });
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Pawl</title>");
  await writeFile(join(folder, "assets/main-Ab_1.js"), "export {};");
  await writeFile(join(folder, "assets/main-Ab_1.js.gz"), gzipSync("export {};"));
  await writeFile(join(folder, "assets/.hidden"), "hidden");
  await writeFile(join(folder, "outside.txt"), "outside");
  return folder;
}

/** Sends a raw request line, because a client would normalize the path. */
async function sendLine(line: string, headers: readonly string[] = []) {
  const head = [
    `${line} HTTP/1.1`,
    "Host: x",
    `Authorization: Bearer ${server.admin}`,
    "Connection: close",
    ...headers,
  ];
  const { text } = await sendRaw(server.url, `${head.join("\r\n")}\r\n\r\n`);
  const [headerText = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
  const headerOf = (name: string) =>
    new RegExp(`^${name}: (.*)$`, "im").exec(headerText)?.[1]?.trim() ?? null;
  return { answer: rawOutcomeOf({ text, closed: true }), headerOf, body };
}

const BAD_NAMES = [
  "%00",
  "main-Ab_1.js%00",
  "%00main-Ab_1.js",
  "..%2f",
  "..%2findex.html",
  "..%2foutside.txt",
  "%2e%2e%2foutside.txt",
  "%2e%2e/outside.txt",
  "../outside.txt",
  "..%5coutside.txt",
  "..\\outside.txt",
  "..%252foutside.txt",
  "%2fetc%2fpasswd",
  "/etc/passwd",
  "%c0%ae%c0%ae/outside.txt",
  "%c0%ae%c0%ae%c0%afoutside.txt",
  "%ff",
  "%e",
  "%",
  ".",
  "..",
  ".hidden",
  "",
  "folder",
  "folder/",
  "main-Ab_1.js/",
  "main-Ab_1.js/more",
  "main-Ab_1.js%2fmore",
  "none-Ab_1.js",
  "a".repeat(252),
  "a".repeat(255),
  "a".repeat(300),
  `${"a".repeat(9_000)}.js`,
  "%F0%9F%98%80.js",
  "CON",
  "main-Ab_1.js::$DATA",
];

test.each(BAD_NAMES)("/assets/%s is not found, and the answer is not cached", async (name) => {
  for (const encoding of ["identity", "gzip, br", "*"]) {
    for (const accept of ["*/*", "text/html"]) {
      const { answer, headerOf } = await sendLine(`GET /assets/${name}`, [
        `Accept-Encoding: ${encoding}`,
        `Accept: ${accept}`,
      ]);
      expect([answer, headerOf("cache-control"), headerOf("content-type")]).toEqual([
        "404 NOT_FOUND",
        "no-store",
        PROBLEM,
      ]);
    }
  }
});

test("a file of the console is cached for good, its page is revalidated each time", async () => {
  const script = await sendLine("GET /assets/main-Ab_1.js", ["Accept-Encoding: gzip"]);
  expect([script.answer, script.headerOf("cache-control"), script.headerOf("content-encoding")]).toEqual([
    "200",
    "public, max-age=31536000, immutable",
    "gzip",
  ]);
  const page = await sendLine("GET /members", ["Accept: text/html"]);
  expect([page.answer, page.headerOf("cache-control")]).toEqual(["200", "no-cache"]);
  expect([script.headerOf("vary"), page.headerOf("vary")]).toEqual(["accept-encoding", "accept-encoding"]);
  const unchanged = await sendLine("GET /assets/main-Ab_1.js", [
    "Accept-Encoding: gzip",
    `If-None-Match: ${script.headerOf("etag") ?? ""}`,
  ]);
  expect([unchanged.answer, unchanged.headerOf("cache-control")]).toEqual([
    "304",
    "public, max-age=31536000, immutable",
  ]);
});

test.each([
  ["a range beyond the end", ["Range: bytes=1000-"]],
  ["a range that ends before it begins", ["Range: bytes=5-2"]],
  ["a precondition that fails", ['If-Match: "other"']],
  ["a date before the file's", ["If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"]],
])("%s gets the whole file", async (_, headers) => {
  for (const path of ["/", "/members", "/assets/main-Ab_1.js"]) {
    const { answer, headerOf } = await sendLine(`GET ${path}`, ["Accept: text/html", ...headers]);
    expect([path, answer, headerOf("content-range")]).toEqual([path, "200", null]);
  }
});

const BAD_PATHS = [
  "/%00",
  "/docs/%00",
  "/docs%00",
  "/docs/..%2f",
  "/openapi.json%00",
  "/openapi.json/..%5c",
  "/live%00",
  "/metrics/%2e%2e%2f",
  "/mcp/%00",
  "/mcp%00",
  "/api%00",
  "/api/%00",
  "/api/tasks%00",
  "/api/tasks/..%2f..%2f",
  "/api/tasks/..%5c..%5c",
  "/api/tasks/%c0%ae%c0%ae/journal",
  "/api/lifecycles/%00",
  "/%c0%ae%c0%ae/",
  "/%ff",
  "/%",
  "/..%2f..%2fetc%2fpasswd",
  "/..\\..\\etc\\passwd",
  `/${"a".repeat(10_000)}`,
];

test.each(BAD_PATHS)("%s is not found, and the answer is not cached", async (path) => {
  for (const method of ["GET", "POST", "DELETE"]) {
    const { answer, headerOf } = await sendLine(`${method} ${path}`, ["Accept: */*"]);
    expect(`${method} ${answer}`).toMatch(/ (404|405|422) [A-Z_]+$/);
    expect(headerOf("cache-control")).toBe("no-store");
    expect(headerOf("content-type")).toBe(PROBLEM);
    expect(headerOf("x-content-type-options")).toBe("nosniff");
    expect(headerOf("x-request-id")).not.toBeNull();
  }
});

test("a page that is missing during an upgrade is not found, and the answer is not cached", async () => {
  await rename(join(folder, "index.html"), join(folder, "old.html"));
  try {
    for (const path of ["/", "/members"]) {
      const { answer, headerOf } = await sendLine(`GET ${path}`, ["Accept: text/html"]);
      expect([answer, headerOf("cache-control"), headerOf("content-type")]).toEqual([
        "404 NOT_FOUND",
        "no-store",
        PROBLEM,
      ]);
    }
  } finally {
    await rename(join(folder, "old.html"), join(folder, "index.html"));
  }
});

test("a request that is not HTTP gets an answer that is not cached", async () => {
  const { answer, headerOf } = await sendLine("GET /assets/\0");
  expect([answer, headerOf("cache-control")]).toEqual(["400 BAD_REQUEST", "no-store"]);
});

const BAD_VALUES = [
  "%00",
  "a%00b",
  "..%2f..%2f",
  "..%5c",
  "%c0%ae",
  "%ff",
  "%ED%A0%80",
  "%EF%BF%BF",
  "%0d%0aX-Evil:%201",
  "a".repeat(900),
  "a".repeat(1_100),
];

test("no route of the API fails on a bad value in its path or query", async () => {
  const { body } = await server.ask("GET /openapi.json", { token: null });
  const everybody = await server.member({
    id: "all",
    roles: ALL_ROLES,
  });
  const faults: string[] = [];
  const ask = async (method: string, path: string) => {
    const leave = new AbortController();
    const response = await fetch(server.url + path, {
      method,
      signal: leave.signal,
      headers: { authorization: `Bearer ${everybody}`, "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: "{}" }),
    });
    const { status, headers } = response;
    // The event streams have no end.
    leave.abort();
    const isCached = status >= 400 && headers.get("cache-control") !== "no-store";
    if (status >= 500 || isCached) faults.push(`${method} ${path}: ${status}`);
  };
  for (const [path, operations] of Object.entries(body.paths as Paths)) {
    for (const [method, { parameters = [] }] of Object.entries(operations)) {
      const queries = parameters.filter((one) => one.in === "query");
      for (const value of BAD_VALUES) {
        if (path.includes("{")) await ask(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, value));
        for (const { name } of queries)
          await ask(method.toUpperCase(), `${path.replaceAll(/\{\w+\}/g, "x")}?${name}=${value}`);
      }
    }
  }
  expect(faults).toEqual([]);
});

type Paths = Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>;
