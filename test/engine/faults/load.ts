import { expect } from "vitest";
import { PawlError } from "../../../src/core/index.ts";
import type { Sql } from "../../../src/postgres/connect.ts";
import type { Caller, Engine } from "../../../src/engine/engine.ts";
import { ann } from "../test-engine.ts";

const BY: Caller = { org_id: "main", actor: ann };
const POOL_EACH = 4;

type Outcome = "done" | "unavailable";

/** Callers that create, comment and claim, and record their answers, to compare them with the database afterwards. */
export class Load {
  /** Outcome of each request, by the title or comment that the request leaves in the database. */
  readonly created = new Map<string, Outcome>();
  readonly commented = new Map<string, Outcome>();
  /** Lease tokens of the claimed tasks. */
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

  /** Waits for a number of further answers. */
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
      const answer = await this.send(() => this.engine.create(BY, tasks));
      this.created.set(name, answer ? "done" : "unavailable");
      const task_id = answer?.kind === "created" ? answer.tasks[0]?.id : undefined;
      const note = await this.send(() =>
        this.engine.create(BY, [{ lifecycle: "board", title: `board ${name}`, description: "-" }]),
      );
      const noteId = note?.kind === "created" ? note.tasks[0]?.id : undefined;
      if (noteId !== undefined) {
        const comment = await this.send(() =>
          this.engine.perform(BY, { task_id: noteId, action: "comment", comment: name }),
        );
        this.commented.set(name, comment ? "done" : "unavailable");
        if (comment) expect(comment).toMatchObject({ kind: "performed", event: { comment: name } });
      }
      const key = caller % 2 === 0 ? { client_event_id: `claim ${name}` } : {};
      const claimed = await this.send(() => this.engine.claim(BY, { lifecycle: "code", limit: 2, ...key }));
      for (const { task, lease_token } of claimed?.kind === "claimed" ? claimed.tasks : []) {
        expect(this.claimed.has(task.id)).toBe(false);
        this.claimed.set(task.id, lease_token ?? "");
      }
      if (task_id !== undefined) await this.send(() => this.engine.find(BY, task_id));
    }
  }

  /** Sends a request and counts it as answered or as unavailable; throws on any other error. */
  private async send<T>(work: () => Promise<T>): Promise<T | null> {
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

/** Checks that no acknowledged command is lost and that none happened twice. */
export async function expectNothingLostOrRepeated(load: Load, sql: Sql): Promise<void> {
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
  // Only a caller without an answer may hold a lease that it does not know of.
  if (load.unavailable === 0) expect(held.size).toBe(load.claimed.size);
}

function expectOnce(
  asked: ReadonlyMap<string, Outcome>,
  found: readonly { name: string; times: number }[],
  times: number,
): void {
  const counts = new Map(found.map((row) => [row.name, row.times]));
  const wrong = [...asked].filter(([name, outcome]) => {
    const count = counts.get(name) ?? 0;
    return outcome === "done" ? count !== times : count !== 0 && count !== times;
  });
  expect(wrong.map(([name, outcome]) => `${name} (${outcome}): ${counts.get(name) ?? 0}`)).toEqual([]);
  expect(found.filter(({ name }) => !asked.has(name))).toEqual([]);
}
