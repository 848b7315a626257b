// A node that is paused (SIGSTOP) in the middle of a transaction does not block the other nodes of its org.
import { afterAll, afterEach, expect, test } from "vitest";
import type { ClusterNode } from "./cluster.ts";
import type { Caller, PublicTask } from "../../../src/main/index.ts";
import {
  ann,
  as,
  countEvents,
  createJobs,
  expectConsistent,
  newOrg,
  openCluster,
  times,
  outcomeWhenAnswered,
} from "./cluster.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";
import { GATE, NODE_NAME, startSeparateNode } from "./separate-node.ts";

const cluster = await openCluster();
const { sql } = cluster;
const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
const separate = await startSeparateNode(cluster.url);
afterEach(() => process.kill(separate.pid, "SIGCONT"));
afterAll(() => separate.close());

type Session = { pid: number; state: string; wait: string | null; begun: string | null };

/** Returns the sessions of the separate node that have a transaction open. */
async function openTransactions(): Promise<Session[]> {
  return sql<Session[]>`
    select pid, state, wait_event_type as wait, xact_start::text as begun from pg_stat_activity
    where datname = current_database() and application_name = ${NODE_NAME} and xact_start is not null
    order by pid`;
}

async function isLocked(org_id: string): Promise<boolean> {
  const free = await sql`select from pawl.org where id = ${org_id} for update skip locked`;
  return free.length === 0;
}

/** Whether the database works for a session, and does not wait for its client. */
function isRunning({ state, wait }: Session): boolean {
  return state === "active" && wait !== "Client";
}

/** Blocks the effects of the separate node until the returned function is called. */
async function closeGate(): Promise<() => Promise<void>> {
  const session = await sql.reserve();
  await session`select pg_advisory_lock(${GATE})`;
  return async () => {
    await session`select pg_advisory_unlock(${GATE})`;
    session.release();
  };
}

/** Stops the separate node while its command `note` on a task has a transaction open. */
async function stopInTransaction(caller: Caller, task: PublicTask, key: string) {
  const openGate = await closeGate();
  const noted = separate.perform(caller, {
    task_id: task.id,
    action: "note",
    payload: { text: "x" },
    client_event_id: key,
  });
  try {
    await expect.poll(openTransactions).toMatchObject([{ state: "active", wait: "Lock" }]);
    process.kill(separate.pid, "SIGSTOP");
  } finally {
    await openGate();
  }
  await expect.poll(openTransactions).toMatchObject([{ state: "idle in transaction" }]);
  const [session] = await openTransactions();
  return { noted, session: session! };
}

/** Sends commands of every kind to both other nodes and expects an answer to each. */
async function expectOthersServed(caller: Caller): Promise<void> {
  const jobs = await createJobs(
    first,
    [...times(8, () => ({})), { ref: "b" }, { after: ["b"] }, { priority: 9 }, { priority: 9 }],
    caller,
  );
  const outcomes = await Promise.all(
    [first, second].flatMap((node, index) => {
      const move = (position: number, action: string, more: object = {}) =>
        node.perform(caller, { task_id: jobs[position + 4 * index]!.id, action, ...more });
      return [
        move(0, "paint"),
        move(1, "paint", { client_event_id: crypto.randomUUID() }),
        move(2, "note", { payload: { text: "x" } }),
        move(3, "close"),
        node.perform(caller, {
          task_id: jobs[8]!.id,
          action: index === 0 ? "paint" : "spawn",
          payload: { title: "y" },
        }),
        node.create(caller, [{ lifecycle: "job" }]),
        node.create(caller, [{ lifecycle: "job" }], { client_event_id: crypto.randomUUID() }),
        node.claim(caller, { lifecycle: "job" }),
      ].map((answer) => outcomeWhenAnswered(answer));
    }),
  );
  for (const outcome of outcomes) expect(["performed", "created", "claimed"]).toContain(outcome);
  const { postponed } = await second.sweep({
    org_id: caller.org_id,
    now: Date.now() + 3 * 3_600_000,
  });
  expect(postponed).toEqual([]);
}

