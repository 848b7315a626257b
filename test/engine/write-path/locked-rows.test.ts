// A locked row delays only the commands that need this row.
import { expect, test } from "vitest";
import type { ClusterNode } from "./cluster.ts";
import type { Caller, PublicTask } from "../../../src/main/index.ts";
import {
  ann,
  as,
  bob,
  countEvents,
  createJobs,
  expectConsistent,
  lockRows,
  newOrg,
  openCluster,
  times,
  outcomeWhenAnswered,
} from "./cluster.ts";

const cluster = await openCluster();
const { sql } = cluster;
const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
const LATER = 3 * 3_600_000;

/** Sends one command of each kind in the same turn of the event loop; none of them needs a locked row. */
async function sendOthers(
  node: ClusterNode,
  caller: Caller,
  jobs: readonly PublicTask[],
): Promise<Record<string, string>> {
  const [plain, keyed, noted, blocker, blocked, pinged, awaited] = jobs as PublicTask[] & { length: 7 };
  const key = () => ({ client_event_id: crypto.randomUUID() });
  const move = (task: PublicTask | undefined, action: string, more: object = {}) =>
    node.perform(caller, { task_id: task!.id, action, ...more });
  const commands = {
    "plain move": move(plain, "paint"),
    "keyed move": move(keyed, "paint", key()),
    "move with facts and effects": move(noted, "note", { payload: { text: "x" } }),
    "finish with a dependent": move(blocker, "close"),
    "move of a waiting task": move(blocked, "hold", { payload: { hold_id: crypto.randomUUID() } }),
    touch: move(pinged, "ping"),
    create: node.create(caller, [{ lifecycle: "job" }]),
    "keyed create": node.create(caller, [{ lifecycle: "job" }], key()),
    "create with a blocker": node.create(caller, [{ lifecycle: "job", after: [awaited!.id] }]),
    claim: node.claim(caller, { lifecycle: "job", limit: 2 }),
    "keyed claim": node.claim(caller, { lifecycle: "job", ...key() }),
  };
  const outcomes = Object.entries(commands).map(
    async ([name, answer]) => [name, await outcomeWhenAnswered(answer)] as const,
  );
  return Object.fromEntries(await Promise.all(outcomes));
}

const ALL_ANSWERED = {
  "plain move": "performed",
  "keyed move": "performed",
  "move with facts and effects": "performed",
  "finish with a dependent": "performed",
  "move of a waiting task": "performed",
  touch: "performed",
  create: "created",
  "keyed create": "created",
  "create with a blocker": "created",
  claim: "claimed",
  "keyed claim": "claimed",
};

/** Creates the tasks of one call of `sendOthers`, of a low priority, and some that claims may take. */
async function jobsForOthers(caller: Caller): Promise<PublicTask[]> {
  const jobs = [{}, {}, {}, { ref: "blocker" }, { after: ["blocker"] }, {}, {}].map((fields) => ({
    ...fields,
    priority: -1,
  }));
  return createJobs(first, [...jobs, ...times(6, () => ({ priority: 5 }))], caller);
}

test("commands on other tasks are answered while two rows are locked", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  const locked = await createJobs(first, [{ priority: 9 }, { priority: 9 }], caller);
  const [left, right] = locked as [PublicTask, PublicTask];
  const jobs = [await jobsForOthers(caller), await jobsForOthers(caller), await jobsForOthers(caller)];
  const release = await lockRows(sql, locked);
  let answered = 0;
  try {
    const key = crypto.randomUUID();
    const waiting = [
      first.perform(caller, { task_id: left.id, action: "paint" }),
      first.perform(caller, { task_id: right.id, action: "close", client_event_id: key }),
      second.perform(caller, { task_id: right.id, action: "close", client_event_id: key }),
      second.perform(caller, { task_id: left.id, action: "note", payload: { text: "x" } }),
    ].map((answer) => outcomeWhenAnswered(answer).finally(() => answered++));
    // In one batch with the waiting commands, on the other node, and once more behind the waiting commands.
    expect(await sendOthers(first, caller, jobs[0]!)).toEqual(ALL_ANSWERED);
    expect(await sendOthers(second, caller, jobs[1]!)).toEqual(ALL_ANSWERED);
    expect(await sendOthers(first, caller, jobs[2]!)).toEqual(ALL_ANSWERED);
    const swept = await first.sweep({ org_id, now: Date.now() + LATER });
    expect(swept.postponed).toEqual([]);
    expect(swept.moved).toBeGreaterThan(0);
    expect(answered).toBe(0);
    await release();
    const outcomes = await Promise.all(waiting);
    expect(outcomes.filter((_, index) => index !== 1 && index !== 2)).toEqual(["performed", "performed"]);
    expect(outcomes.slice(1, 3).sort()).toEqual(["performed", "replayed"]);
  } finally {
    await release();
  }
  expect(await countEvents(sql, left.id)).toBe(3);
  expect(await countEvents(sql, right.id)).toBe(2);
  await expectConsistent(cluster, org_id);
});

