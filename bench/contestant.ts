import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Answer, Bout, Order, Place, Terms } from "./contender.ts";

const CHILD = fileURLToPath(new URL("child.js", import.meta.url));
const MOST_MS_TO_CLOSE = 10_000;

type Waiting = { resolve: (bout: Bout) => void; reject: (error: Error) => void };

/** A contender in a process of its own, seen from the parent. */
export class Contestant {
  private readonly name: string;
  private readonly child: ChildProcess;
  /** When it has opened what it needs. */
  readonly opened: Promise<void>;
  private readonly waiting = new Map<number, Waiting>();
  private orders = 0;

  constructor(name: string, module: URL, place: Place, { node, flags }: { node: string; flags: string[] }) {
    this.name = name;
    this.child = fork(CHILD, [module.href, JSON.stringify(place)], {
      execPath: node,
      execArgv: flags,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, NO_LOG_SUCCESS: "1" },
    });
    this.opened = this.untilOpen();
    // Whoever waits for it hears of it.
    this.opened.catch(() => undefined);
  }

  async do(bout: string, terms: Terms): Promise<Bout> {
    await this.opened;
    const id = ++this.orders;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.send({ id, bout, terms } satisfies Order);
    });
  }

  /** Lets it close what it holds; if it does not, it is ended. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    const patience = setTimeout(() => this.child.kill("SIGKILL"), MOST_MS_TO_CLOSE);
    if (this.child.connected) this.child.disconnect();
    await ended;
    clearTimeout(patience);
  }

  private untilOpen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.on("message", (answer: Answer) => {
        if ("ready" in answer) resolve();
        else this.hear(answer);
      });
      this.child.once("exit", (code, signal) => {
        const error = new Error(`${this.name} ended (${signal ?? code ?? ""}) before its work was done`);
        reject(error);
        for (const { reject: fail } of this.waiting.values()) fail(error);
      });
    });
  }

  private hear(answer: Exclude<Answer, { ready: true }>): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ("error" in answer) waiting?.reject(new Error(`${this.name}: ${answer.error}`));
    else waiting?.resolve(answer.bout);
  }
}
