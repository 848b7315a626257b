import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Engine } from "../../../src/engine/index.ts";

/** The calls that a node in another process serves. */
type Verbs = Pick<Engine, "perform" | "create" | "claim">;

export type Call = { id: number; verb: keyof Verbs; args: unknown[] };
export type Reply = { id: number; answer: unknown };

/** The application name of the separate node's sessions. */
export const NODE_NAME = "separate node";

/** The advisory lock that the separate node's effect `write_note` waits for. */
export const GATE = 4_711;

export type SeparateNode = Verbs & { pid: number; close(): Promise<void> };

const PROGRAM = fileURLToPath(new URL("./separate-node-process.ts", import.meta.url));

/** Starts a node in a separate process, which the test can pause and continue with signals. */
export async function startSeparateNode(url: string): Promise<SeparateNode> {
  const child = fork(PROGRAM, [url], { execArgv: ["--import", "tsx"] });
  const pending = new Map<number, (answer: unknown) => void>();
  child.on("message", ({ id, answer }: Reply) => {
    pending.get(id)?.(answer);
    pending.delete(id);
  });
  const exited = once(child, "exit");
  const ready = new Promise((resolve) => pending.set(0, resolve));
  await Promise.race([
    ready,
    exited.then(() => {
      throw new Error("the separate node did not start");
    }),
  ]);
  let calls = 0;
  const call =
    (verb: keyof Verbs) =>
    (...args: unknown[]) =>
      new Promise<never>((resolve) => {
        const id = ++calls;
        pending.set(id, resolve as (answer: unknown) => void);
        child.send({ id, verb, args } satisfies Call);
      });
  return {
    pid: child.pid ?? 0,
    perform: call("perform"),
    create: call("create"),
    claim: call("claim"),
    close: async () => {
      child.kill("SIGCONT");
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
