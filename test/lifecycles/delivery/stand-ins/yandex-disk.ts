import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { sha256Of } from "./content.ts";
import type { Content } from "./content.ts";
import { FaultPlan } from "./fault-plan.ts";
import type { InjectedFault } from "./fault-plan.ts";

/** The documented REST API and OAuth of Yandex Disk, simulated on loopback. */
export type YandexStandIn = {
  url: string;
  /** The kinds of requests, in order: `list`, `meta`, `link`, `download`, `bytes`, `refresh`. */
  requests: string[];
  faults: FaultPlan;
  /** Adds a file at a path like `disk:/Library/a.pdf`, with its parent folders. */
  put: (path: string, content: Content) => { sha256: string };
  remove: (path: string) => void;
  /** Sets the tokens that are accepted from now on. */
  setTokens: (tokens: { access: string; refresh: string | null }) => void;
  tokens: () => { access: string; refresh: string | null };
  close: () => Promise<void>;
};

type Node = { kind: "dir" } | { kind: "file"; content: Content; sha256: string; modified: string };

export const CLIENT = { id: "the-app", secret: "the-app-secret" };

export async function openYandexDisk({
  hashes = true,
  faults = new FaultPlan(),
} = {}): Promise<YandexStandIn> {
  const disk = new Disk(hashes, faults);
  const api = await listening((request, response) => disk.answer(request, response));
  // The bytes are on another host, which must never receive the token.
  const bytesHost = await listening((request, response) => disk.sendBytes(request, response));
  disk.apiUrl = api.url;
  disk.bytesUrl = bytesHost.url.replace("127.0.0.1", "localhost");
  return {
    url: api.url,
    requests: disk.requests,
    faults: disk.faults,
    put: (path, content) => disk.put(path, content),
    remove: (path) => {
      disk.nodes.delete(path);
    },
    setTokens: (tokens) => {
      disk.tokens = tokens;
    },
    tokens: () => disk.tokens,
    close: async () => {
      await Promise.all([api, bytesHost].map(({ server }) => closed(server)));
    },
  };
}

class Disk {
  apiUrl = "";
  bytesUrl = "";
  tokens: { access: string; refresh: string | null } = { access: "first", refresh: "refresh-1" };
  readonly requests: string[] = [];
  readonly faults: FaultPlan;
  readonly nodes = new Map<string, Node>([["disk:/", { kind: "dir" }]]);
  private readonly links = new Map<string, string>();
  private readonly hashes: boolean;

  constructor(hashes: boolean, faults: FaultPlan) {
    this.hashes = hashes;
    this.faults = faults;
  }

