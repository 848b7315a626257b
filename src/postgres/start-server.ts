import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ClusterPaths, LaunchPlan } from "./cluster.ts";
import { cannotRun, launch } from "./launcher.ts";
import { disownStaleLocks, readPostmaster } from "./postmaster.ts";
import { openLog, readLog, failureReason } from "./server-log.ts";
import { enforcedSettings, type Listening } from "./server-settings.ts";
import { makeSocketFolder, removeSocketFolder, socketFolderOf } from "./socket-folder.ts";
import { diskFull, isDiskFull, unusable } from "./unusable.ts";

export type ServerOptions = {
  transport: "socket" | "tcp";
  /** The port to use; default any free one. */
  port?: number | undefined;
  /** The socket's folder; default one named after the cluster. */
  folder?: string | undefined;
  fsync: boolean;
};

/**
 * Starts PostgreSQL and returns undefined when it is ready, or the reason why it could not start if a retry may succeed,
 * for example because another process started it first: PostgreSQL's own lock decides between the two.
 */
export async function startServer(plan: LaunchPlan, options: ServerOptions): Promise<string | undefined> {
  const { paths, launcher, binaries } = plan;
  const owner = launcher.kind === "user" ? launcher.as : undefined;
  const listening = await chooseListening(plan, options);
  const socketFolder = listening.transport === "socket" ? listening.folder : undefined;
  await disownStaleLocks(paths.cluster, socketFolder);

  const settings = Object.entries(enforcedSettings(listening, options.fsync)).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const log = await openLog(paths.log, owner);
  // Detached, because Ctrl-C in a terminal reaches every process of its session and the server must outlive our last query.
  const child = launch(launcher, binaries.postgres, ["-D", paths.cluster, ...settings], {
    detached: true,
    stdio: ["ignore", log.handle.fd, log.handle.fd],
  });
  child.unref();
  const end: { seen: boolean; error?: Error } = { seen: false };
  child.once("exit", () => (end.seen = true));
  child.once("error", (error) => Object.assign(end, { seen: true, error }));
  await log.handle.close();

  // Crash recovery may take any time, so there is no timeout while the server is alive.
  for (;;) {
    const postmaster = await readPostmaster(paths.cluster);
    if (postmaster && postmaster.pid === child.pid && postmaster.status !== "starting") return undefined;
    if (end.seen) break;
    await pause(5);
  }
  if (end.error) throw cannotRun(binaries.postgres, end.error);
  return explainEnd(plan, options, listening, await readLog(paths.log, log.from));
}

/** Returns the reason of the failure if a retry may succeed, and throws it otherwise. */
async function explainEnd(
  { paths }: LaunchPlan,
  options: ServerOptions,
  listening: Listening,
  output: string,
): Promise<string> {
  const reason = failureReason(output);
  const socketFolder = listening.transport === "socket" ? listening.folder : undefined;
  // Another server is starting, running or stopping.
  if (/lock file ".*" (already exists|is empty)/.test(output)) {
    // A folder with the usual name is in use by the other server.
    if (socketFolder !== undefined && socketFolder !== usualFolder(paths, options))
      await removeSocketFolder(socketFolder);
    return reason;
  }
  if (listening.transport === "tcp" && /could not bind .*: Address already in use/i.test(output)) {
    if (options.port === undefined) return reason;
    throw unusable(
      `Port ${options.port} is in use by another program; stop that program or give Pawl's PostgreSQL another port.`,
    );
  }
  if (socketFolder !== undefined) {
    // A stopping server removed the socket's folder after we had found it.
    if (!existsSync(socketFolder)) return reason;
    await removeSocketFolder(socketFolder);
  }
  if (output.includes("No space left") || (await isDiskFull(paths.data))) throw diskFull(paths.named);
  throw unusable(
    `PostgreSQL cannot open ${paths.cluster} (${reason}); fix that, restore a backup or choose another data folder (details are in ${paths.log}).`,
  );
}

async function chooseListening({ paths, launcher }: LaunchPlan, options: ServerOptions): Promise<Listening> {
  if (options.transport === "tcp") return { transport: "tcp", port: options.port ?? (await freePort()) };
  const owner = launcher.kind === "user" ? launcher.as : undefined;
  return { transport: "socket", folder: await makeSocketFolder(usualFolder(paths, options), owner) };
}

function usualFolder(paths: ClusterPaths, options: ServerOptions): string {
  return options.folder ?? socketFolderOf(paths.cluster);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
