import { createHash } from "node:crypto";
import { chown, lstat, mkdir, mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "./launcher.ts";
import { SOCKET_PORT } from "./server-settings.ts";
import { codeOf } from "./unusable.ts";

// The maximum length of a socket's path is 108 bytes on Linux and 104 on macOS; many project paths are longer.
const PATH_LIMIT_BYTES = 103;

/** Creates a private folder for the socket. Other processes find it in the running server's postmaster.pid. */
export async function makeSocketFolder(folder: string, owner: Account | undefined): Promise<string> {
  const uid = owner?.uid ?? process.getuid?.();
  if (await makePrivate(folder, owner)) return folder;
  if (await isPrivate(folder, uid)) return folder;
  // Another user owns the name and cannot be trusted, so use a random one.
  const unguessable = await mkdtemp(`${folder}-`);
  if (owner) await chown(unguessable, owner.uid, owner.gid);
  return unguessable;
}

/** Returns a short path derived from the cluster's. */
export function socketFolderOf(cluster: string): string {
  const hash = createHash("sha256").update(cluster).digest("hex").slice(0, 16);
  return join(shortTemporaryFolder(), `pawl-${hash}`);
}

/** Checks that a folder belongs to a user and is inaccessible to others, since it is in a world-writable place. */
export async function isPrivate(folder: string, uid: number | undefined): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return found !== undefined && found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
}

/** Removes the folder of a stopped server; one in use is not empty and stays. */
export async function removeSocketFolder(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

async function makePrivate(folder: string, owner: Account | undefined): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    if (owner) await chown(folder, owner.uid, owner.gid);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function shortTemporaryFolder(): string {
  const socketPath = join(tmpdir(), `pawl-${"x".repeat(16)}-${"x".repeat(6)}`, `.s.PGSQL.${SOCKET_PORT}`);
  return Buffer.byteLength(socketPath) <= PATH_LIMIT_BYTES ? tmpdir() : "/tmp";
}