async function countNotes(task: PublicTask): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from public.job_note where task_id = ${task.id}`;
  return row?.n ?? 0;
}

test("other nodes keep working while a node is stopped in a transaction, and it finishes its command when it continues", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  const [task] = (await createJobs(first, [{}], caller)) as [PublicTask];
  const { noted, session } = await stopInTransaction(caller, task, "stopped");
  await expectOthersServed(caller);
  expect(await openTransactions()).toEqual([session]);
  const painted = outcomeWhenAnswered(second.perform(caller, { task_id: task.id, action: "paint" }));
  process.kill(separate.pid, "SIGCONT");
  expect(await outcomeWhenAnswered(noted)).toBe("performed");
  expect(await painted).toBe("performed");
  const again = { task_id: task.id, action: "note", payload: { text: "x" }, client_event_id: "stopped" };
  expect(await outcomeWhenAnswered(first.perform(caller, again))).toBe("replayed");
  expect(await countNotes(task)).toBe(1);
  expect(await countEvents(sql, task.id)).toBe(3);
  await expectConsistent(cluster, org_id);
});

test("a stopped node whose transaction the database has ended decides again when it continues", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  const [task] = (await createJobs(first, [{}], caller)) as [PublicTask];
  const { noted, session } = await stopInTransaction(caller, task, "ended");
  await sql`select pg_terminate_backend(${session.pid})`;
  expect(await outcomeWhenAnswered(first.perform(caller, { task_id: task.id, action: "close" }))).toBe(
    "performed",
  );
  process.kill(separate.pid, "SIGCONT");
  expect(await outcomeWhenAnswered(noted)).toBe("INVALID_TRANSITION");
  expect(await countNotes(task)).toBe(0);
  expect(await countEvents(sql, task.id)).toBe(2);
  await expectConsistent(cluster, org_id);
});

test("a busy node that is stopped blocks no other node, or only for seconds if it was about to commit", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  let caught = 0;
  let held = 0;
  for (let round = 0; round < 80; round++) {
    const fields = times(30, (n) => (n < 15 ? { ref: `b${n}` } : { after: [`b${n - 15}`] }));
    const jobs = (await createJobs(first, fields, caller)).slice(0, 15);
    const burst = jobs.map(({ id }, n) =>
      separate.perform(caller, {
        task_id: id,
        action: n % 2 === 0 ? "close" : "note",
        payload: { text: "x" },
      }),
    );
    // Each round stops it a little later than the one before.
    for (let delay = 0; delay < round % 8; delay++) await openTransactions();
    process.kill(separate.pid, "SIGSTOP");
    // Statements that the database has received run to their end.
    await expect.poll(async () => (await openTransactions()).filter(isRunning)).toEqual([]);
    const stopped = await openTransactions();
    if (stopped.length > 0) {
      if (await isLocked(org_id)) {
        // Stopped between its last write and its commit, the only place where the org's row is locked; the database ends it there.
        held++;
        await expect.poll(() => isLocked(org_id), { timeout: WAIT_LIMIT_MS }).toBe(false);
      } else {
        if (caught < 3) await expectOthersServed(caller);
        // A message that the database read late may have ended the transaction meanwhile.
        if ((await openTransactions()).length > 0) caught++;
      }
    }
    process.kill(separate.pid, "SIGCONT");
    for (const answer of burst) expect(await outcomeWhenAnswered(answer)).toBe("performed");
    const moved = await sql<{ task_id: string }[]>`
      select e.task_id from pawl.event e
      where e.task_id = any(${jobs.map(({ id }) => id)}) and e.action in ('close', 'note')`;
    expect(moved.map(({ task_id }) => task_id).sort()).toEqual(jobs.map(({ id }) => id).sort());
  }
  expect(caught).toBeGreaterThan(held);
  await expectConsistent(cluster, org_id);
});
