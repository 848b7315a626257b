import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

export type SoakProcessOptions = {
  name: string;
  /** Node's arguments: the command line of Pawl. */
  args: readonly string[];
  env: Record<string, string>;
  /** The folder of its log; it runs in a folder of its own below. */
  folder: string;
};

/** A process of Pawl that can be killed and started again. */
export class SoakProcess {
  readonly name: string;
  private readonly options: SoakProcessOptions;
  private child: ChildProcess | null = null;
  private ended: Promise<unknown> = Promise.resolve();
  private isEnding = false;

  constructor(options: SoakProcessOptions) {
    this.options = options;
    this.name = options.name;
  }

  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /** Starts the process; resolves with the first output that matches. */
  async start(ready: RegExp): Promise<string> {
    const { name, args, env, folder } = this.options;
    const cwd = join(folder, name);
    await mkdir(cwd, { recursive: true });
    const child = spawn(process.execPath, [...args], {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    this.isEnding = false;
    const log = createWriteStream(join(folder, `${name}.log`), { flags: "a" });
    child.stderr.pipe(log, { end: false });
    child.stdout.pipe(log, { end: false });
    this.ended = once(child, "close").then(() => {
      log.end();
      this.child = null;
    });
    let output = "";
    return new Promise((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (output.length > 10_000) return;
        output += text;
        const found = ready.exec(output);
        if (found) resolve(found[0]);
      });
      void this.ended.then(() => {
        reject(new Error(`${name} ended before it was ready; see ${join(folder, `${name}.log`)}`));
      });
    });
  }

  /** Ends the process and waits until it is gone. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.isEnding = true;
    this.child?.kill(signal);
    await this.ended;
  }

  /** Returns whether the process has ended by itself. */
  hasCrashed(): boolean {
    return this.child === null && !this.isEnding;
  }
}

/** Returns the resident memory of processes in MB. */
export async function residentMemory(pids: readonly number[]): Promise<Map<number, number>> {
  if (pids.length === 0) return new Map();
  const { stdout } = await execute("ps", ["-o", "pid=,rss=", "-p", pids.join(",")]).catch(
    (error: unknown) => error as { stdout: string },
  );
  const rows = stdout.trim().split("\n");
  return new Map(
    rows.map((row) => {
      const [pid = 0, kb = 0] = row.trim().split(/\s+/).map(Number);
      return [pid, kb / 1024];
    }),
  );
}
