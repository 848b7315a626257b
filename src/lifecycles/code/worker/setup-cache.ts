import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import {
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  utimes,
} from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { isAbandoned, ownerPrefix } from "./agent-folder.ts";
import { isWithin, pathForWriting, pathProblem } from "./path-inside.ts";
import { privateFolder } from "./private-folder.ts";
import { WorkerUnusable } from "./worker-errors.ts";

/** Folders that the set-up command makes, and the lock files that determine their contents. */
export type SetupCache = { locks: readonly string[]; folders: readonly string[] };

/** Subfolder for the caches, next to the worktrees. */
export const CACHES = "caches";
const UNFINISHED = ".new";

/** Parses `package-lock.json:node_modules`; both sides may be lists separated by commas. */
export function parseSetupCache(text: string): SetupCache {
  const [locks = "", folders = "", ...rest] = text.split(":");
  const cache = { locks: listOf(locks), folders: listOf(folders) };
  if (rest.length > 0 || cache.locks.length === 0 || cache.folders.length === 0)
    throw new WorkerUnusable(
      `Invalid set-up cache "${text}": write lock files and folders, such as package-lock.json:node_modules.`,
    );
  for (const path of [...cache.locks, ...cache.folders]) {
    const problem = pathProblem(path);
    if (problem !== null) throw new WorkerUnusable(`Invalid path "${path}" of a set-up cache: ${problem}.`);
  }
  return cache;
}

function listOf(text: string): string[] {
  return text.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
}

/**
 * Returns the name of a cache: a hash of the set-up command, the platform and the lock files in the worktree. Returns null if a
 * lock file is missing there, or is a link.
 */
export async function cacheKey(
  worktree: string,
  { locks, folders }: SetupCache,
  command: string,
): Promise<string | null> {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([command, process.platform, process.arch, process.version, locks, folders]));
  for (const lock of locks) {
    const content = await readInside(worktree, lock);
    if (content === null) return null;
    hash.update(createHash("sha256").update(content).digest());
  }
  return hash.digest("hex").slice(0, 32);
}

async function readInside(worktree: string, path: string): Promise<Buffer | null> {
  try {
    const real = await realpath(join(worktree, path));
    return isWithin(await realpath(worktree), real) ? await readFile(real) : null;
  } catch {
    return null;
  }
}

/** Copies a cache to a worktree; returns false if there is none. The copy is the worktree's own: changing it changes no cache. */
export async function restoreCache(
  folder: string,
  key: string,
  worktree: string,
  { folders }: SetupCache,
): Promise<boolean> {
  const stored = join(folder, CACHES, key);
  if ((await lstat(stored).catch(() => null)) === null) return false;
  try {
    // The time of the last use: the oldest caches are removed first.
    await utimes(stored, new Date(), new Date());
    for (const [index, path] of folders.entries()) {
      const to = await pathForWriting(worktree, path);
      await rm(to, { recursive: true, force: true });
      await copyTree(join(stored, String(index)), to);
    }
    return true;
  } catch {
    // Another worker may have removed it meanwhile. An incomplete copy must not stay.
    for (const path of folders) await rm(join(worktree, path), { recursive: true, force: true });
    return false;
  }
}

/** Stores folders of a worktree as a cache; returns why that is not possible, or null. */
export async function saveCache(
  folder: string,
  key: string,
  worktree: string,
  { folders }: SetupCache,
): Promise<string | null> {
  const caches = await privateFolder(join(folder, CACHES));
  const unfinished = join(caches, `${UNFINISHED}.${ownerPrefix()}${randomUUID().slice(0, 8)}`);
  try {
    await mkdir(unfinished);
    for (const [index, path] of folders.entries()) {
      const from = await pathForWriting(worktree, path);
      const found = await lstat(from).catch(() => null);
      if (!found?.isDirectory()) return `the set-up made no folder ${path}`;
      await copyTree(from, join(unfinished, String(index)), worktree);
    }
    // Fails if another worker has stored the same cache meanwhile.
    await rename(unfinished, join(caches, key)).catch(() => undefined);
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * Copies a folder with its links as they are: copy-on-write where the file system can, otherwise byte by byte, and never with hard
 * links. `refuseLinksTo` is a folder that absolute links must not lead to, because it will be gone.
 */
async function copyTree(from: string, to: string, refuseLinksTo?: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    errorOnExist: true,
    force: false,
    mode: constants.COPYFILE_FICLONE,
    filter: async (source) => {
      if (refuseLinksTo === undefined) return true;
      const target = await readlink(source).catch(() => null);
      if (target !== null && isAbsolute(target) && isWithin(refuseLinksTo, target))
        throw new Error(`${source.slice(refuseLinksTo.length + 1)} is an absolute link into the worktree`);
      return true;
    },
  });
}

/** Removes what killed workers on this machine have left of unfinished caches. */
export async function removeUnfinishedCaches(folder: string): Promise<void> {
  const caches = join(folder, CACHES);
  for (const name of await readdir(caches).catch(() => []))
    if (name.startsWith(`${UNFINISHED}.`) && isAbandoned(name.slice(UNFINISHED.length + 1)))
      await rm(join(caches, name), { recursive: true, force: true });
}
