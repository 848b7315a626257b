import { constants } from "node:fs";
import { mkdir, open, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { WorkerUnusable } from "./worker-errors.ts";

const WORLD_WRITABLE = 0o002;
const STICKY = 0o1000;

/** Creates a folder, or checks that other users cannot replace its contents. Returns its real path. */
export async function ownFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const real = await realpath(path);
  const { uid, mode } = await stat(real);
  const isOpen = (mode & WORLD_WRITABLE) !== 0 && (mode & STICKY) === 0;
  if ((isOurs(uid) || uid === 0) && (!isOpen || process.platform === "win32")) return real;
  throw new WorkerUnusable(`${path} belongs to another user, or everyone can write to it.`);
}

/** Creates a folder that only this user can enter, or restricts an existing one of this user. Links are not followed. */
export async function privateFolder(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  if (process.platform === "win32") return path;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch((error: unknown) => {
    throw new WorkerUnusable(`${path} is not a folder of this user: ${(error as Error).message}.`);
  });
  try {
    const { uid, mode } = await folder.stat();
    if (!isOurs(uid)) throw new WorkerUnusable(`${path} belongs to another user.`);
    if ((mode & 0o077) !== 0) await folder.chmod(0o700);
    return path;
  } finally {
    await folder.close();
  }
}

function isOurs(uid: number): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}
