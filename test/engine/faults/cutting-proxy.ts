import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How the proxy treats a COMMIT: it passes, or the connection is cut after it, before it, or while it is still under way. */
export type Fate = "pass" | "after" | "before" | "late";

export type CuttingProxy = { url: string; cuts: number; close(): Promise<void> };

const SOCKET = ".s.PGSQL.5432";

/** Delay of a late COMMIT, long enough for the retry to arrive first. */
const LATE_MS = 15;

/** Opens a proxy for a PostgreSQL on a socket, which parses the client's messages to find its COMMITs. */
export async function cuttingProxy(url: string, fateOf: (commit: number) => Fate): Promise<CuttingProxy> {
  const target = new URL(url);
  const address = join(target.searchParams.get("host") ?? "", SOCKET);
  const folder = await mkdtemp(join(tmpdir(), "pawl-cut-"));
  const sockets = new Set<Socket>();
  const proxy: CuttingProxy = {
    url: "",
    cuts: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
      await rm(folder, { recursive: true, force: true });
    },
  };
  let commits = 0;
  const server = createServer((client) => {
    const upstream = connect(address);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    upstream.pipe(client);
    client.on("close", () => {
      if (!cut) upstream.end();
    });
    let cut = false;
    const hasCommit = commitReader();
    client.on("data", (chunk) => {
      if (cut) return;
      const fate = hasCommit(chunk) ? fateOf(commits++) : "pass";
      if (fate === "pass") {
        upstream.write(chunk);
        return;
      }
      cut = true;
      proxy.cuts++;
      upstream.unpipe(client);
      upstream.resume();
      client.destroy();
      // Half-closed: PostgreSQL reads everything sent so far, then the end of the connection.
      if (fate === "before") upstream.end();
      else if (fate === "after") upstream.end(chunk);
      else setTimeout(() => upstream.end(chunk), LATE_MS);
    });
  });
  server.listen(join(folder, SOCKET));
  await once(server, "listening");
  target.searchParams.set("host", folder);
  proxy.url = target.href;
  return proxy;
}

/** Parses the messages of one client; returns whether a chunk executes a COMMIT. The driver sends a COMMIT in one chunk. */
function commitReader(): (chunk: Buffer) => boolean {
  const commitStatements = new Set<string>();
  let rest = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    let commits = false;
    for (;;) {
      // The first message has no type.
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return commits;
      const length = head + rest.readUInt32BE(head);
      if (rest.length < length) return commits;
      const type = started ? String.fromCharCode(rest[0] ?? 0) : "";
      const [first = "", second = ""] = rest.toString("latin1", head + 4, length).split("\0");
      if (type === "P" && second.trim().toLowerCase() === "commit") commitStatements.add(first);
      if (type === "B" && commitStatements.has(second)) commits = true;
      if (type === "Q" && first.trim().toLowerCase() === "commit") commits = true;
      started = true;
      rest = rest.subarray(length);
    }
  };
}
