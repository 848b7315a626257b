import { randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

/** Interval at which a holder touches the lock file. A lock that was not touched for STALE_MS is stale. */
const HEARTBEAT_MS = 2_000;
const STALE_MS = 30_000;
const RETRY_MS = 40;

type Holder = { host: string; pid: number; token: string };

/**
 * A lock file for all processes on the same repository. The lock of a dead process is removed:
 * at once on the same machine, after missing heartbeats from another one. The lock serializes merges. If it ever fails, no merge is
 * lost, because git moves a branch by compare-and-swap.
 */
export class RepoLock {
  private readonly path: string;
  private previous: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  /** Runs `work` while holding the lock. */
  async hold<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.previous.then(() => this.runLocked(work, signal));
    this.previous = turn.catch(() => undefined);
    return turn;
  }

  private async runLocked<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const token = randomUUID();
    while (!(await this.tryLock(token))) {
      signal?.throwIfAborted();
      if (!(await this.clearIfStale())) await pause(RETRY_MS * (0.5 + Math.random()));
    }
    const heartbeat = setInterval(() => {
      const now = new Date();
      utimes(this.path, now, now).catch(() => undefined);
    }, HEARTBEAT_MS);
    try {
      return await work();
    } finally {
      clearInterval(heartbeat);
      await this.release(token);
    }
  }

  private async tryLock(token: string): Promise<boolean> {
    const holder: Holder = { host: hostname(), pid: process.pid, token };
    try {
      await writeFile(this.path, JSON.stringify(holder), { flag: "wx" });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  }

  private async release(token: string): Promise<void> {
    if ((await this.holder())?.token === token) await rm(this.path, { force: true });
  }

  /** Removes a stale lock; returns whether to try again at once. */
  private async clearIfStale(): Promise<boolean> {
    const seen = await this.holder();
    if (seen === null) return true;
    if (seen !== undefined && !(await this.isStale(seen))) return false;
    if (seen === undefined && (await this.ageMs()) < STALE_MS) return false;
    // Only one process can rename the file. Check it again: another process may have taken the lock meanwhile.
    const aside = `${this.path}.${randomUUID()}`;
    try {
      await rename(this.path, aside);
    } catch {
      return true;
    }
    const moved = await readHolder(aside);
    if (moved?.token !== seen?.token) await rename(aside, this.path).catch(() => undefined);
    else await rm(aside, { force: true });
    return true;
  }

  private async isStale({ host, pid }: Holder): Promise<boolean> {
    if (host === hostname() && !isRunning(pid)) return true;
    return (await this.ageMs()) > STALE_MS;
  }

  private async ageMs(): Promise<number> {
    const found = await stat(this.path).catch(() => null);
    return found ? Date.now() - found.mtimeMs : 0;
  }

  private holder(): Promise<Holder | null | undefined> {
    return readHolder(this.path);
  }
}

/** Returns null if there is no lock file, and undefined if it is not completely written yet. */
async function readHolder(path: string): Promise<Holder | null | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Holder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : undefined;
  }
}

/** Returns whether a process with this id runs on this machine. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
