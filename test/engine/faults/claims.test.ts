// Breaking rule 3 or 5 (one lease per task, a fresh token per claim), or the row locks of rule 4, fails here.
import { expect, test } from "vitest";
import { member } from "../../support/situation.ts";
import { ann, openDesk } from "../desk.ts";
import { allOf, expectSound, makeTasks, openNodes, pick, rounds, tally, wordOf } from "./nodes.ts";

const desk = await openDesk();
const nodes = await openNodes(desk);
const CLAIMERS = Array.from({ length: 10 }, (_, index) => member(`claimer-${index}`, ["agent", "worker"]));

test("of ten who claim a task at once on five nodes one wins, and the journal has one claim", async () => {
  const tasks = await makeTasks(
    desk,
    ann,
    Array.from({ length: 300 }, (_, index) => ({
      lifecycle: "board",
      title: `Task number ${index}`,
      description: "-",
    })),
  );
  await rounds(tasks.length, 4, async (round) => {
    const task = pick(tasks, round);
    const answers = await allOf(10, (index) =>
      pick(nodes, index + round).perform(desk.by(pick(CLAIMERS, index)), {
        task_id: task.id,
        action: "claim",
        comment: "mine",
      }),
    );
    expect(tally(answers.map(wordOf))).toEqual({ performed: 1, TASK_ALREADY_CLAIMED: 9 });
    const winner = CLAIMERS[answers.findIndex((answer) => answer.kind === "performed")];
    expect(await desk.engine.find(desk.by(ann), task.id)).toMatchObject({
      assigned_to: winner?.id,
      row_version: 2,
    });
  });
  const [{ claims } = { claims: 0 }] = await desk.sql<
    { claims: number }[]
  >`select count(*)::int as claims from pawl.event where type = 'claimed'`;
  expect(claims).toBe(tasks.length);
  await expectSound(desk);
});

test("ten who take from the pool on five nodes empty it, and nobody gets what another has", async () => {
  for (const limit of [1, 7]) {
    const made = await makeTasks(
      desk,
      ann,
      Array.from({ length: 1_000 }, (_, index) => ({ lifecycle: "code", title: `Task ${limit}.${index}` })),
    );
    const taken = await allOf(10, async (index) => {
      const mine: { id: string; token: string | null }[] = [];
      for (;;) {
        const claimed = await pick(nodes, index).claim(desk.by(pick(CLAIMERS, index)), {
          lifecycle: "code",
          limit,
        });
        if (claimed.kind === "refused") throw new Error(claimed.detail);
        // Nothing is left but what others hold locked at this moment, and they take it.
        if (claimed.tasks.length === 0) return mine;
        mine.push(...claimed.tasks.map(({ task, lease_token }) => ({ id: task.id, token: lease_token })));
      }
    });
    const ids = taken.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids)).toEqual(new Set(made.map(({ id }) => id)));
    expect(new Set(taken.flat().map(({ token }) => token)).size).toBe(made.length);
  }
  await expectSound(desk);
});
