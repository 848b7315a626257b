import { execFileSync } from "node:child_process";
import { rmSync, mkdtempSync, writeSync, openSync, closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Whether this user may mount a tmpfs, which a test can fill. */
export const CAN_MOUNT = canMount();

/** Mounts a disk of 64 KB until the test ends. */
export function smallDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), "pawl-small-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
  onTestFinished(() => {
    unmount(folder);
  });
  return folder;
}

/** Fills the disk to its last byte; returns a function that frees the space. */
export function fillDisk(folder: string): () => void {
  const path = join(folder, "filler");
  const file = openSync(path, "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(1_024));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
  return () => {
    rmSync(path);
  };
}

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "pawl-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return false;
  }
  unmount(folder);
  return true;
}

function unmount(folder: string): void {
  // Lazily: a process that was just killed may still have its log open.
  execFileSync("umount", ["--lazy", folder]);
  rmSync(folder, { recursive: true });
}
