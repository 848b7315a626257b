import { randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

/** A holder shows that often that he is there; who has not for so long is gone, wherever he ran. */
const BEAT_MS = 2_000;
const STALE_MS = 30_000;
const LOOK_MS = 40;

type Holder = { host: string; pid: number; token: string };

/**
 * One at a time, in this process and among all others on the same repository. It dies with its holder: a process that is
 * gone is seen to be gone at once on its own machine, and by its silence from elsewhere. It keeps merges from running into
 * each other; that none is lost if it should ever fail is git's doing, which moves a branch only from where we saw it.
 */
export class RepoLock {
  private readonly path: string;
  private before: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  /** Does something while nobody else does. */
  async hold<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.before.then(() => this.alone(work, signal));
    this.before = turn.catch(() => undefined);
    return turn;
  }

  private async alone<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const token = randomUUID();
    while (!(await this.take(token))) {
      signal?.throwIfAborted();
      if (!(await this.clearIfStale())) await pause(LOOK_MS * (0.5 + Math.random()));
    }
    const beat = setInterval(() => {
      const now = new Date();
      utimes(this.path, now, now).catch(() => undefined);
    }, BEAT_MS);
    try {
      return await work();
    } finally {
      clearInterval(beat);
      await this.letGo(token);
    }
  }

  private async take(token: string): Promise<boolean> {
    const holder: Holder = { host: hostname(), pid: process.pid, token };
    try {
      await writeFile(this.path, JSON.stringify(holder), { flag: "wx" });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  }

  private async letGo(token: string): Promise<void> {
    if ((await this.holder())?.token === token) await rm(this.path, { force: true });
  }

  /** True where it is worth trying again at once. */
  private async clearIfStale(): Promise<boolean> {
    const seen = await this.holder();
    if (seen === null) return true;
    if (seen !== undefined && !(await this.isStale(seen))) return false;
    if (seen === undefined && (await this.ageMs()) < STALE_MS) return false;
    // Moved away, which only one can do, and looked at again: it may have been taken anew since we looked.
    const aside = `${this.path}.${randomUUID()}`;
    try {
      await rename(this.path, aside);
    } catch {
      return true;
    }
    const moved = await read(aside);
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
    return read(this.path);
  }
}

/** null where there is none, undefined where it cannot be read: it is being written, or was never written to its end. */
async function read(path: string): Promise<Holder | null | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Holder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : undefined;
  }
}

/** Whether there is such a process on this machine. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
