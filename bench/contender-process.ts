import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { WorkloadReply, Measurement, WorkloadRequest, ContenderOptions, Params } from "./contender.ts";

const CHILD = fileURLToPath(new URL("contender-child.js", import.meta.url));
const CLOSE_TIMEOUT_MS = 10_000;

type Pending = { resolve: (measurement: Measurement) => void; reject: (error: Error) => void };

/** The parent's handle on a contender that runs in its own process. */
export class ContenderProcess {
  private readonly name: string;
  private readonly child: ChildProcess;
  /** Resolves when the contender is ready for requests. */
  readonly opened: Promise<void>;
  private readonly pending = new Map<number, Pending>();
  private requests = 0;

  constructor(
    name: string,
    module: URL,
    options: ContenderOptions,
    { node, flags }: { node: string; flags: string[] },
  ) {
    this.name = name;
    this.child = fork(CHILD, [module.href, JSON.stringify(options)], {
      execPath: node,
      execArgv: flags,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, NO_LOG_SUCCESS: "1" },
    });
    this.opened = this.untilOpen();
    // Every caller of `run` awaits `opened` and gets the rejection.
    this.opened.catch(() => undefined);
  }

  async run(workload: string, params: Params): Promise<Measurement> {
    await this.opened;
    const id = ++this.requests;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.child.send({ id, workload, params } satisfies WorkloadRequest);
    });
  }

  /** Asks the process to close, and kills it after a timeout. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, "exit");
    const timeout = setTimeout(() => this.child.kill("SIGKILL"), CLOSE_TIMEOUT_MS);
    if (this.child.connected) this.child.disconnect();
    await exited;
    clearTimeout(timeout);
  }

  private untilOpen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.on("message", (reply: WorkloadReply) => {
        if ("ready" in reply) resolve();
        else this.handleReply(reply);
      });
      this.child.once("exit", (code, signal) => {
        const error = new Error(`${this.name} exited (${signal ?? code ?? ""}) before its work was done`);
        reject(error);
        for (const { reject: fail } of this.pending.values()) fail(error);
      });
    });
  }

  private handleReply(reply: Exclude<WorkloadReply, { ready: true }>): void {
    const request = this.pending.get(reply.id);
    this.pending.delete(reply.id);
    if ("error" in reply) request?.reject(new Error(`${this.name}: ${reply.error}`));
    else request?.resolve(reply.measurement);
  }
}