  put(path: string, content: Content): { sha256: string } {
    const parts = path.split("/");
    for (let depth = 2; depth < parts.length; depth++)
      this.nodes.set(parts.slice(0, depth).join("/"), { kind: "dir" });
    const sha256 = sha256Of(content);
    this.nodes.set(path, { kind: "file", content, sha256, modified: new Date().toISOString() });
    return { sha256 };
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.apiUrl);
    if (url.pathname === "/token") return this.refresh(request, response);
    if (url.pathname.startsWith("/download/")) {
      this.redirect(url, request, response);
      return;
    }
    const path = url.searchParams.get("path") ?? "";
    const isLink = url.pathname === "/v1/disk/resources/download";
    const what = isLink ? "link" : url.searchParams.has("limit") ? "list" : "meta";
    this.requests.push(what);
    if (request.headers.authorization !== `OAuth ${this.tokens.access}`) {
      refuse(response, 401, "UnauthorizedError");
      return;
    }
    const fault = this.faults.take(what, path);
    if (fault) return injectFault(fault, response);
    const node = this.nodes.get(path);
    if (!node) {
      refuse(response, 404, "DiskNotFoundError");
      return;
    }
    if (isLink) {
      const id = randomUUID();
      this.links.set(id, path);
      json(response, 200, { href: `${this.apiUrl}/download/${id}`, method: "GET", templated: false });
      return;
    }
    if (what === "meta") {
      json(response, 200, this.about(path, node));
      return;
    }
    json(response, 200, this.listing(path, node, url));
  }

  private listing(path: string, node: Node, url: URL) {
    const [limit, offset] = ["limit", "offset"].map((name) => Number(url.searchParams.get(name) ?? 0));
    const inside = `${path.replace(/\/$/, "")}/`;
    const items = [...this.nodes]
      .filter(([one]) => one !== path && one.startsWith(inside) && !one.slice(inside.length).includes("/"))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([one, resource]) => this.about(one, resource));
    return {
      ...this.about(path, node),
      _embedded: {
        path,
        total: items.length,
        limit,
        offset,
        items: items.slice(offset, (offset ?? 0) + (limit ?? 20)),
      },
    };
  }

  private about(path: string, node: Node) {
    const name = path.slice(path.lastIndexOf("/") + 1) || "disk";
    if (node.kind === "dir") return { name, path, type: "dir" };
    const { content, sha256, modified } = node;
    const hashes = this.hashes ? { sha256, md5: sha256.slice(0, 32) } : {};
    return { name, path, type: "file", size: content.size, modified, ...hashes };
  }

  private async refresh(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push("refresh");
    const body = new URLSearchParams(await textOf(request));
    const fault = this.faults.take("refresh", "");
    if (fault) return injectFault(fault, response);
    if (body.get("client_id") !== CLIENT.id || body.get("client_secret") !== CLIENT.secret) {
      json(response, 400, { error: "invalid_client", error_description: "Client not found" });
      return;
    }
    if (body.get("grant_type") !== "refresh_token" || body.get("refresh_token") !== this.tokens.refresh) {
      json(response, 400, { error: "invalid_grant", error_description: "expired_token" });
      return;
    }
    // A refresh token can be used once.
    const count = Number(/\d+$/.exec(this.tokens.refresh ?? "")?.[0] ?? 0) + 1;
    this.tokens = { access: `access-${count}`, refresh: `refresh-${count}` };
    json(response, 200, {
      token_type: "bearer",
      access_token: this.tokens.access,
      refresh_token: this.tokens.refresh,
      expires_in: 31_536_000,
    });
  }

  /** Redirects a link to the host that has the bytes. */
  private redirect(url: URL, request: IncomingMessage, response: ServerResponse): void {
    this.requests.push("download");
    if (request.headers.authorization !== `OAuth ${this.tokens.access}`) {
      refuse(response, 401, "UnauthorizedError");
      return;
    }
    const fault = this.faults.take("download", this.links.get(url.pathname.split("/").at(-1) ?? "") ?? "");
    if (fault) void injectFault(fault, response);
    else response.writeHead(302, { location: `${this.bytesUrl}${url.pathname}` }).end();
  }

  async sendBytes(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push("bytes");
    if (request.headers.authorization !== undefined) {
      refuse(response, 400, "TokenLeaked");
      return;
    }
    const path = this.links.get(request.url?.split("/").at(-1) ?? "") ?? "";
    const node = this.nodes.get(path);
    if (node?.kind !== "file") {
      refuse(response, 404, "DiskNotFoundError");
      return;
    }
    const fault = this.faults.take("bytes", path);
    if (fault?.kind === "status") return injectFault(fault, response);
    await sendContent(node.content, fault, { request, response });
  }
}

/** Sends a file, or the requested range of it, with the fault. */
export async function sendContent(
  content: Content,
  fault: InjectedFault | null,
  {
    request,
    response,
    headers = {},
  }: { request: IncomingMessage; response: ServerResponse; headers?: Record<string, string> },
): Promise<void> {
  const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? "");
  const from = Number(range?.[1] ?? 0);
  if (from >= content.size && content.size > 0) {
    response.writeHead(416, { "content-range": `bytes */${content.size}` }).end();
    return;
  }
  const length = fault?.kind === "short" ? content.size - 10 : content.size - from;
  response.writeHead(range ? 206 : 200, {
    ...headers,
    "content-length": length,
    "accept-ranges": "bytes",
    ...(range ? { "content-range": `bytes ${from}-${content.size - 1}/${content.size}` } : {}),
  });
  await sendBody(content, from, length, fault, response);
}

async function sendBody(
  { read }: Content,
  from: number,
  length: number,
  fault: InjectedFault | null,
  response: ServerResponse,
): Promise<void> {
  const breaks = fault?.kind === "reset" || fault?.kind === "stall" ? (fault.after ?? 0) : Infinity;
  let sent = 0;
  for (const piece of read(from)) {
    let part = piece.subarray(0, Math.min(length, breaks) - sent);
    if (fault?.kind === "garbled" && sent === 0) part = Buffer.from(part.map((byte) => byte ^ 1));
    sent += part.length;
    if (part.length > 0 && !response.write(part)) await drained(response);
    if (response.destroyed) return;
    if (sent >= breaks) {
      if (fault?.kind === "stall") return;
      // Let the written bytes arrive before the connection closes.
      await pause(20);
      response.destroy();
      return;
    }
  }
  response.end();
}

/** Resolves when the response can be written again, or is closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

async function injectFault(fault: InjectedFault, response: ServerResponse): Promise<void> {
  if (fault.kind === "status")
    json(response, fault.status, fault.body ?? { error: "SomeError" }, fault.headers);
  else if (fault.kind !== "stall") response.destroy();
  return Promise.resolve();
}

function refuse(response: ServerResponse, status: number, error: string): void {
  json(response, status, { message: "Не получилось.", description: `${error} at disk:/secret/path`, error });
}

export function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

export async function listening(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    Promise.resolve(answer(request, response)).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
}

export async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
