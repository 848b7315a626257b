import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Running } from "./cluster.ts";
import { cannotRun, launch } from "./launcher.ts";
import { disownStaleLocks, readPostmaster } from "./postmaster.ts";
import { openLog, readLog, tellingLine } from "./server-log.ts";
import { enforcedSettings, type Listening } from "./server-settings.ts";
import { makeSocketFolder, removeSocketFolder } from "./socket-folder.ts";
import { diskFull, isDiskFull, unusable } from "./unusable.ts";

export type Wish = {
  transport: "socket" | "tcp";
  /** A port to keep; any free one unless given. */
  port?: number | undefined;
  fsync: boolean;
};

/**
 * Starts PostgreSQL and returns when it is up, or when somebody else's is in the way:
 * PostgreSQL's own lock decides between two that start at once, and the caller looks again.
 */
export async function startServer(running: Running, wish: Wish): Promise<void> {
  const { place, launcher, binaries } = running;
  const owner = launcher.kind === "user" ? launcher.as : undefined;
  const listening = await chooseListening(running, wish);
  const socketFolder = listening.transport === "socket" ? listening.folder : undefined;
  await disownStaleLocks(place.cluster, socketFolder);

  const settings = Object.entries(enforcedSettings(listening, wish.fsync)).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const log = await openLog(place.log, owner);
  // Detached: Ctrl-C in a terminal reaches every process of its session, and this one must outlive our last query.
  const child = launch(launcher, binaries.postgres, ["-D", place.cluster, ...settings], {
    detached: true,
    stdio: ["ignore", log.handle.fd, log.handle.fd],
  });
  child.unref();
  const end: { seen: boolean; error?: Error } = { seen: false };
  child.once("exit", () => (end.seen = true));
  child.once("error", (error) => Object.assign(end, { seen: true, error }));
  await log.handle.close();

  // Crash recovery takes as long as it takes, so there is no deadline while the server lives.
  for (;;) {
    const postmaster = await readPostmaster(place.cluster);
    if (postmaster && postmaster.pid === child.pid && postmaster.status !== "starting") return;
    if (end.seen) break;
    await pause(5);
  }
  if (end.error) throw cannotRun(binaries.postgres, end.error);
  await explainEnd(running, wish, listening, await readLog(place.log, log.from));
}

/** Returns if a new try may succeed, throws the reason if not. */
async function explainEnd(
  { place }: Running,
  wish: Wish,
  listening: Listening,
  output: string,
): Promise<void> {
  // Another one is starting, running or stopping.
  if (/lock file ".*" (already exists|is empty)/.test(output)) return;
  // A server that stopped took the socket's folder along after we had found it.
  if (listening.transport === "socket" && !existsSync(listening.folder)) return;
  if (listening.transport === "tcp" && /could not bind .*: Address already in use/i.test(output)) {
    if (wish.port === undefined) return;
    throw unusable(
      `Port ${wish.port} is in use by another program; stop that program or give Pawl's PostgreSQL another port.`,
    );
  }
  if (listening.transport === "socket") await removeSocketFolder(listening.folder);
  if (output.includes("No space left") || (await isDiskFull(place.data))) throw diskFull(place.named);
  throw unusable(
    `PostgreSQL cannot open ${place.cluster} (${tellingLine(output)}); mend that, restore a backup or name another data folder (the whole story is in ${place.log}).`,
  );
}

async function chooseListening({ place, launcher }: Running, wish: Wish): Promise<Listening> {
  if (wish.transport === "tcp") return { transport: "tcp", port: wish.port ?? (await freePort()) };
  const owner = launcher.kind === "user" ? launcher.as : undefined;
  return { transport: "socket", folder: await makeSocketFolder(place.cluster, owner) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
