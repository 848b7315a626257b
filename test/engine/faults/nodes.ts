import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import type { Refusal } from "../../../src/core/index.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import type { PublicTask } from "../../../src/engine/read/public-task.ts";
import type { Desk } from "../desk.ts";

/** What a node can be asked for, in this process or in another. */
export type Node = Pick<Engine, "perform" | "create" | "claim" | "sweep">;

export type Call = { id: number; verb: keyof Node; args: unknown[] };
export type Reply = { id: number; answer?: unknown; error?: string };

const PROGRAM = fileURLToPath(new URL("./node-process.ts", import.meta.url));

/** A node in a process of its own, on the desk's database; it ends with the test file. */
export async function nodeProcess(url: string): Promise<Node> {
  const child = fork(PROGRAM, [url], { execArgv: ["--import", "tsx"] });
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  child.on("message", ({ id, answer, error }: Reply) => {
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) caller?.resolve(answer as never);
    else caller?.reject(new Error(error));
  });
  const ended = once(child, "exit");
  afterAll(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  const ready = new Promise((resolve, reject) => {
    waiting.set(0, { resolve, reject });
  });
  await Promise.race([
    ready,
    ended.then(() => {
      throw new Error("the node did not start");
    }),
  ]);
  let calls = 0;
  const ask =
    <Verb extends keyof Node>(verb: Verb) =>
    (...args: Parameters<Node[Verb]>) =>
      new Promise<never>((resolve, reject) => {
        const id = ++calls;
        waiting.set(id, { resolve, reject });
        child.send({ id, verb, args } satisfies Call);
      });
  return { perform: ask("perform"), create: ask("create"), claim: ask("claim"), sweep: ask("sweep") };
}

/** Three engines on connections of their own in this process, and two processes beside it. */
export async function openNodes(desk: Desk): Promise<Node[]> {
  const processes = await Promise.all([nodeProcess(desk.url), nodeProcess(desk.url)]);
  return [desk.engine, desk.node(), desk.node(), ...processes];
}

/** Calls `make` for 0, 1, 2 … at once. */
export function allOf<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

/** Rounds one after the other, `abreast` of them at any time. */
export async function rounds(
  count: number,
  abreast: number,
  play: (round: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await allOf(abreast, async () => {
    while (next < count) await play(next++);
  });
}

export function pick<T>(from: readonly T[], index: number): T {
  return from[index % from.length] as T;
}

/** How often each word was said. */
export function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** An answer in one word: the code of the refusal, or what was done. */
export function wordOf(answer: Refusal | { kind: string; replayed?: boolean }): string {
  if ("code" in answer) return answer.code;
  return answer.replayed ? "replayed" : answer.kind;
}

/** Makes many tasks in one go. */
export async function makeTasks(
  desk: Desk,
  actor: Parameters<Desk["by"]>[0],
  tasks: Parameters<Engine["create"]>[1],
): Promise<PublicTask[]> {
  const made = await desk.engine.create(desk.by(actor), tasks, { client_event_id: crypto.randomUUID() });
  if (made.kind === "refused") throw new Error(`${made.code}: ${made.detail}`);
  return made.tasks;
}

/**
 * Every task is what its journal says (rule 1), the feed has no gap and no position twice (rule 8), and every counter of
 * blockers counts (rule 6). Every test here ends with it.
 */
export async function expectSound({ engine, sql }: Pick<Desk, "engine" | "sql">): Promise<void> {
  expect((await engine.verify("main")).differences).toEqual([]);
  expect(
    await sql`
      select o.feed_position::int as given, (select count(*)::int from pawl.event e where e.org_id = o.id) as there
      from pawl.org o where o.feed_position <> (select count(*) from pawl.event e where e.org_id = o.id)`,
  ).toEqual([]);
  expect(
    await sql`
      select t.id, t.status, t.open_blockers from pawl.task t
      where t.open_blockers <> (
        select count(*) from pawl.dependency d where d.org_id = t.org_id and d.task_id = t.id and not d.resolved)`,
  ).toEqual([]);
}
