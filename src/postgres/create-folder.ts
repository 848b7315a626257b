import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "./unusable.ts";

/**
 * Creates a folder atomically: fills a temporary one next to `target` and renames it. Even if the process is killed, `target`
 * is complete or does not exist; if two processes create it at once, the first one wins.
 */
export async function createFolder(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
  await removeLeftovers(target);
  const folder = `${target}.making-${process.pid}-${randomBytes(4).toString("hex")}`;
  try {
    await mkdir(folder, { mode: 0o700 });
    await fill(folder);
    await rename(folder, target);
    await syncFolder(dirname(target));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!["EEXIST", "ENOTEMPTY"].includes(codeOf(error))) throw error;
  }
}

/** Removes temporary folders of killed processes; their names contain the process id. */
async function removeLeftovers(target: string): Promise<void> {
  const prefix = `${basename(target)}.making-`;
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (isAlive(pid)) continue;
    // A child of the killed process may still be writing there; then the next start removes the folder.
    await rm(join(dirname(target), name), { recursive: true, force: true, maxRetries: 5 }).catch(
      () => undefined,
    );
  }
}

/** Checks whether a process is alive. EPERM means that it is, and belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

// A rename is durable only after an fsync of its folder. Windows does not have or need this.
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
