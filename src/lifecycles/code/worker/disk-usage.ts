import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 1024,
  MIB: 1024 ** 2,
  GIB: 1024 ** 3,
  TIB: 1024 ** 4,
};
/** The unit of `blocks` in the status of a file. */
const BLOCK_BYTES = 512;

/** Parses a size such as `20GB`, `500 MB` or `1.5GiB`; null if it is none. */
export function parseSize(text: string): number | null {
  const [, amount, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = UNITS[unit.toUpperCase()];
  if (amount === undefined || factor === undefined) return null;
  const bytes = Math.floor(Number(amount) * factor);
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : null;
}

/** Formats a number of bytes as `1.5 GB`. */
export function formatSize(bytes: number): string {
  const [unit, factor] =
    bytes >= 1e9 ? (["GB", 1e9] as const) : bytes >= 1e6 ? (["MB", 1e6] as const) : (["KB", 1e3] as const);
  return `${Math.round((bytes / factor) * 10) / 10} ${unit}`;
}

/** Measures the disk space of a folder, or of a file. Links are not followed, and files with several names count once. */
export async function diskUsage(path: string, seen = new Set<string>()): Promise<number> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory() && found.nlink > 1) {
    const id = `${found.dev}:${found.ino}`;
    if (seen.has(id)) return 0;
    seen.add(id);
  }
  // Windows reports no blocks.
  let bytes = (found.blocks as number | undefined) === undefined ? found.size : found.blocks * BLOCK_BYTES;
  if (!found.isDirectory()) return bytes;
  // One after the other: a worktree can have hundreds of thousands of files.
  for (const name of await readdir(path).catch(() => [])) bytes += await diskUsage(join(path, name), seen);
  return bytes;
}
