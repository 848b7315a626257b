// A task with blockers can be claimed as soon as its last blocker is finished, and never earlier.
import { expect, test } from "vitest";
import type { ClusterNode } from "./cluster.ts";
import type { Caller, Claimed, PublicTask, Refusal } from "../../../src/main/index.ts";
import { ann, as, bob, createJobs, expectConsistent, newOrg, openCluster, times } from "./cluster.ts";

const cluster = await openCluster();
const { sql } = cluster;
const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];

function tasksOf(answer: Claimed | Refusal): Claimed["tasks"] {
  if (answer.kind === "refused") throw new Error(`${answer.code}: ${answer.detail}`);
  return answer.tasks;
}

async function finish(
  node: ClusterNode,
  caller: Caller,
  { task, lease_token }: Claimed["tasks"][number],
): Promise<void> {
  const done = await node.perform(caller, { task_id: task.id, action: "finish", lease_token });
  if (done.kind === "refused") throw new Error(`${done.code}: ${done.detail}`);
}

/** Claims and finishes until every task of the org is finished. */
async function work(node: ClusterNode, caller: Caller, limit: number): Promise<void> {
  for (;;) {
    const tasks = tasksOf(await node.claim(caller, { lifecycle: "job", limit }));
    await Promise.all(tasks.map((one) => finish(node, caller, one)));
    if (tasks.length > 0) continue;
    const open = await sql`select from pawl.task where org_id = ${caller.org_id} and not final limit 1`;
    if (open.length === 0) return;
  }
}

/** Finds dependents that were opened, claimed or created as open before their last blocker was finished, by the feed. */
function opensTooEarly(org_id: string) {
  return sql`
    select d.task_id, e.action, e.position as at, f.position as finished from pawl.dependency d
    join pawl.event e on e.org_id = d.org_id and e.task_id = d.task_id and e.to_status in ('open', 'running')
    left join pawl.event f on f.org_id = d.org_id and f.task_id = d.blocker_id and f.to_status = 'done'
      and f.from_status <> 'done'
    where d.org_id = ${org_id} and (f.position is null or f.position > e.position)`;
}

test("workers on two nodes finish chains and fans of tasks, each after its blockers", async () => {
  const org_id = await newOrg(cluster);
  const fields = times(60, (n) => ({
    ref: `t${n}`,
    // Later tasks depend on earlier ones, and have higher priorities.
    priority: n,
    after: n < 15 ? [] : [`t${n - 15}`, ...(n % 3 === 0 ? [`t${(n * 7) % 15}`] : [])],
  }));
  const unique = fields.map((one) => ({ ...one, after: [...new Set(one.after)] }));
  const created = await createJobs(first, unique, as(bob, org_id));
  await Promise.all(
    [first, second].flatMap((node, index) =>
      times(4, (worker) => work(node, as(index === 0 ? ann : bob, org_id), (worker % 3) + 1)),
    ),
  );
  expect(await opensTooEarly(org_id)).toEqual([]);
  const counts = await sql<{ action: string; n: number }[]>`
    select e.action, count(*)::int as n from pawl.event e where e.org_id = ${org_id} group by e.action order by e.action`;
  expect(Object.fromEntries(counts.map(({ action, n }) => [action, n]))).toEqual({
    create: created.length,
    claim: created.length,
    finish: created.length,
    go: created.length - 15,
  });
  await expectConsistent(cluster, org_id);
});

test("a dependent can be claimed as soon as the finish of its blocker is answered", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  for (let round = 0; round < 20; round++) {
    const created = await createJobs(first, [{ ref: "b" }, { after: ["b"] }], caller);
    const [blocker, dependent] = created as [PublicTask, PublicTask];
    const [held] = tasksOf(await first.claim(caller, { lifecycle: "job", limit: 5 }));
    expect(held?.task.id).toBe(blocker.id);
    expect(tasksOf(await second.claim(caller, { lifecycle: "job" }))).toEqual([]);
    await finish(first, caller, held!);
    const [next] = tasksOf(await second.claim(caller, { lifecycle: "job" }));
    expect(next?.task.id).toBe(dependent.id);
    await finish(second, caller, next!);
  }
  await expectConsistent(cluster, org_id);
});

test("a dependent created while its blocker finishes on another node is neither stuck nor claimed too early", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  let waited = 0;
  for (let round = 0; round < 40; round++) {
    const [blocker] = (await createJobs(first, [{}], caller)) as [PublicTask];
    const [held] = tasksOf(await first.claim(caller, { lifecycle: "job" }));
    expect(held?.task.id).toBe(blocker.id);
    const creating = times(4, (n) =>
      (n % 2 === 0 ? first : second).create(caller, [{ lifecycle: "job", after: [blocker.id] }]),
    );
    const claiming = times(4, (n) => (n % 2 === 0 ? second : first).claim(caller, { lifecycle: "job" }));
    // The finish is sent together with the other requests, or a little later in other rounds.
    for (let delay = 0; delay < round % 5; delay++) await sql`select 1`;
    await finish(round % 2 === 0 ? second : first, caller, held!);
    const [created, claims] = [await Promise.all(creating), await Promise.all(claiming)];
    const tasks = created.flatMap((answer) => (answer.kind === "created" ? answer.tasks : []));
    expect(tasks).toHaveLength(4);
    waited += tasks.filter(({ status }) => status === "waiting").length;
    // Everything is committed now: all unclaimed tasks can be claimed.
    const rest = tasksOf(await second.claim(caller, { lifecycle: "job", limit: 10 }));
    const claimed = [...claims.flatMap(tasksOf), ...rest];
    expect(claimed.map(({ task }) => task.id).sort()).toEqual(tasks.map(({ id }) => id).sort());
    await Promise.all(claimed.map((one) => finish(first, caller, one)));
  }
  // Otherwise no creation came before the finish of its blocker.
  expect(waited).toBeGreaterThan(0);
  expect(await opensTooEarly(org_id)).toEqual([]);
  await expectConsistent(cluster, org_id);
});
