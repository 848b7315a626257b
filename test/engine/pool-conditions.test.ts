import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { decide, defineLifecycle, refuse } from "../../src/core/index.ts";
import type { Actor, Task } from "../../src/core/index.ts";
import { member } from "../support/situation.ts";
import { openTestEngine } from "./test-engine.ts";

const notThisOne = () => refuse("NOT_THIS_ONE", "Not this one.");

/** Uses every kind of condition, in guards and in the pool. */
const chores = defineLifecycle({
  name: "chores",
  version: 1,
  summary: "",
  data: z.object({ trade: z.string().nullable() }),
  settings: z.object({ min_skill: z.number().default(0) }),
  statuses: { open: {}, taken: {}, done: { final: true, success: true } },
  actions: { take: {}, hold: {}, finish: {} },
  creation: {
    input: z.object({
      trade: z.string().nullable(),
      owner: z.string().nullable(),
      private: z.boolean(),
      after: z.array(z.string()),
    }),
    to: [{ status: "open" }],
    draft: ({ input }) => ({
      title: "A chore",
      data: { trade: input.trade },
      assigned_to: input.owner,
      private: input.private,
      blocked_by: input.after,
    }),
  },
  rules: [
    {
      action: "take",
      from: "open",
      to: "taken",
      who: "anyone",
      guards: ["unowned", "trade", "not_own", "blockers_done"],
    },
    { action: "hold", from: "open", who: "anyone", effects: ["place"] },
    { action: "finish", from: "taken", to: "done", who: "anyone" },
  ],
  guards: {
    not_own: { where: { field: "created_by", is_not: "actor.id" }, refusal: notThisOne },
    unowned: { where: { field: "assigned_to", is: null }, refusal: notThisOne },
    trade: { where: { field: "data.trade", null_or_in: "actor.specializations" }, refusal: notThisOne },
  },
  effects: {
    place: {
      change: ({ task }) => ({ open_holds: task.open_holds + 1 }),
      side_effects: () => [{ kind: "place_hold", hold_kind: "other", reason: "so" }],
    },
  },
  pool: {
    action: "take",
    from: "open",
    where: [
      { field: "private", is: false },
      { field: "open_holds", is: 0 },
      { setting: "min_skill", at_most: "actor.skill_level" },
    ],
  },
});

const env = await openTestEngine({ lifecycles: [chores] });
const maker = member("maker", ["agent"]);
const TRADES = [null, "welding", "painting"];
const SKILLS = [null, 0, 3, 9];

const anyChore = fc.record({
  trade: fc.constantFrom(...TRADES),
  owner: fc.constantFrom(null, "maker", "claimer"),
  private: fc.boolean(),
  held: fc.boolean(),
  blocked: fc.boolean(),
  creator: fc.constantFrom("maker", "claimer"),
});
const anyClaimer = fc.record({
  skill_level: fc.constantFrom(...SKILLS),
  specializations: fc.subarray(["welding", "painting"]),
});

test("a claim returns exactly the tasks that its rules allow, for any claimer", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyChore, { minLength: 1, maxLength: 8 }),
      anyClaimer,
      fc.constantFrom(0, 3),
      async (chosen, claims, min_skill) => {
        await env.sql`delete from pawl.hold`;
        await env.sql`update pawl.task set status = 'done', final = true, pooled = false, open_blockers = 0, open_holds = 0 where status = 'taken'`;
        await env.sql`update pawl.task set status = 'taken', pooled = false where status = 'open'`;
        await env.sql`update pawl.project set settings = ${env.sql.json({ chores: { min_skill } })}`;
        await env.sql`update pawl.org set settings_version = settings_version + 1`;
        const claimer: Actor = member("claimer", ["agent"], claims);
        const created: string[] = [];
        for (const { held, blocked, creator, ...fields } of chosen) {
          const blocker = blocked
            ? [(await env.make(member(creator, ["agent"]), "chores", { ...FREE, private: true })).id]
            : [];
          const task = await env.make(member(creator, ["agent"]), "chores", { ...fields, after: blocker });
          if (held) await env.act(maker, task, "hold");
          created.push(task.id);
        }
        const expected = await Promise.all(
          created.map(async (id) => ((await canTake(claimer, id, min_skill)) ? [id] : [])),
        );
        const claimed = await env.engine.claim(env.by(claimer), { lifecycle: "chores", limit: 100 });
        const got = claimed.kind === "refused" ? [] : claimed.tasks.map(({ task }) => task.id);
        expect(got.filter((id) => created.includes(id)).sort()).toEqual(expected.flat().sort());
      },
    ),
    { numRuns: 60 },
  );
});

const FREE = { trade: null, owner: null, after: [] };

/** Whether the rules let the actor take the task as it is now. */
async function canTake(actor: Actor, id: string, min_skill: number): Promise<boolean> {
  const [explained] = await env.sql<{ open_holds: number; open_blockers: number }[]>`
    select open_holds, open_blockers from pawl.task where id = ${id}`;
  const task = (await env.engine.find(env.by(member("maker", ["admin"])), id)) as unknown as Task;
  const situation = {
    task: { ...task, ...explained, lease: null } as Task,
    actor,
    facts: {},
    settings: { min_skill },
    now: Date.now(),
  };
  const command = {
    action: "take",
    input: {},
    comment: null,
    expected_row_version: null,
    lease_token: null,
  };
  return decide(chores, situation, command).kind === "moved";
}
