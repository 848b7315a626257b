import { copyFile, open, readFile, rm, stat, truncate, type FileHandle } from "node:fs/promises";
import type { Account } from "./launcher.ts";

const LOG_LIMIT_BYTES = 4 * 1024 * 1024;

/** Opens the log for appending: two servers that race to start share it, and it can be truncated while in use. */
export async function openLog(path: string, owner?: Account): Promise<{ handle: FileHandle; from: number }> {
  await trimLog(path);
  const handle = await open(path, "a", 0o600);
  // If root runs a user's cluster, the user must be able to append later.
  if (owner) await handle.chown(owner.uid, owner.gid);
  return { handle, from: (await handle.stat()).size };
}

/** Limits the size of the log and keeps one older part; on a full disk the older part is dropped. */
export async function trimLog(path: string, limit = LOG_LIMIT_BYTES): Promise<void> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size <= limit) return;
  await copyFile(path, `${path}.1`).catch(() => rm(`${path}.1`, { force: true }));
  await truncate(path);
}

export async function readLog(path: string, from: number): Promise<string> {
  const log = await readFile(path).catch(() => Buffer.alloc(0));
  return log.subarray(from).toString();
}

/** Finds the line with the reason why a program of PostgreSQL failed. */
export function failureReason(output: string): string {
  // The end of a session is not a reason.
  const lines = output
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.includes("terminating connection"));
  const reason =
    lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ??
    lines.findLast((line) => /\b(error|ERROR|could not|invalid|cannot)\b/.test(line)) ??
    lines.at(-1) ??
    "no reason given";
  return reason
    .replace(/^.*?\b(FATAL|PANIC|ERROR|LOG|error): +/, "")
    .replace(/^(postgres|initdb): /, "")
    .trim();
}
