// One task that the database refuses does not stop the others, and costs only a few more transactions.
import { afterEach, expect, test } from "vitest";
import type { ClusterNode } from "./cluster.ts";
import type { PublicTask } from "../../../src/main/index.ts";
import {
  ann,
  as,
  countEvents,
  createJobs,
  newOrg,
  openCluster,
  times,
  outcomeWhenAnswered,
} from "./cluster.ts";

const cluster = await openCluster({ nodes: 1 });
const { sql } = cluster;
const [first] = cluster.nodes as [ClusterNode];
const NODE_NAME = "counted node";
const COUNT = 150;
const HOUR = 3_600_000;

// Bisecting 150 tasks takes eight steps, each of which may fail once and be retried once.
const MAX_ROLLBACKS = 20;
const MAX_WRITES = 60;

// A sequence also counts writes that are rolled back.
await sql.unsafe(`
  create sequence public.task_writes;
  create function public.count_task_write() returns trigger language plpgsql as
    $$ begin perform nextval('public.task_writes'); return null; end $$;
  create trigger count_task_write before insert or update on pawl.task
    for each statement execute function public.count_task_write()`);

afterEach(() => sql`alter table pawl.task drop constraint if exists refuses_one_task`);

/** Makes the database refuse one task in one status or with one title. */
async function refuse(condition: string): Promise<void> {
  await sql.unsafe(`alter table pawl.task add constraint refuses_one_task check (not (${condition}))`);
}

async function readCounters(): Promise<{ rollbacks: number; writes: number }> {
  const [row] = await sql<{ rollbacks: number; writes: number }[]>`
    select xact_rollback::int as rollbacks, (select last_value::int from public.task_writes) as writes
    from pg_stat_database where datname = current_database()`;
  return row!;
}

/** Runs work on a separate node and counts its rollbacks and writes. A session reports its statistics when it ends. */
async function counting<T>(
  work: (node: ClusterNode) => Promise<T>,
): Promise<{ result: T; rollbacks: number; writes: number }> {
  const node = await cluster.open({ applicationName: NODE_NAME });
  const before = await readCounters();
  const result = await work(node);
  await node.close();
  const sessions = () => sql`select pid from pg_stat_activity where application_name = ${NODE_NAME}`;
  await expect.poll(sessions).toHaveLength(0);
  const after = await readCounters();
  return { result, rollbacks: after.rollbacks - before.rollbacks, writes: after.writes - before.writes };
}

function expectFewTransactions({ rollbacks, writes }: { rollbacks: number; writes: number }): void {
  expect(rollbacks).toBeLessThanOrEqual(MAX_ROLLBACKS);
  expect(writes).toBeLessThanOrEqual(MAX_WRITES);
}

test("a sweep moves 149 due tasks and postpones the one that the database refuses", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  const jobs = await createJobs(
    first,
    times(COUNT, () => ({})),
    caller,
  );
  const bad = jobs.at(-1)!;
  await sql`update pawl.task set due_at = now() - interval '1 hour' where org_id = ${org_id}`;
  await sql`update pawl.task set due_at = now() - interval '1 minute' where id = ${bad.id}`;
  await refuse(`id = '${bad.id}' and needs_attention`);
  const now = Date.now() + 3 * HOUR;
  const counted = await counting((node) => node.sweep({ org_id, now }));
  expect(counted.result.moved).toBe(COUNT - 1);
  expect(counted.result.postponed).toMatchObject([{ task_id: bad.id }]);
  const moved = await sql`select from pawl.event where org_id = ${org_id} and action = 'remind'`;
  expect(moved).toHaveLength(COUNT - 1);
  expect(await first.find(caller, bad.id)).toMatchObject({ row_version: 1, needs_attention: false });
  expect(await first.sweep({ org_id, now })).toMatchObject({ checked: 0 });
  expectFewTransactions(counted);
});

test("149 of 150 concurrent commands are performed, and only the one that the database rejects is refused", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  const jobs = await createJobs(
    first,
    times(COUNT, () => ({})),
    caller,
  );
  const bad = jobs[97]!;
  await refuse(`id = '${bad.id}' and data ->> 'color' = 'red'`);
  for (const action of ["paint", "note"]) {
    if (action === "note") await sql`alter table pawl.task drop constraint refuses_one_task`;
    if (action === "note") await refuse(`id = '${bad.id}' and data ->> 'notes' = '1'`);
    const counted = await counting((node) =>
      Promise.all(
        jobs.map(({ id }) =>
          outcomeWhenAnswered(
            node.perform(caller, { task_id: id, action, payload: action === "note" ? { text: "x" } : {} }),
          ),
        ),
      ),
    );
    const refused = counted.result.flatMap((outcome, n) => (outcome === "performed" ? [] : [jobs[n]!.id]));
    expect(refused).toEqual([bad.id]);
    expectFewTransactions(counted);
  }
  expect(await countEvents(sql, bad.id)).toBe(1);
  expect(await sql`select from public.job_note where org_id = ${org_id}`).toHaveLength(COUNT - 1);
});

test("149 of 150 concurrent creations succeed, and only the one that the database rejects is refused", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  await refuse(`org_id = '${org_id}' and title = 'job 31'`);
  const counted = await counting((node) =>
    Promise.all(
      times(COUNT, (n) =>
        outcomeWhenAnswered(node.create(caller, [{ lifecycle: "job", title: `job ${n}` }])),
      ),
    ),
  );
  const refused = counted.result.flatMap((outcome, n) => (outcome === "created" ? [] : [n]));
  expect(refused).toEqual([31]);
  expect(await sql`select from pawl.task where org_id = ${org_id}`).toHaveLength(COUNT - 1);
  expectFewTransactions(counted);
});

test("reconcile releases 149 tasks and reports the one that the database rejects", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  const [blocker, ...jobs] = (await createJobs(
    first,
    [{ ref: "b" }, ...times(COUNT, () => ({ after: ["b"] }))],
    caller,
  )) as [PublicTask, ...PublicTask[]];
  // Finish the blocker without releasing its dependents.
  await sql`update pawl.dependency set resolved = true where org_id = ${org_id}`;
  await first.perform(caller, { task_id: blocker.id, action: "close" });
  await sql`update pawl.dependency set resolved = false where org_id = ${org_id}`;
  const bad = jobs[120]!;
  await refuse(`id = '${bad.id}' and status = 'open'`);
  const counted = await counting((node) => node.reconcile(org_id));
  expect(counted.result.broken).toMatchObject([{ task_id: bad.id }]);
  const moved = counted.result.repaired.filter(({ what }) => what === "status");
  expect(moved).toHaveLength(COUNT - 1);
  const waiting = await sql<{ id: string }[]>`
    select t.id from pawl.task t where t.org_id = ${org_id} and t.status = 'waiting'`;
  expect(waiting.map(({ id }) => id)).toEqual([bad.id]);
  expectFewTransactions(counted);
});
