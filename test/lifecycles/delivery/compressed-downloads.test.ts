import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { rangeHeaders, readRange } from "../../../src/lifecycles/delivery/worker/storage/read-range.ts";
import { codeOf } from "./test-library.ts";

const CONTENT = Buffer.from("words ".repeat(5_000));

/** Starts a server that compresses every answer, whatever the client accepts. */
async function startCompressing(): Promise<{ url: string; accepted: (string | undefined)[] }> {
  const accepted: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    accepted.push(request.headers["accept-encoding"]);
    const body = gzipSync(CONTENT);
    response.writeHead(200, { "content-encoding": "gzip", "content-length": body.length }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, accepted };
}

async function download(url: string, from: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const { signal } = new AbortController();
  const request = () => fetch(url, { headers: rangeHeaders(from) });
  for await (const part of readRange({ size: CONTENT.length, from, stallMs: 60_000, signal, request }))
    parts.push(part);
  return Buffer.concat(parts);
}

test("a download asks for identity encoding, and a compressed answer is decoded", async () => {
  const { url, accepted } = await startCompressing();
  expect((await download(url, 0)).equals(CONTENT)).toBe(true);
  expect(accepted).toEqual(["identity"]);
});

test("a compressed answer to a request for a part is refused, and the attempt starts again", async () => {
  const { url } = await startCompressing();
  expect(await codeOf(download(url, 100))).toBe("CORRUPTED");
});
