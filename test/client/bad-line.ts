import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll } from "vitest";

/** What becomes of a request on its way. */
export type Fate =
  | "pass"
  /** It never arrives. */
  | "cut before"
  /** It is done, and nobody hears of it. */
  | "cut after"
  /** It is done, and half of the answer arrives. */
  | "cut within"
  /** It never arrives, and somebody says so. */
  | "503 before"
  /** It is done, and somebody between says that it could not be. */
  | "503 after"
  | "502 after"
  /** It never arrives; a proxy answers with a page instead. */
  | "200 before"
  /** It is done, and the answer never comes. */
  | "silence";

export type BadLine = {
  url: string;
  /** Decides about each request; "pass" unless set. */
  fate: (request: IncomingMessage) => Fate;
  /** How long each request takes to arrive; 0 unless set. */
  delayMs: number;
  /** After how many bytes an answer that has no end is cut; null: not at all. */
  cutStreamAfter: () => number | null;
  /** Those that came, in order. */
  requests: { what: string; key: string | undefined; fate: Fate }[];
  /** Answers without an end that are being read. */
  streams: Set<ServerResponse>;
  /** Leads to another server from now on. */
  leadTo(url: string): void;
};

/** A proxy on the loopback that does to requests what networks do. */
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
    carry(incoming, outgoing, fate).catch(() => outgoing.destroy());
  });

  async function carry(incoming: IncomingMessage, outgoing: ServerResponse, fate: Fate): Promise<void> {
    const body = Buffer.concat(await incoming.toArray());
    if (line.delayMs > 0) await pause(line.delayMs);
    // Whoever asked is gone, and so is what he asked.
    if (outgoing.destroyed) return;
    if (fate.endsWith(" before")) {
      mistreat(outgoing, fate as Exclude<Fate, "pass" | "cut within">);
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
      mistreat(outgoing, fate);
      return;
    }
    const { connection: _, ...headers } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 500, headers);
    if (fate === "pass") outgoing.end(text);
    else outgoing.write(text.subarray(0, text.length / 2), () => outgoing.destroy());
  }

  /** Byte by byte, so that what is cut may be cut anywhere. */
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

/** Whatever is said here is not what the server said. */
function mistreat(outgoing: ServerResponse, fate: Exclude<Fate, "pass" | "cut within">): void {
  if (fate === "silence") return;
  if (fate === "cut before" || fate === "cut after") outgoing.destroy();
  else {
    const headers = { "content-type": "text/html", "retry-after": "0" };
    outgoing.writeHead(Number(fate.slice(0, 3)), headers).end("<h1>Not now</h1>");
  }
}
