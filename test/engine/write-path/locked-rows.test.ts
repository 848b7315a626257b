// A row that somebody keeps locked delays only the commands that need this row.
import { expect, test } from "vitest";
import type { Pawl, PublicTask } from "../../../src/index.ts";
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
  wordWhenAnswered,
} from "./cluster.ts";

const cluster = await openCluster();
const { sql } = cluster;
const [first, second] = cluster.nodes as [Pawl, Pawl];
test("the org's row is free while commands wait for locked tasks", async () => {
  const org_id = await newOrg(cluster);
  const by = as(ann, org_id);
  const made = await createJobs(first, [{ ref: "blocker" }, { after: ["blocker"] }, {}, {}, {}], by);
  const [blocker, dependent, plain, awaited, noted] = made as PublicTask[] & { length: 5 };
  const release = await lockRows(sql, [dependent!, plain!, awaited!, noted!]);
  const lockOrg = () =>
    sql.begin(async (tx) => {
      // Shorter than Pawl's own timeouts, so that an org's row which is held during a wait is noticed.
      await tx`set local lock_timeout = '10s'`;
      await tx`select from pawl.org where id = ${org_id} for update`;
    });
  try {
    const key = { client_event_id: crypto.randomUUID() };
    const waiting = [
      first.perform(by, { task_id: blocker!.id, action: "close" }),
      first.perform(by, { task_id: plain!.id, action: "paint" }),
      second.perform(by, { task_id: plain!.id, action: "hold", payload: { hold_id: crypto.randomUUID() } }),
      second.perform(by, { task_id: awaited!.id, action: "close", ...key }),
      second.create(by, [{ lifecycle: "job", after: [awaited!.id] }]),
      first.perform(by, { task_id: noted!.id, action: "note", payload: { text: "x" } }),
    ].map(wordWhenAnswered);
    for (let round = 0; round < 50; round++) await lockOrg();
    await release();
    expect(await Promise.all(waiting)).toEqual([...times(4, () => "performed"), "created", "performed"]);
  } finally {
    await release();
  }
  await expectConsistent(cluster, org_id);
});

test("a command whose row stays locked is refused as unavailable and changes nothing", async () => {
  const impatient = await cluster.open({ statementTimeoutMs: 3_000, patienceMs: 3_000 });
  const org_id = await newOrg(cluster);
  const by = as(bob, org_id);
  const [locked] = (await createJobs(first, [{}], by)) as [PublicTask];
  const before = await sql`select * from pawl.task where id = ${locked.id}`;
  const close = { task_id: locked.id, action: "close", client_event_id: "stays locked" };
  const release = await lockRows(sql, [locked]);
  try {
    expect(await wordWhenAnswered(impatient.perform(by, close))).toBe("UNAVAILABLE");
    expect(await wordWhenAnswered(impatient.perform(by, { task_id: locked.id, action: "paint" }))).toBe(
      "UNAVAILABLE",
    );
  } finally {
    await release();
  }
  await impatient.drain();
  expect(await sql`select * from pawl.task where id = ${locked.id}`).toEqual(before);
  expect(await countEvents(sql, locked.id)).toBe(1);
  expect(await wordWhenAnswered(impatient.perform(by, close))).toBe("performed");
  expect(await countEvents(sql, locked.id)).toBe(2);
});
