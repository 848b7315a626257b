import { lstat, mkdir } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from "node:path";

/** Returns why a path cannot name something inside a repository; null if it can. */
export function pathProblem(path: string): string | null {
  const parts = path.split(/[/\\]/);
  if (path.trim() === "" || normalize(path) === ".") return "it is empty";
  if (isAbsolute(path) || path.startsWith("~")) return "it must be relative to the repository";
  if (parts.includes("..")) return "it leads out of the repository";
  if (parts.some((part) => part.toLowerCase() === ".git")) return "it names git's own files";
  return /[\u0000-\u001f]/.test(path) || path.startsWith(":")
    ? "it has characters that cannot be used"
    : null;
}

/** Returns whether a path is a folder, or inside of it. Reads nothing. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, resolve(path));
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * Returns the full path of something inside a folder, and creates the folders above it. Throws if one of these is a link or a
 * file: writing there could change files outside.
 */
export async function pathForWriting(folder: string, path: string): Promise<string> {
  let above = folder;
  for (const part of dirname(normalize(path)).split(sep)) {
    if (part === ".") continue;
    above = join(above, part);
    const found = await lstat(above).catch(() => null);
    if (found === null) await mkdir(above);
    else if (!found.isDirectory()) throw new Error(`${relative(folder, above)} is a link or a file`);
  }
  return join(folder, path);
}
