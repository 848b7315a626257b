// Concurrent claims get different tasks, the best ones first, and only tasks that match their filters.
import { expect, test } from "vitest";
import type { ClusterNode } from "./cluster.ts";
import type { Actor, Caller, Claimed, PublicTask, Refusal } from "../../../src/main/index.ts";
import { member } from "../../support/situation.ts";
import { ann, as, bob, cat, createJobs, expectConsistent, newOrg, openCluster, times } from "./cluster.ts";

const cluster = await openCluster();
const { sql } = cluster;
const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];

function tasksOf(answer: Claimed | Refusal): PublicTask[] {
  if (answer.kind === "refused") throw new Error(`${answer.code}: ${answer.detail}`);
  return answer.tasks.map(({ task }) => task);
}

/** Sends claims for one task each, alternating between two nodes, all in one turn of the event loop. */
async function claimAtOnce(
  count: number,
  callerAt: (index: number) => Caller,
): Promise<(PublicTask | null)[]> {
  const answers = await Promise.all(
    times(count, (index) =>
      (index % 2 === 0 ? first : second).claim(callerAt(index), { lifecycle: "job", limit: 1 }),
    ),
  );
  return answers.map((answer) => {
    const tasks = tasksOf(answer);
    expect(tasks.length).toBeLessThanOrEqual(1);
    return tasks[0] ?? null;
  });
}

/** Returns the fields of jobs with the priorities 1 to `count`, shuffled. */
function priorities(count: number): { priority: number }[] {
  return times(count, (index) => ({ priority: ((index * 31) % count) + 1 }));
}

test("a hundred claims on two nodes share seventy tasks, and thirty get none", async () => {
  const org_id = await newOrg(cluster);
  const created = await createJobs(first, priorities(70), as(cat, org_id));
  const claimers = times(100, (index) => member(`claimer-${index}`, ["agent"]));
  const taken = await claimAtOnce(100, (index) => as(claimers[index]!, org_id));
  const ids = taken.flatMap((task) => task?.id ?? []);
  expect(ids.sort()).toEqual(created.map(({ id }) => id).sort());
  expect(taken.filter((task) => task === null)).toHaveLength(30);
  for (const [index, task] of taken.entries())
    if (task)
      expect(task).toMatchObject({ status: "running", assigned_to: `claimer-${index}`, row_version: 2 });
  const events = await sql`select from pawl.event where org_id = ${org_id} and action = 'claim'`;
  expect(events).toHaveLength(70);
  expect(await sql`select from pawl.lease where org_id = ${org_id}`).toHaveLength(70);
  await expectConsistent(cluster, org_id);
});

test("earlier claims get better tasks when claims reach a node in one turn of the event loop", async () => {
  const org_id = await newOrg(cluster);
  await createJobs(first, priorities(70), as(cat, org_id));
  const taken = await claimAtOnce(100, () => as(ann, org_id));
  for (const node of [0, 1]) {
    const got = taken.filter((_, index) => index % 2 === node).map((task) => task?.priority ?? 0);
    expect(got).toEqual([...got].sort((a, b) => b - a));
  }
  const best = taken.slice(0, 2).map((task) => task?.priority ?? 0);
  expect(Math.max(...best)).toBe(70);
  await expectConsistent(cluster, org_id);
});

test("concurrent claims of several tasks get their full number while there are enough tasks", async () => {
  const org_id = await newOrg(cluster);
  await createJobs(first, priorities(60), as(cat, org_id));
  const limits = [1, 7, 2, 5, 10, 3, 4, 8, 6, 9];
  const answers = await Promise.all(
    limits.map((limit, index) =>
      (index % 2 === 0 ? first : second).claim(as(ann, org_id), { lifecycle: "job", limit }),
    ),
  );
  const shares = answers.map(tasksOf);
  expect(shares.map((tasks) => tasks.length)).toEqual(limits);
  expect(new Set(shares.flat().map(({ id }) => id)).size).toBe(55);
  for (const tasks of shares) {
    const got = tasks.map(({ priority }) => priority);
    expect(got).toEqual([...got].sort((a, b) => b - a));
  }
});

test("concurrent claims with different filters get only tasks that match", async () => {
  const org_id = await newOrg(cluster);
  await first.createProject({ id: "north" }, org_id);
  await first.createProject({ id: "south" }, org_id);
  const inNorth = member("nora", ["agent"], { project_ids: ["north"] });
  const welder = member("will", ["agent"], { specializations: ["welding"] });
  const fields = [
    ...times(6, (n) => ({ project_id: "north", priority: n })),
    ...times(6, (n) => ({ project_id: "south", priority: n + 10 })),
    ...times(6, (n) => ({ project_id: "south", trade: "welding", priority: n + 20 })),
    ...times(6, (n) => ({ project_id: "south", trade: "painting", priority: n + 40 })),
    ...times(3, (n) => ({ project_id: "south", private: true, priority: n + 60 })),
  ];
  await createJobs(first, fields, as(bob, org_id));
  type ClaimCase = {
    actor: Actor;
    filter?: { project_id?: string; least_priority?: number };
    matches: (task: PublicTask) => boolean;
  };
  const noTrade = ({ data }: PublicTask) => data.trade === null;
  const cases: ClaimCase[] = [
    { actor: inNorth, matches: ({ project_id }) => project_id === "north" },
    {
      actor: ann,
      filter: { project_id: "south" },
      matches: (task) => task.project_id === "south" && noTrade(task) && !task.private,
    },
    {
      actor: ann,
      filter: { least_priority: 14 },
      matches: (task) => task.priority >= 14 && noTrade(task) && !task.private,
    },
    {
      actor: welder,
      filter: { project_id: "south" },
      matches: (task) => task.data.trade !== "painting" && !task.private,
    },
    {
      actor: bob,
      filter: { least_priority: 60 },
      matches: (task) => task.private && task.created_by === "bob",
    },
    { actor: ann, filter: { project_id: "nowhere" }, matches: () => false },
  ];
  const answers = await Promise.all(
    times(60, (index) => {
      const { actor, filter } = cases[index % cases.length]!;
      return (index % 4 < 2 ? first : second).claim(as(actor, org_id), { lifecycle: "job", ...filter });
    }),
  );
  const taken = answers.flatMap((answer, index) =>
    tasksOf(answer).map((task) => ({
      task,
      claimCase: cases[index % cases.length]!,
      index: index % cases.length,
    })),
  );
  for (const { task, claimCase } of taken)
    expect(claimCase.matches(task), `${task.title} ${task.priority}`).toBe(true);
  expect(new Set(taken.map(({ task }) => task.id)).size).toBe(taken.length);
  const counts = times(
    cases.length,
    (claimIndex) => taken.filter(({ index }) => index === claimIndex).length,
  );
  // The tasks in the north, the private tasks and the welding tasks each match only one of the claims.
  expect([counts[0], counts[4], counts[5]]).toEqual([6, 3, 0]);
  expect(counts[3]).toBeGreaterThanOrEqual(6);
  const left = await sql`select from pawl.task where org_id = ${org_id} and status = 'open'`;
  expect(left.length).toBe(27 - taken.length);
  const trades = await sql`
    select distinct t.data ->> 'trade' as trade from pawl.task t where t.org_id = ${org_id} and t.status = 'open'`;
  expect(trades).toEqual([{ trade: "painting" }]);
  await expectConsistent(cluster, org_id);
});
