import { expect } from "vitest";
import { PawlError } from "../../../src/core/index.ts";
import type { Sql } from "../../../src/postgres/connect.ts";
import type { By, Engine } from "../../../src/engine/engine.ts";
import { ann } from "../desk.ts";

const BY: By = { org_id: "main", actor: ann };
const POOL_EACH = 4;

type Answered = "done" | "unavailable";

/** Callers who create, comment and claim, and remember what they were told; afterwards the database is held against it. */
export class Load {
  /** What was asked for, by a text that stands in the journal, with how it was answered. */
  readonly created = new Map<string, Answered>();
  readonly commented = new Map<string, Answered>();
  /** Claimed tasks, each once, with the token that was told. */
  readonly claimed = new Map<string, string>();
  answers = 0;
  unavailable = 0;
  private readonly engine: Engine;
  private stopped = false;
  private work: Promise<unknown> = Promise.resolve();
  private readonly waiting: { answers: number; resolve: () => void }[] = [];

  constructor(engine: Engine) {
    this.engine = engine;
  }

  start(callers: number): void {
    this.work = Promise.all(Array.from({ length: callers }, (_, caller) => this.call(caller)));
    this.work.catch(() => {
      for (const { resolve } of this.waiting) resolve();
    });
  }

  /** Waits for so many further answers. */
  more(answers: number): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ answers: this.answers + answers, resolve });
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.work;
  }

  private async call(caller: number): Promise<void> {
    for (let turn = 0; !this.stopped; turn++) {
      const name = `caller ${caller} turn ${turn}`;
      const tasks = Array.from({ length: POOL_EACH }, () => ({ lifecycle: "code", title: name }));
      const made = await this.ask(() => this.engine.create(BY, tasks));
      this.created.set(name, made ? "done" : "unavailable");
      const task_id = made?.kind === "created" ? made.tasks[0]?.id : undefined;
      const note = await this.ask(() =>
        this.engine.create(BY, [{ lifecycle: "board", title: `board ${name}`, description: "-" }]),
      );
      const about = note?.kind === "created" ? note.tasks[0]?.id : undefined;
      if (about !== undefined) {
        const said = await this.ask(() =>
          this.engine.perform(BY, { task_id: about, action: "comment", comment: name }),
        );
        this.commented.set(name, said ? "done" : "unavailable");
        if (said) expect(said).toMatchObject({ kind: "performed", event: { comment: name } });
      }
      const key = caller % 2 === 0 ? { client_event_id: `claim ${name}` } : {};
      const claimed = await this.ask(() => this.engine.claim(BY, { lifecycle: "code", limit: 2, ...key }));
      for (const { task, lease_token } of claimed?.kind === "claimed" ? claimed.tasks : []) {
        expect(this.claimed.has(task.id)).toBe(false);
        this.claimed.set(task.id, lease_token ?? "");
      }
      if (task_id !== undefined) await this.ask(() => this.engine.find(BY, task_id));
    }
  }

  /** Every caller gets an answer, or is told to come again. */
  private async ask<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PawlError) || error.code !== "UNAVAILABLE") throw error;
      this.unavailable++;
      return null;
    } finally {
      this.answers++;
      for (const one of this.waiting) if (this.answers >= one.answers) one.resolve();
    }
  }
}

/** Nothing acknowledged is lost, nothing has happened twice. */
export async function expectKept(load: Load, sql: Sql): Promise<void> {
  const created = await sql<{ name: string; times: number }[]>`
    select t.title as name, count(*)::int as times from pawl.task t where t.lifecycle = 'code' group by t.title`;
  expectOnce(load.created, created, POOL_EACH);
  const commented = await sql<{ name: string; times: number }[]>`
    select e.comment as name, count(*)::int as times from pawl.event e where e.action = 'comment' group by e.comment`;
  expectOnce(load.commented, commented, 1);

  const leases = await sql<{ task_id: string; token: string }[]>`
    select l.task_id, l.token::text as token from pawl.lease l`;
  const held = new Map(leases.map(({ task_id, token }) => [task_id, token]));
  for (const [task_id, token] of load.claimed) expect(held.get(task_id)).toBe(token);
  // Who was told nothing may have got something, and nobody else.
  if (load.unavailable === 0) expect(held.size).toBe(load.claimed.size);
}

function expectOnce(
  asked: ReadonlyMap<string, Answered>,
  found: readonly { name: string; times: number }[],
  times: number,
): void {
  const counts = new Map(found.map((row) => [row.name, row.times]));
  const wrong = [...asked].filter(([name, answered]) => {
    const count = counts.get(name) ?? 0;
    return answered === "done" ? count !== times : count !== 0 && count !== times;
  });
  expect(wrong.map(([name, answered]) => `${name} (${answered}): ${counts.get(name) ?? 0}`)).toEqual([]);
  expect(found.filter(({ name }) => !asked.has(name))).toEqual([]);
}
