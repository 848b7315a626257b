import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "./unusable.ts";

/**
 * Fills a folder beside `target` and renames it into place: `target` is there whole or not at all,
 * however the process ends, and of two makers at once the first one wins.
 */
export async function makeWhole(target: string, fill: (folder: string) => Promise<void>): Promise<void> {
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

/** What a killed maker left behind; its process id is in the name. */
async function removeLeftovers(target: string): Promise<void> {
  const prefix = `${basename(target)}.making-`;
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(prefix)) continue;
    const maker = Number.parseInt(name.slice(prefix.length), 10);
    if (isAlive(maker)) continue;
    // A program that the maker had started may still be writing there; then the next start clears it away.
    await rm(join(dirname(target), name), { recursive: true, force: true, maxRetries: 5 }).catch(
      () => undefined,
    );
  }
}

/** A process that belongs to somebody else (EPERM) is alive, too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

// A rename is on disk only when its folder is. Windows has no such call, and needs none.
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