test("commands on other tasks are answered while a finish waits for its locked dependent", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  const created = await createJobs(first, [{ ref: "blocker", priority: -2 }, { after: ["blocker"] }], caller);
  const [blocker, dependent] = created as [PublicTask, PublicTask];
  const [awaited] = (await createJobs(first, [{ priority: -2 }], caller)) as [PublicTask];
  const jobs = [await jobsForOthers(caller), await jobsForOthers(caller)];
  const release = await lockRows(sql, [dependent, awaited]);
  try {
    const waiting = [
      outcomeWhenAnswered(first.perform(caller, { task_id: blocker.id, action: "close" })),
      outcomeWhenAnswered(first.create(caller, [{ lifecycle: "job", title: "late", after: [awaited.id] }])),
    ];
    expect(await sendOthers(first, caller, jobs[0]!)).toEqual(ALL_ANSWERED);
    expect(await sendOthers(second, caller, jobs[1]!)).toEqual(ALL_ANSWERED);
    await release();
    expect(await Promise.all(waiting)).toEqual(["performed", "created"]);
  } finally {
    await release();
  }
  expect(await first.find(caller, dependent.id)).toMatchObject({
    status: "open",
    open_blockers: 0,
    row_version: 2,
  });
  expect(await countEvents(sql, blocker.id)).toBe(2);
  await expectConsistent(cluster, org_id);
});

test("a sweep skips a due task with a locked dependent, and moves the others", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  const later = { org_id, now: Date.now() + LATER };
  const created = await createJobs(first, [{ ref: "blocker" }, { after: ["blocker"] }, {}], caller);
  const [blocker, dependent, other] = created as [PublicTask, PublicTask, PublicTask];
  const claimBoth = () => first.claim(caller, { lifecycle: "job", limit: 2 });
  await claimBoth();
  await first.sweep(later);
  // Both are out of attempts: they are dropped when their leases end, and their dependents are flagged.
  await claimBoth();
  const release = await lockRows(sql, [dependent]);
  try {
    expect(await first.sweep(later)).toMatchObject({ moved: 1, postponed: [] });
    expect(await first.find(caller, other.id)).toMatchObject({ status: "dropped" });
    expect(await first.find(caller, blocker.id)).toMatchObject({ status: "running" });
  } finally {
    await release();
  }
  expect(await first.sweep(later)).toMatchObject({ moved: 1, postponed: [] });
  expect(await first.find(caller, blocker.id)).toMatchObject({ status: "dropped" });
  await expectConsistent(cluster, org_id);
});

test("the org's row is free while commands wait for locked tasks", async () => {
  const org_id = await newOrg(cluster);
  const caller = as(ann, org_id);
  const created = await createJobs(first, [{ ref: "blocker" }, { after: ["blocker"] }, {}, {}, {}], caller);
  const [blocker, dependent, plain, awaited, noted] = created as PublicTask[] & { length: 5 };
  const release = await lockRows(sql, [dependent!, plain!, awaited!, noted!]);
  const lockOrg = () =>
    sql.begin(async (tx) => {
      // Shorter than Pawl's own timeouts, so that the test fails if the org's row is locked during a wait.
      await tx`set local lock_timeout = '10s'`;
      await tx`select from pawl.org where id = ${org_id} for update`;
    });
  try {
    const key = { client_event_id: crypto.randomUUID() };
    const waiting = [
      first.perform(caller, { task_id: blocker!.id, action: "close" }),
      first.perform(caller, { task_id: plain!.id, action: "paint" }),
      second.perform(caller, {
        task_id: plain!.id,
        action: "hold",
        payload: { hold_id: crypto.randomUUID() },
      }),
      second.perform(caller, { task_id: awaited!.id, action: "close", ...key }),
      second.create(caller, [{ lifecycle: "job", after: [awaited!.id] }]),
      first.perform(caller, { task_id: noted!.id, action: "note", payload: { text: "x" } }),
    ].map(outcomeWhenAnswered);
    for (let round = 0; round < 50; round++) await lockOrg();
    await release();
    expect(await Promise.all(waiting)).toEqual([...times(4, () => "performed"), "created", "performed"]);
  } finally {
    await release();
  }
  await expectConsistent(cluster, org_id);
});

test("a command whose row stays locked is refused as unavailable and changes nothing", async () => {
  const impatient = await cluster.open({ statementTimeoutMs: 3_000, retryTimeoutMs: 3_000 });
  const org_id = await newOrg(cluster);
  const caller = as(bob, org_id);
  const [locked] = (await createJobs(first, [{}], caller)) as [PublicTask];
  const before = await sql`select * from pawl.task where id = ${locked.id}`;
  const close = { task_id: locked.id, action: "close", client_event_id: "stays locked" };
  const release = await lockRows(sql, [locked]);
  try {
    expect(await outcomeWhenAnswered(impatient.perform(caller, close))).toBe("UNAVAILABLE");
    expect(
      await outcomeWhenAnswered(impatient.perform(caller, { task_id: locked.id, action: "paint" })),
    ).toBe("UNAVAILABLE");
  } finally {
    await release();
  }
  await impatient.drain();
  expect(await sql`select * from pawl.task where id = ${locked.id}`).toEqual(before);
  expect(await countEvents(sql, locked.id)).toBe(1);
  expect(await outcomeWhenAnswered(impatient.perform(caller, close))).toBe("performed");
  expect(await countEvents(sql, locked.id)).toBe(2);
});

test("commands in one batch with a command whose row stays locked are not refused", async () => {
  const impatient = await cluster.open({ statementTimeoutMs: 3_000, retryTimeoutMs: 3_000 });
  const org_id = await newOrg(cluster);
  const caller = as(bob, org_id);
  const [locked, ...neighbours] = (await createJobs(
    first,
    times(11, () => ({})),
    caller,
  )) as [PublicTask];
  const release = await lockRows(sql, [locked]);
  try {
    const outcomes = await Promise.all(
      [locked, ...neighbours].map(({ id }) =>
        outcomeWhenAnswered(impatient.perform(caller, { task_id: id, action: "paint" })),
      ),
    );
    expect(outcomes).toEqual(["UNAVAILABLE", ...times(10, () => "performed")]);
  } finally {
    await release();
  }
  expect(await countEvents(sql, locked.id)).toBe(1);
  await expectConsistent(cluster, org_id);
});
