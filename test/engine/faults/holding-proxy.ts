import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SOCKET = ".s.PGSQL.5432";

/** A proxy that can delay the statements of one connection and close the others. */
export type HoldingProxy = {
  url: string;
  /** Holds back the next statement on any connection, and what follows it there; resolves when it has arrived. */
  holdNext(): Promise<void>;
  /** Closes the connection of the next statement when the server answers it, so that the answer is lost. */
  cutNextAnswer(): void;
  /** Closes a connection that is not held, as a terminated backend does. */
  closeOther(): void;
  /** Sends what was held back; resolves when the server has answered. */
  release(): Promise<void>;
  close(): Promise<void>;
};

type Link = { client: Socket; upstream: Socket; held: Buffer[] | null; isCut: boolean };

/** Opens a proxy for a PostgreSQL on a socket. */
export async function holdingProxy(url: string): Promise<HoldingProxy> {
  const target = new URL(url);
  const address = join(target.searchParams.get("host") ?? "", SOCKET);
  const folder = await mkdtemp(join(tmpdir(), "pawl-hold-"));
  const links = new Set<Link>();
  let onHeld: (() => void) | null = null;
  let cutsNext = false;
  const server = createServer((client) => {
    const link: Link = { client, upstream: connect(address), held: null, isCut: false };
    links.add(link);
    for (const socket of [client, link.upstream])
      socket
        .on("error", () => undefined)
        .on("close", () => {
          links.delete(link);
          client.destroy();
          link.upstream.destroy();
        });
    link.upstream.on("data", (chunk) => {
      if (link.isCut) client.destroy();
      else client.write(chunk);
    });
    client.on("data", (chunk) => {
      if (cutsNext) {
        link.isCut = true;
        cutsNext = false;
      }
      if (onHeld) {
        link.held = [];
        onHeld();
        onHeld = null;
      }
      if (link.held) link.held.push(chunk);
      else link.upstream.write(chunk);
    });
  });
  server.listen(join(folder, SOCKET));
  await once(server, "listening");
  target.searchParams.set("host", folder);
  return {
    url: target.href,
    holdNext: () => new Promise((resolve) => (onHeld = resolve)),
    cutNextAnswer: () => {
      cutsNext = true;
    },
    closeOther: () => {
      const [other] = [...links].filter(({ held }) => held === null);
      if (!other) throw new Error("every connection is held");
      other.client.destroy();
    },
    release: async () => {
      const [link] = [...links].filter(({ held }) => held !== null);
      if (!link) throw new Error("no connection is held");
      const answered = once(link.upstream, "data");
      for (const chunk of link.held ?? []) link.upstream.write(chunk);
      link.held = null;
      await answered;
    },
    close: async () => {
      for (const { client } of links) client.destroy();
      server.close();
      await once(server, "close");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
