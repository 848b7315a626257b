import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Place, Running } from "./cluster.ts";
import { cannotRun, launch } from "./launcher.ts";
import { disownStaleLocks, readPostmaster } from "./postmaster.ts";
import { openLog, readLog, tellingLine } from "./server-log.ts";
import { enforcedSettings, type Listening } from "./server-settings.ts";
import { makeSocketFolder, removeSocketFolder, socketFolderOf } from "./socket-folder.ts";
import { diskFull, isDiskFull, unusable } from "./unusable.ts";

export type Wish = {
  transport: "socket" | "tcp";
  /** A port to keep; any free one unless given. */
  port?: number | undefined;
  /** A socket's folder to keep; one named after the cluster unless given. */
  folder?: string | undefined;
  fsync: boolean;
};

/**
 * Starts PostgreSQL and returns when it is up, or when somebody else's is in the way:
 * PostgreSQL's own lock decides between two that start at once, and the caller looks again.
 * Gives what was in the way.
 */
export async function startServer(running: Running, wish: Wish): Promise<string | undefined> {
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
    if (postmaster && postmaster.pid === child.pid && postmaster.status !== "starting") return undefined;
    if (end.seen) break;
    await pause(5);
  }
  if (end.error) throw cannotRun(binaries.postgres, end.error);
  return explainEnd(running, wish, listening, await readLog(place.log, log.from));
}

/** Gives the reason if a new try may succeed, throws it if not. */
async function explainEnd(
  { place }: Running,
  wish: Wish,
  listening: Listening,
  output: string,
): Promise<string> {
  const reason = tellingLine(output);
  const socketFolder = listening.transport === "socket" ? listening.folder : undefined;
  // Another one is starting, running or stopping.
  if (/lock file ".*" (already exists|is empty)/.test(output)) {
    // A folder under the usual name is the other one's, too.
    if (socketFolder !== undefined && socketFolder !== usualFolder(place, wish))
      await removeSocketFolder(socketFolder);
    return reason;
  }
  if (listening.transport === "tcp" && /could not bind .*: Address already in use/i.test(output)) {
    if (wish.port === undefined) return reason;
    throw unusable(
      `Port ${wish.port} is in use by another program; stop that program or give Pawl's PostgreSQL another port.`,
    );
  }
  if (socketFolder !== undefined) {
    // A server that stopped took the socket's folder along after we had found it.
    if (!existsSync(socketFolder)) return reason;
    await removeSocketFolder(socketFolder);
  }
  if (output.includes("No space left") || (await isDiskFull(place.data))) throw diskFull(place.named);
  throw unusable(
    `PostgreSQL cannot open ${place.cluster} (${reason}); mend that, restore a backup or name another data folder (the whole story is in ${place.log}).`,
  );
}

async function chooseListening({ place, launcher }: Running, wish: Wish): Promise<Listening> {
  if (wish.transport === "tcp") return { transport: "tcp", port: wish.port ?? (await freePort()) };
  const owner = launcher.kind === "user" ? launcher.as : undefined;
  return { transport: "socket", folder: await makeSocketFolder(usualFolder(place, wish), owner) };
}

function usualFolder(place: Place, wish: Wish): string {
  return wish.folder ?? socketFolderOf(place.cluster);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
