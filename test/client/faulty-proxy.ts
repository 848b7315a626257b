import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll } from "vitest";

/** How the proxy treats a request. */
export type Fate =
  | "pass"
  /** The connection closes before the server gets the request. */
  | "cut before"
  /** The connection closes after the server has answered. */
  | "cut after"
  /** The connection closes after half of the response. */
  | "cut within"
  /** The proxy answers 503 without forwarding the request. */
  | "503 before"
  /** The proxy answers 503 although the server has handled the request. */
  | "503 after"
  | "502 after"
  /** The proxy answers with an HTML page without forwarding the request. */
  | "200 before"
  /** The server handles the request, but no response arrives. */
  | "silence";

export type BadLine = {
  url: string;
  /** Chooses the fate of each request; default "pass". */
  fate: (request: IncomingMessage) => Fate;
  /** Delay before a request is forwarded; default 0. */
  delayMs: number;
  /** Number of bytes after which a stream is cut, or null to let it pass. */
  cutStreamAfter: () => number | null;
  /** The requests received, in order. */
  requests: { what: string; key: string | undefined; fate: Fate }[];
  /** The open streams. */
  streams: Set<ServerResponse>;
  /** Forwards to another server from now on. */
  leadTo(url: string): void;
};

/** Opens a proxy on loopback that simulates network failures. */
export async function openBadLine(url: string): Promise<BadLine> {
  let target = new URL(url);
  const line: BadLine = {
    url: "",
    fate: () => "pass",
    delayMs: 0,
    cutStreamAfter: () => null,
    requests: [],
    streams: new Set(),
    leadTo: (next) => {
      target = new URL(next);
    },
  };
  const server = createServer((incoming, outgoing) => {
    const fate = line.fate(incoming);
    const key = incoming.headers["idempotency-key"];
    line.requests.push({
      what: `${incoming.method ?? ""} ${incoming.url ?? ""}`,
      key: key?.toString(),
      fate,
    });
    forward(incoming, outgoing, fate).catch(() => outgoing.destroy());
  });

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse, fate: Fate): Promise<void> {
    const body = Buffer.concat(await incoming.toArray());
    if (line.delayMs > 0) await pause(line.delayMs);
    // The client has disconnected: drop the request.
    if (outgoing.destroyed) return;
    if (fate.endsWith(" before")) {
      fail(outgoing, fate as Exclude<Fate, "pass" | "cut within">);
      return;
    }
    const forwarded = request(target, {
      path: incoming.url,
      method: incoming.method,
      headers: { ...incoming.headers, host: target.host, connection: "close" },
    });
    outgoing.on("close", () => forwarded.destroy());
    forwarded.on("error", () => outgoing.destroy());
    forwarded.end(body);
    const [answer] = (await once(forwarded, "response")) as [IncomingMessage];
    if (answer.headers["content-type"]?.startsWith("text/event-stream")) {
      relay(answer, outgoing);
      return;
    }
    const text = Buffer.concat(await answer.toArray());
    if (fate !== "pass" && fate !== "cut within") {
      fail(outgoing, fate);
      return;
    }
    const { connection: _, ...headers } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 500, headers);
    if (fate === "pass") outgoing.end(text);
    else outgoing.write(text.subarray(0, text.length / 2), () => outgoing.destroy());
  }

  /** Forwards a stream and counts its bytes, so that it can be cut at any byte. */
  function relay(answer: IncomingMessage, outgoing: ServerResponse): void {
    const { connection: _, ...headers } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 500, headers).flushHeaders();
    line.streams.add(outgoing);
    outgoing.on("close", () => line.streams.delete(outgoing));
    let left = line.cutStreamAfter() ?? Infinity;
    answer.on("data", (chunk: Buffer) => {
      const part = chunk.subarray(0, Math.min(left, chunk.length));
      left -= part.length;
      outgoing.write(part, () => {
        if (left <= 0) outgoing.destroy();
      });
    });
    answer.on("end", () => outgoing.end());
    answer.on("error", () => outgoing.destroy());
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return line;
}

/** Ends the request in place of the server. */
function fail(outgoing: ServerResponse, fate: Exclude<Fate, "pass" | "cut within">): void {
  if (fate === "silence") return;
  if (fate === "cut before" || fate === "cut after") outgoing.destroy();
  else {
    const headers = { "content-type": "text/html", "retry-after": "0" };
    outgoing.writeHead(Number(fate.slice(0, 3)), headers).end("<h1>Not now</h1>");
  }
}
