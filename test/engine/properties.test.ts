import fc from "fast-check";
import { expect, test } from "vitest";
import type { Actor } from "../../src/core/index.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import delivery from "../../src/lifecycles/delivery/plugin.ts";
import planner from "../../src/lifecycles/planner/plugin.ts";
import { member } from "../support/situation.ts";
import { openTestEngine } from "./test-engine.ts";
import type { Parts } from "./test-engine.ts";

/** Facts that let most actions succeed, so that many of the random commands change something. */
const parts: Parts = {
  planner: {
    facts: {
      ...planner.facts,
      shift_of_owner: (_tx, _org, asks) => Promise.resolve(asks.map(() => ({ over: true }))),
    },
  },
  delivery: {
    facts: { user: (_tx, _org, asks) => Promise.resolve(asks.map(() => ({ status: "ACTIVE" }))) },
    effects: delivery.effects ?? {},
  },
};

const env = await openTestEngine({ parts });
const nodes = [env.engine, env.node(), env.node()];
const actors: Actor[] = ["a", "b", "c"].map((id) =>
  member(id, ["agent", "worker", "executor", "lead", "system"], { skill_level: 9 }),
);

const CREATED: Record<string, (n: number, blocked_by: string[]) => object> = {
  board: (n, blocked_by) => ({ lifecycle: "board", title: `Task ${n}`, description: "x", blocked_by }),
  planner: (n, depends_on) => ({ lifecycle: "planner", title: `Task ${n}`, depends_on }),
  code: (n, blocked_by) => ({ lifecycle: "code", title: `Task ${n}`, blocked_by }),
  delivery: (n) => ({
    lifecycle: "delivery",
    user_id: "u",
    file_id: "f",
    chat_id: "c",
    request_nonce: String(n),
  }),
  "bot-actions": (n) => ({
    lifecycle: "bot-actions",
    chatId: "c",
    actionId: String(n),
    actionType: "summarize",
  }),
};
const PAYLOAD = {
  reason: "materials",
  kind: "materials",
  worktree: "/w",
  branch: "b",
  commit: "c",
  recoverable: true,
  description: "a blocker",
  message_id: 1,
  telegram_file_id: "t",
  status: "done",
  member_id: "b",
};

test("random actors and actions on several nodes break no invariant, and every task matches its journal", async () => {
  let serial = 0;
  let moves = 0;
  const step = fc.record({
    node: fc.nat({ max: 2 }),
    actor: fc.nat({ max: 2 }),
    task: fc.nat(),
    pick: fc.nat(),
    retryable: fc.boolean(),
    twice: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...LIFECYCLES),
      fc.array(step, { minLength: 30, maxLength: 60 }),
      async (lifecycle, steps) => {
        const create = CREATED[lifecycle.name]!;
        const created: string[] = [];
        for (let n = 0; n < 4; n++) {
          const tasks = [create(serial++, n > 1 ? created.slice(0, 1) : [])] as never;
          const answer = await env.engine.create(env.by(actors[n % 3]!), tasks, {
            client_event_id: `new ${serial}`,
          });
          if (answer.kind === "created") created.push(answer.tasks[0]!.id);
        }
        const tokens = new Map<string, string>();
        const actions = Object.keys(lifecycle.actions).filter(
          (action) => !["assign", "block", "delete"].includes(action),
        );
        const run = async (
          { node, actor, task, pick, retryable, twice }: (typeof steps)[number],
          index: number,
        ) => {
          const task_id = created[task % created.length]!;
          const error = lifecycle.name === "code" ? "broke" : { code: "X", message: "", retryable };
          const request = {
            task_id,
            action: actions[pick % actions.length]!,
            comment: "why not",
            client_event_id: `${serial} ${index}`,
            lease_token: tokens.get(task_id) ?? null,
            payload: { ...PAYLOAD, error },
          };
          const caller = env.by(actors[actor]!);
          const current = await nodes[node]!.find(caller, task_id);
          const versioned =
            "row_version" in current ? { ...request, expected_row_version: current.row_version } : request;
          const done = await nodes[node]!.perform(caller, versioned);
          if (done.kind === "refused") return;
          if (done.lease_token) tokens.set(task_id, done.lease_token);
          if (done.outcome === "moved" && !done.replayed) moves++;
          if (twice)
            expect(await nodes[(node + 1) % 3]!.perform(caller, versioned)).toEqual({
              ...done,
              replayed: true,
            });
        };
        await Promise.all(
          [0, 1, 2].map(async (lane) => {
            for (const [index, one] of steps.entries()) if (index % 3 === lane) await run(one, index);
          }),
        );
        await env.engine.sweep({ now: Date.now() + (steps.length % 4) * 3_600_000 });
        for (const id of created) {
          const task = await env.engine.find(env.by(actors[0]!), id);
          if ("kind" in task) throw new Error(task.detail);
          const lease = task.lease && { ...task.lease, token: "" };
          for (const [name, holds] of Object.entries(lifecycle.invariants)) {
            expect(holds({ ...task, lease }), `${lifecycle.name}: ${name}`).toBe(true);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
  expect((await env.engine.verify("main")).differences).toEqual([]);
  const gaps = await env.sql`
    select from pawl.task t join (select task_id, count(*) as n from pawl.event group by task_id) e on e.task_id = t.id
    where t.row_version <> e.n`;
  expect(gaps).toHaveLength(0);
  // If all commands were refused, this would prove nothing.
  expect(moves).toBeGreaterThan(200);
});
