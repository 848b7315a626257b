import { createHash } from "node:crypto";
import { chown, lstat, mkdir, mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "./launcher.ts";
import { SOCKET_PORT } from "./server-settings.ts";
import { codeOf } from "./unusable.ts";

// The kernel's limit for a socket's path is 108 bytes on Linux and 104 on macOS, less than many a project's path.
const PATH_LIMIT_BYTES = 103;

/** Makes the private folder of a socket, ours alone; a running server's postmaster.pid tells others where it is. */
export async function makeSocketFolder(folder: string, owner: Account | undefined): Promise<string> {
  const uid = owner?.uid ?? process.getuid?.();
  if (await makePrivate(folder, owner)) return folder;
  if (await isPrivate(folder, uid)) return folder;
  // Somebody else sits on the name: never trust it, take one that cannot be guessed.
  const unguessable = await mkdtemp(`${folder}-`);
  if (owner) await chown(unguessable, owner.uid, owner.gid);
  return unguessable;
}

/** Short, and named after the cluster. */
export function socketFolderOf(cluster: string): string {
  const hash = createHash("sha256").update(cluster).digest("hex").slice(0, 16);
  return join(shortTemporaryFolder(), `pawl-${hash}`);
}

/** A folder in a shared place is trusted only if nobody else could have made it or can write into it. */
export async function isPrivate(folder: string, uid: number | undefined): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return found !== undefined && found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
}

/** Goes with the last server; a folder in use is not empty and stays. */
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
  const longest = join(tmpdir(), `pawl-${"x".repeat(16)}-${"x".repeat(6)}`, `.s.PGSQL.${SOCKET_PORT}`);
  return Buffer.byteLength(longest) <= PATH_LIMIT_BYTES ? tmpdir() : "/tmp";
}
