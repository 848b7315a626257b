import { open, readFile, readlink, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./launcher.ts";
import type { Binaries } from "./binaries.ts";
import { isAlive } from "./make-whole.ts";
import type { Listening } from "./server-settings.ts";
import { codeOf, messageOf, unusable } from "./unusable.ts";

/** The running server of a cluster, as its own lock file postmaster.pid tells. */
export type Postmaster = {
  pid: number;
  status: "starting" | "ready" | "stopping";
  listening: Listening;
};

const LOCK_FILE = "postmaster.pid";

// No process has it: the kernels' highest ids are far below.
const NO_PROCESS = 2_147_483_646;

/** Reads who serves the cluster; a lock file that a dead server left counts as nobody. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(cluster, LOCK_FILE), "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  });
  const [pidLine = "", , , port, folder, , , status] = text.split("\n");
  const pid = Number(pidLine);
  // While a server starts, its lock file is empty for a moment: whoever tries to start beside it is told by PostgreSQL.
  if (!Number.isInteger(pid) || pid <= 0 || !(await isPostmasterOf(cluster, pid))) return undefined;
  return {
    pid,
    // The line is missing before the server listens, and padded with blanks.
    status: (["ready", "stopping"] as const).find((known) => known === status?.trim()) ?? "starting",
    listening: folder ? { transport: "socket", folder } : { transport: "tcp", port: Number(port) },
  };
}

/**
 * After a crash of the machine the id in a lock file may belong to any other process, or to a zombie, and
 * PostgreSQL would refuse to start. Where /proc proves that it is no server of this cluster, the id is
 * replaced by one that nobody has. The rest stays: PostgreSQL still reads there which shared memory to check.
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

// Written through one handle: if another process replaces the file meanwhile, its new one is not touched.
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
    // A server works in its data folder, and goes there before it takes the lock. A zombie works nowhere.
    return (await readlink(`/proc/${pid}/cwd`)) === cluster;
  } catch (error) {
    // PostgreSQL runs as the owner of its files and nobody else: another's process took over the id of a dead one.
    return codeOf(error) === "EACCES" && (await uidOf(pid)) === (await stat(cluster)).uid;
  }
}

/** As whom a process runs. Its folder in /proc does not tell: if its program cannot be read, that is root's. */
async function uidOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const effective = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1];
  return effective === undefined ? undefined : Number(effective);
}

/** Asks the server to stop at once but cleanly: it ends all sessions and writes a checkpoint. */
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
