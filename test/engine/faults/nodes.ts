import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import type { Refusal } from "../../../src/core/index.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import type { PublicTask } from "../../../src/engine/read/public-task.ts";
import type { TestEngine } from "../test-engine.ts";

/** The calls that a node serves, in this process or in another. */
export type Node = Pick<Engine, "perform" | "create" | "claim" | "sweep">;

export type Call = { id: number; verb: keyof Node; args: unknown[] };
export type Reply = { id: number; answer?: unknown; error?: string };

const PROGRAM = fileURLToPath(new URL("./node-process.ts", import.meta.url));

/** Starts a node in a separate process on the test's database; it ends with the test file. */
export async function startNodeProcess(url: string): Promise<Node> {
  const child = fork(PROGRAM, [url], { execArgv: ["--import", "tsx"] });
  const pending = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  child.on("message", ({ id, answer, error }: Reply) => {
    const caller = pending.get(id);
    pending.delete(id);
    if (error === undefined) caller?.resolve(answer as never);
    else caller?.reject(new Error(error));
  });
  const exited = once(child, "exit");
  afterAll(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  const ready = new Promise((resolve, reject) => {
    pending.set(0, { resolve, reject });
  });
  await Promise.race([
    ready,
    exited.then(() => {
      throw new Error("the node did not start");
    }),
  ]);
  let calls = 0;
  const call =
    <Verb extends keyof Node>(verb: Verb) =>
    (...args: Parameters<Node[Verb]>) =>
      new Promise<never>((resolve, reject) => {
        const id = ++calls;
        pending.set(id, { resolve, reject });
        child.send({ id, verb, args } satisfies Call);
      });
  return { perform: call("perform"), create: call("create"), claim: call("claim"), sweep: call("sweep") };
}

/** Opens five nodes: three engines with their own connections in this process, and two in other processes. */
export async function openNodes(env: TestEngine): Promise<Node[]> {
  const processes = await Promise.all([startNodeProcess(env.url), startNodeProcess(env.url)]);
  return [env.engine, env.node(), env.node(), ...processes];
}

/** Calls `make` with 0, 1, 2 … concurrently. */
export function inParallel<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

/** Runs rounds in order, `concurrency` of them at a time. */
export async function runRounds(
  count: number,
  concurrency: number,
  run: (round: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await inParallel(concurrency, async () => {
    while (next < count) await run(next++);
  });
}

export function pick<T>(from: readonly T[], index: number): T {
  return from[index % from.length] as T;
}

/** Counts how often each outcome occurs. */
export function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Returns an answer in one word: the code of the refusal, "replayed", or its kind. */
export function outcomeOf(answer: Refusal | { kind: string; replayed?: boolean }): string {
  if ("code" in answer) return answer.code;
  return answer.replayed ? "replayed" : answer.kind;
}

/** Creates many tasks in one request. */
export async function createTasks(
  env: TestEngine,
  actor: Parameters<TestEngine["by"]>[0],
  tasks: Parameters<Engine["create"]>[1],
): Promise<PublicTask[]> {
  const created = await env.engine.create(env.by(actor), tasks, { client_event_id: crypto.randomUUID() });
  if (created.kind === "refused") throw new Error(`${created.code}: ${created.detail}`);
  return created.tasks;
}

/**
 * Checks that every task matches its journal (rule 1), the feed has neither gaps nor duplicates (rule 8), and every counter of
 * blockers is right (rule 6). Every test here ends with it.
 */
export async function expectIntegrity({ engine, sql }: Pick<TestEngine, "engine" | "sql">): Promise<void> {
  expect((await engine.verify("main")).differences).toEqual([]);
  expect(
    await sql`
      select o.feed_position::int as position, (select count(*)::int from pawl.event e where e.org_id = o.id) as events
      from pawl.org o where o.feed_position <> (select count(*) from pawl.event e where e.org_id = o.id)`,
  ).toEqual([]);
  expect(
    await sql`
      select t.id, t.status, t.open_blockers from pawl.task t
      where t.open_blockers <> (
        select count(*) from pawl.dependency d where d.org_id = t.org_id and d.task_id = t.id and not d.resolved)`,
  ).toEqual([]);
}
