// Fails if rule 3 or 5 (one lease per task, a new token per claim) or the row locks of rule 4 are broken.
import { expect, test } from "vitest";
import { member } from "../../support/situation.ts";
import { ann, openTestEngine } from "../test-engine.ts";
import {
  inParallel,
  expectIntegrity,
  createTasks,
  openNodes,
  pick,
  runRounds,
  tally,
  outcomeOf,
} from "./nodes.ts";

const env = await openTestEngine();
const nodes = await openNodes(env);
const CLAIMERS = Array.from({ length: 10 }, (_, index) => member(`claimer-${index}`, ["agent", "worker"]));

test("ten concurrent claims of a task on five nodes have one winner, and the journal has one claim", async () => {
  const tasks = await createTasks(
    env,
    ann,
    Array.from({ length: 300 }, (_, index) => ({
      lifecycle: "board",
      title: `Task number ${index}`,
      description: "-",
    })),
  );
  await runRounds(tasks.length, 4, async (round) => {
    const task = pick(tasks, round);
    const answers = await inParallel(10, (index) =>
      pick(nodes, index + round).perform(env.by(pick(CLAIMERS, index)), {
        task_id: task.id,
        action: "claim",
        comment: "mine",
      }),
    );
    expect(tally(answers.map(outcomeOf))).toEqual({ performed: 1, TASK_ALREADY_CLAIMED: 9 });
    const winner = CLAIMERS[answers.findIndex((answer) => answer.kind === "performed")];
    expect(await env.engine.find(env.by(ann), task.id)).toMatchObject({
      assigned_to: winner?.id,
      row_version: 2,
    });
  });
  const [{ claims } = { claims: 0 }] = await env.sql<
    { claims: number }[]
  >`select count(*)::int as claims from pawl.event where type = 'claimed'`;
  expect(claims).toBe(tasks.length);
  await expectIntegrity(env);
});

test("ten workers on five nodes empty the pool, and each task goes to one of them", async () => {
  for (const limit of [1, 7]) {
    const created = await createTasks(
      env,
      ann,
      Array.from({ length: 1_000 }, (_, index) => ({ lifecycle: "code", title: `Task ${limit}.${index}` })),
    );
    const taken = await inParallel(10, async (index) => {
      const mine: { id: string; token: string | null }[] = [];
      for (;;) {
        const claimed = await pick(nodes, index).claim(env.by(pick(CLAIMERS, index)), {
          lifecycle: "code",
          limit,
        });
        if (claimed.kind === "refused") throw new Error(claimed.detail);
        // All tasks that are left are locked by other workers, which take them.
        if (claimed.tasks.length === 0) return mine;
        mine.push(...claimed.tasks.map(({ task, lease_token }) => ({ id: task.id, token: lease_token })));
      }
    });
    const ids = taken.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids)).toEqual(new Set(created.map(({ id }) => id)));
    expect(new Set(taken.flat().map(({ token }) => token)).size).toBe(created.length);
  }
  await expectIntegrity(env);
});
