import { open, readFile, readlink, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./launcher.ts";
import type { Binaries } from "./binaries.ts";
import { isAlive } from "./create-folder.ts";
import type { Listening } from "./server-settings.ts";
import { codeOf, messageOf, unusable } from "./unusable.ts";

/** The running server of a cluster, as described by its lock file postmaster.pid. */
export type Postmaster = {
  pid: number;
  status: "starting" | "ready" | "stopping";
  listening: Listening;
};

const LOCK_FILE = "postmaster.pid";

// No process has this id: the maximum of every kernel is far below.
const NO_PROCESS = 2_147_483_646;

/** Returns the server of the cluster; undefined if there is none, or only the lock file of a dead one. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, LOCK_FILE), "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  });
  const [pidLine = "", , , port, folder, , , status] = text.split("\n");
  const pid = Number(pidLine);
  // The lock file of a starting server is empty for a moment. A second server started then is refused by PostgreSQL itself.
  if (!Number.isInteger(pid) || pid <= 0 || !(await isPostmasterOf(cluster, pid))) return undefined;
  return {
    pid,
    // The line is missing until the server listens, and is padded with spaces.
    status: (["ready", "stopping"] as const).find((known) => known === status?.trim()) ?? "starting",
    listening: folder ? { transport: "socket", folder } : { transport: "tcp", port: Number(port) },
  };
}

/**
 * Replaces the process id in stale lock files by an unused one. After a crash of the machine the id may belong to another
 * process or to a zombie, and PostgreSQL would refuse to start. This is done only if /proc proves that the process is not
 * a server of this cluster. The other lines stay, since PostgreSQL reads there which shared memory to check.
 */
export async function disownStaleLocks(cluster: string, socketFolder: string | undefined): Promise<void> {
  if (process.platform !== "linux") return;
  const sockets = socketFolder ? await readdir(socketFolder).catch(() => []) : [];
  const locks = [
    join(cluster, LOCK_FILE),
    ...sockets.filter((name) => name.endsWith(".lock")).map((name) => join(String(socketFolder), name)),
  ];
  for (const lock of locks) await disownIfStale(lock, cluster);
}

// Reads and writes through one handle, so that a new file put there by another process is not overwritten.
async function disownIfStale(lock: string, cluster: string): Promise<void> {
  const handle = await open(lock, "r+").catch(() => undefined);
  if (!handle) return;
  try {
    const [pidLine = "", ...rest] = (await handle.readFile("utf8")).split("\n");
    const pid = Number(pidLine);
    if (!(pid > 0) || !isAlive(pid) || (await isPostmasterOf(cluster, pid))) return;
    const disowned = Buffer.from([String(NO_PROCESS), ...rest].join("\n"));
    await handle.write(disowned, 0, disowned.length, 0);
    await handle.truncate(disowned.length);
  } finally {
    await handle.close();
  }
}

async function isPostmasterOf(cluster: string, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== "linux") return true;
  try {
    // A server's working directory is its data folder, even before it takes the lock. A zombie has none.
    return (await readlink(`/proc/${pid}/cwd`)) === cluster;
  } catch (error) {
    // PostgreSQL always runs as the owner of its files, so a process of another user has reused the id of a dead server.
    return codeOf(error) === "EACCES" && (await uidOf(pid)) === (await stat(cluster)).uid;
  }
}

/** Returns the effective uid of a process. The owner of its /proc folder may differ: it is root if the program is unreadable. */
async function uidOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const effective = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1];
  return effective === undefined ? undefined : Number(effective);
}

/** Requests a fast shutdown: the server ends all sessions and writes a checkpoint. */
export async function requestStop(pid: number, binaries: () => Binaries): Promise<void> {
  if (process.platform === "win32") {
    await run({ kind: "direct" }, binaries().pgCtl, ["kill", "INT", String(pid)]);
    return;
  }
  try {
    process.kill(pid, "SIGINT");
  } catch (error) {
    if (codeOf(error) !== "ESRCH")
      throw unusable(`PostgreSQL (process ${pid}) cannot be stopped: ${messageOf(error)}.`, error);
  }
}
