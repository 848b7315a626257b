import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { startTestServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";
import { scratchData } from "./running-pawl.ts";

const SCRIPT = "export const text = 'pawl';".repeat(100);
const server = { console: { folder: await consoleFolder() } };
const testServer = await startTestServer({ server });
const ann = await testServer.member({ id: "ann", roles: ["agent", "worker"] });
const long = await createTask("A long story. ".repeat(200));
const short = await createTask("Short.");

/** A build of the console: its page and one script, each with compressed copies. */
async function consoleFolder(): Promise<string> {
  const folder = join(await scratchData({ until: afterAll }), "console");
  await mkdir(join(folder, "assets"), { recursive: true });
  for (const [path, text] of Object.entries({
    "index.html": "<title>Pawl</title>",
    "assets/main.js": SCRIPT,
  })) {
    await writeFile(join(folder, path), text);
    await writeFile(join(folder, `${path}.gz`), gzipSync(text));
    await writeFile(join(folder, `${path}.br`), brotliCompressSync(text));
  }
  return folder;
}

async function createTask(description: string): Promise<string> {
  const body = { lifecycle: "board", title: "Paint the shed", description };
  return String((await testServer.ask("POST /api/tasks", { token: ann, body })).body.id);
}

type Sent = { headers: IncomingHttpHeaders; bytes: Buffer; text: string };

/** Sends a request without a client that would choose encodings and decompress by itself. */
async function send(
  what: string,
  headers: Record<string, string> = {},
  options: SendOptions = {},
): Promise<Sent> {
  const response = await open(what, headers, options);
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const decode = DECODERS[response.headers["content-encoding"] ?? "identity"];
  if (!decode) throw new Error(`unknown encoding ${String(response.headers["content-encoding"])}`);
  return { headers: response.headers, bytes, text: bytes.length === 0 ? "" : decode(bytes).toString() };
}

type SendOptions = { at?: TestServer; body?: unknown };

const DECODERS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};

async function open(
  what: string,
  headers: Record<string, string>,
  { at = testServer, body }: SendOptions = {},
): Promise<IncomingMessage> {
  const [method = "", path = ""] = what.split(" ");
  const content = body === undefined ? {} : { "content-type": "application/json" };
  const asked = request(at.url + path, {
    method,
    headers: { authorization: `Bearer ${ann}`, ...content, ...headers },
  });
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
}

const CHOICES: [accepted: string | undefined, encoding: string | undefined][] = [
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["deflate, zstd", undefined],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["gzip, deflate", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["br;q=0.5, gzip", "gzip"],
  ["gzip;q=0, br;q=0", undefined],
  ["gzip;q=0.5, identity", undefined],
  ["*", "br"],
  ["*;q=0", undefined],
];

test.each(CHOICES)("Accept-Encoding: %s is answered with the encoding %s", async (accepted, encoding) => {
  const plain = await send(`GET /api/tasks/${long}`);
  const { headers, bytes, text } = await send(
    `GET /api/tasks/${long}`,
    accepted === undefined ? {} : { "accept-encoding": accepted },
  );
  expect(headers["content-encoding"]).toBe(encoding);
  expect(text).toBe(plain.text);
  expect(headers["content-length"]).toBe(String(bytes.length));
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  if (encoding !== undefined) expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
  // Also if not compressed, because for another client it would be.
  expect(headers.vary).toBe("accept-encoding");
});

test.each(["gzip", "br"])("a short answer is sent as it is to a client that accepts %s", async (accepted) => {
  for (const what of ["GET /api/me", `GET /api/tasks/${short}`, "GET /live", "GET /api/tasks/nothing"]) {
    const { headers } = await send(what, { "accept-encoding": accepted });
    expect([what, headers["content-encoding"], headers.vary]).toEqual([what, undefined, undefined]);
  }
});

test("a compressed task has a weak ETag, and If-Match accepts it like the strong one", async () => {
  const etagOf = async (accepted: string) =>
    (await send(`GET /api/tasks/${long}`, { "accept-encoding": accepted })).headers.etag ?? "";
  const comment = async (etag: string) =>
    testServer.ask(`POST /api/tasks/${long}/transitions`, {
      token: ann,
      body: { action: "comment", comment: "hm" },
      headers: { "if-match": etag },
    });
  expect([await etagOf("identity"), await etagOf("gzip"), await etagOf("br")]).toEqual([
    '"1"',
    'W/"1"',
    'W/"1"',
  ]);
  expect((await comment(await etagOf("gzip"))).status).toBe(200);
  expect((await comment('W/"1"')).body.code).toBe("VERSION_CONFLICT");
  expect((await comment(await etagOf("identity"))).status).toBe(200);
});

test.each(["identity", "gzip", "br"])("HEAD has the headers of GET for %s, and no body", async (accepted) => {
  for (const path of [`/api/tasks/${long}`, "/openapi.json", "/docs", "/assets/main.js", "/"]) {
    const headers = { "accept-encoding": accepted };
    const [get, head] = [await send(`GET ${path}`, headers), await send(`HEAD ${path}`, headers)];
    expect(head.bytes).toHaveLength(0);
    expect([path, lasting(head.headers)]).toEqual([path, lasting(get.headers)]);
    expect(get.headers["content-encoding"]).toBe(accepted === "identity" ? undefined : accepted);
    expect(get.headers.vary).toBe("accept-encoding");
  }
});

/** Removes headers that differ from request to request. */
function lasting({ date: _, "x-request-id": __, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers;
}

const OTHERS: [what: string, body?: unknown][] = [
  ["GET /openapi.json"],
  ["GET /docs"],
  ["POST /api/tasks/batch", { tasks: Array.from({ length: 20 }, () => ({ lifecycle: 1, project_id: 1 })) }],
];

test.each(OTHERS)("%s is compressed, on every request", async (what, body) => {
  const headers = { "x-request-id": "one" };
  const plain = await send(what, headers, { body });
  expect(plain.bytes.length).toBeGreaterThan(1_400);
  for (const encoding of ["gzip", "br", "gzip", "br"]) {
    const answer = await send(what, { ...headers, "accept-encoding": encoding }, { body });
    const { "content-encoding": encoded, "content-type": type } = answer.headers;
    expect([encoded, type]).toEqual([encoding, plain.headers["content-type"]]);
    expect(answer.text).toBe(plain.text);
  }
});

test("with allowed origins, answers vary by origin and by encoding", async () => {
  const at = await startTestServer({
    sameDatabaseAs: testServer,
    server: { ...server, corsOrigins: ["https://board.example"] },
  });
  for (const path of [`/api/tasks/${long}`, "/openapi.json", "/assets/main.js", "/"]) {
    for (const accepted of ["identity", "gzip"]) {
      const headers = { "accept-encoding": accepted, origin: "https://board.example" };
      const { vary = "" } = (await send(`GET ${path}`, headers, { at })).headers;
      expect([path, vary.toLowerCase().split(/, */).sort()]).toEqual([path, ["accept-encoding", "origin"]]);
    }
  }
});

test("events are not compressed, so that each arrives immediately", async () => {
  const response = await open("GET /api/events", { "accept-encoding": "gzip, br" });
  expect(response.headers["content-encoding"]).toBeUndefined();
  let received = "";
  response.setEncoding("utf8").on("data", (part: string) => (received += part));
  for (let events = 1; events <= 3; events++) {
    const task = await createTask(`Event ${events}`);
    await expect.poll(() => received).toContain(task);
  }
  response.destroy();
});
