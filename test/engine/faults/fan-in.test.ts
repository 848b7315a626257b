// Fails if rule 6 is broken: blockers counted once when two finish in a batch, dependents decremented without their lock, a
// dependent created without the lock on its blockers.
import { expect, test } from "vitest";
import type { PublicTask } from "../../../src/engine/read/public-task.ts";
import { ann, openTestEngine, performed } from "../test-engine.ts";
import { inParallel, expectIntegrity, createTasks, openNodes, pick, runRounds } from "./nodes.ts";
import type { Node } from "./nodes.ts";

const env = await openTestEngine();
const nodes = await openNodes(env);
const caller = env.by(ann);

type Work = { task: PublicTask; token: string };

/** Creates tasks in progress, which one more command completes. */
async function worksInProgress(count: number): Promise<Work[]> {
  const tasks = await createTasks(
    env,
    ann,
    Array.from({ length: count }, (_, index) => ({ lifecycle: "code", title: `Blocker ${index}` })),
  );
  return inParallel(count, async (index) => {
    const task = pick(tasks, index);
    const claimed = performed(await env.engine.perform(caller, { task_id: task.id, action: "claim" }));
    const token = claimed.lease_token ?? "";
    const payload = { worktree: "/w", branch: "b" };
    performed(
      await env.engine.perform(caller, { task_id: task.id, action: "start", lease_token: token, payload }),
    );
    return { task, token };
  });
}

async function complete(node: Node, { task, token }: Work): Promise<void> {
  const payload = { commit: "c" };
  performed(
    await node.perform(caller, { task_id: task.id, action: "complete", lease_token: token, payload }),
  );
}

/** Expects that each task is ready after one `unblock`, and has no open blockers. */
async function expectUnblockedOnce(ids: readonly string[]): Promise<void> {
  const wrong = await env.sql`
    select t.id, t.status, t.open_blockers, count(e.*)::int as unblocked
    from pawl.task t left join pawl.event e on e.org_id = t.org_id and e.task_id = t.id and e.action = 'unblock'
    where t.id = any(${ids}::uuid[])
    group by t.id, t.status, t.open_blockers
    having t.status <> 'ready' or t.open_blockers <> 0 or count(e.*) <> 1`;
  expect(wrong).toEqual([]);
}

test.each([
  ["one batch", (): Node[] => [env.engine, env.engine]],
  ["two batches of two nodes of this process", () => nodes.slice(0, 2)],
  ["two processes", () => nodes.slice(3, 5)],
])("two blockers that finish at once in %s release each dependent once", async (_, nodesOf) => {
  const [first, second] = nodesOf();
  const works = await worksInProgress(240);
  const pairs = Array.from({ length: 120 }, (__, index) => works.slice(2 * index, 2 * index + 2));
  const waiting: string[] = [];
  await runRounds(pairs.length, 4, async (round) => {
    const [left, right] = pick(pairs, round) as [Work, Work];
    const dependents = await createTasks(
      env,
      ann,
      ["one", "two"].map((title) => ({
        lifecycle: "code",
        title,
        blocked_by: [left.task.id, right.task.id],
      })),
    );
    for (const task of dependents) expect(task).toMatchObject({ status: "blocked", open_blockers: 2 });
    waiting.push(...dependents.map(({ id }) => id));
    await Promise.all([complete(first as Node, left), complete(second as Node, right)]);
  });
  await expectUnblockedOnce(waiting);
  await expectIntegrity(env);
});

test("a dependent that is created while its blocker finishes is never left waiting", async () => {
  const works = await worksInProgress(300);
  let blocked = 0;
  await runRounds(works.length, 4, async (round) => {
    const work = pick(works, round);
    const [created] = await Promise.all([
      inParallel(3, (index) =>
        pick(nodes, round + index).create(caller, [
          { lifecycle: "code", title: "Dependent", blocked_by: [work.task.id] },
        ]),
      ),
      complete(pick(nodes, round + 1), work),
    ]);
    for (const answer of created) {
      if (answer.kind === "refused") throw new Error(answer.detail);
      if (answer.tasks[0]?.status === "blocked") blocked++;
    }
  });
  const stuck = await env.sql`
    select t.id, t.status, t.open_blockers from pawl.task t
    where t.title = 'Dependent' and (t.status <> 'ready' or t.open_blockers <> 0)`;
  expect(stuck).toEqual([]);
  // Otherwise no creation ran concurrently with its blocker.
  expect(blocked).toBeGreaterThan(10);
  await expectIntegrity(env);
});
