import { statfs } from "node:fs/promises";
import { PawlError } from "../core/index.ts";

/** Makes the error for a database that cannot be used. The sentence must also explain what to do. */
export function unusable(sentence: string, cause?: unknown): PawlError {
  return new PawlError("DATABASE_UNUSABLE", sentence, {}, cause === undefined ? undefined : { cause });
}

/** Describes in one sentence why a folder cannot be used. */
export function unusableFolder(folder: string, cause: unknown): Error {
  // An error without a code is a bug, which must not be hidden behind a sentence.
  if (cause instanceof Error && (cause instanceof PawlError || codeOf(cause) === "")) return cause;
  switch (codeOf(cause)) {
    case "EEXIST":
    case "ENOTDIR":
      return unusable(`${folder} is a file, not a folder; choose another data folder.`, cause);
    case "EACCES":
    case "EPERM":
      return unusable(
        `${folder} is not writable for this user; run as its owner or choose another data folder.`,
        cause,
      );
    case "EROFS":
      return unusable(`${folder} is on a read-only disk; choose another data folder.`, cause);
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(folder, cause);
    default:
      return unusable(
        `The data folder ${folder} cannot be used (${messageOf(cause)}); fix that or choose another data folder.`,
        cause,
      );
  }
}

export function diskFull(folder: string, cause?: unknown): PawlError {
  return unusable(
    `The disk of ${folder} is full; free some space and start again (nothing was deleted).`,
    cause,
  );
}

/** Checks the disk itself, because on a full disk PostgreSQL often cannot even write its log line. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined);
  return disk !== undefined && disk.bavail * disk.bsize < 1024 * 1024;
}

/** Returns the code of an error of the system or of PostgreSQL; empty for others. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
