import { statfs } from "node:fs/promises";
import { PawlError } from "../core/index.ts";

/** The database cannot be used; the sentence says what to do, and nothing was deleted. */
export function unusable(sentence: string, cause?: unknown): PawlError {
  return new PawlError("DATABASE_UNUSABLE", sentence, {}, cause === undefined ? undefined : { cause });
}

/** Says what the operating system refused to do with a folder of ours, in one sentence. */
export function unusableFolder(folder: string, cause: unknown): Error {
  // Without a code it is a mistake of ours, and no sentence should hide it.
  if (cause instanceof Error && (cause instanceof PawlError || codeOf(cause) === "")) return cause;
  switch (codeOf(cause)) {
    case "EEXIST":
    case "ENOTDIR":
      return unusable(`${folder} is a file where a data folder is wanted; name another data folder.`, cause);
    case "EACCES":
    case "EPERM":
      return unusable(
        `${folder} cannot be written by this user; run as its owner or name another data folder.`,
        cause,
      );
    case "EROFS":
      return unusable(`${folder} is on a read-only disk; name another data folder.`, cause);
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(folder, cause);
    default:
      return unusable(
        `The data folder ${folder} cannot be used (${messageOf(cause)}); mend that or name another data folder.`,
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

/** PostgreSQL on a full disk often cannot even write the log line that would tell. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined);
  return disk !== undefined && disk.bavail * disk.bsize < 1024 * 1024;
}

/** The code of the system's or of PostgreSQL's error; empty for any other. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
