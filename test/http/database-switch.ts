import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SOCKET = ".s.PGSQL.5432";

/** A proxy in front of a PostgreSQL socket; when switched off, it closes all connections and accepts none. */
export type DatabaseSwitch = {
  url: string;
  off(): Promise<void>;
  on(): Promise<void>;
  close(): Promise<void>;
};

export async function databaseSwitch(url: string): Promise<DatabaseSwitch> {
  const target = new URL(url);
  const address = join(target.searchParams.get("host") ?? "", SOCKET);
  const folder = await mkdtemp(join(tmpdir(), "pawl-switch-"));
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const off = async () => {
    const closing = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    closing?.close();
    if (closing) await once(closing, "close");
  };
  const on = async () => {
    server = createServer((client) => {
      const upstream = connect(address);
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
    server.listen(join(folder, SOCKET));
    await once(server, "listening");
  };
  await on();
  target.searchParams.set("host", folder);
  return {
    url: target.href,
    off,
    on,
    close: async () => {
      await off();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
