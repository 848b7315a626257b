import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { startPlannerServer } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, get, log, make, taskIn, sql } = server;

test("a task without open blockers is available; the last blocker makes it available in the same transaction", async () => {
  const [one, two] = [await make({ title: "First" }), await make({ title: "Second" })];
  const last = await make({ title: "Last", depends_on: [one.id, two.id] });
  expect([one.status, last.status]).toEqual(["available", "blocked"]);
  for (const { id } of [one, two]) {
    expect((await get(last.id)).status).toBe("blocked");
    await server.free("bob");
    for (const action of ["self_assign", "start", "submit"]) await act("bob", id, action);
    await act("lea", id, "review_approve");
  }
  expect(await get(last.id)).toMatchObject({
    status: "available",
    depends_on: [one.id, two.id],
    row_version: 2,
  });
  const [done] = (await log(two.id)).slice(-1);
  const [unblocked] = (await log(last.id)).slice(-1);
  expect(unblocked).toMatchObject({ action: "unblock", actor_id: null, created_at: done?.created_at });
  expect((await make({ depends_on: [one.id] })).status).toBe("available");
});

test("releasing the last hold makes a task available, and the answer contains the new status", async () => {
  const { id } = await taskIn("blocked");
  const place = (kind: string) => send("lea", `POST /tasks/${id}/holds`, { kind, reason: "wait" });
  const holds = [await place("materials"), await place("qc")].map(
    ({ body }) => (body.hold as JsonObject).id as string,
  );
  const { depends_on } = await get(id);
  const removed = await send("lea", `DELETE /tasks/${id}/depends_on/${depends_on[0]}`);
  expect(removed.body.task).toMatchObject({ status: "blocked", depends_on: [] });
  const release = async (hold: string) =>
    (await send("lea", `DELETE /tasks/${id}/holds/${hold}`)).body.task as PlannerTask;
  expect((await release(holds[0]!)).holds.map(({ kind }) => kind)).toEqual(["qc"]);
  expect(await release(holds[1]!)).toMatchObject({ status: "available", holds: [], row_version: 7 });
});

/** Writes that would break the guarantee of an available task. */
const BREACHES: [string, (id: string, other: string) => Promise<unknown>][] = [
  ["an owner", (id) => sql`update pawl.task set assigned_to = 'bob' where id = ${id}`],
  ["a blocker's count", (id) => sql`update pawl.task set open_blockers = 1 where id = ${id}`],
  ["a hold's count", (id) => sql`update pawl.task set open_holds = 1 where id = ${id}`],
  [
    "a hold",
    (id) => sql`insert into pawl.hold (org_id, id, task_id, kind, reason, placed_at)
      values ('main', ${randomUUID()}, ${id}, 'qc', 'no', now())`,
  ],
  [
    "a blocker",
    (id, other) => sql`insert into pawl.dependency (org_id, task_id, blocker_id, on_failure, resolved)
      values ('main', ${id}, ${other}, 'wait', false)`,
  ],
  [
    "an unfinished blocker that is marked as resolved",
    (id, other) => sql`insert into pawl.dependency (org_id, task_id, blocker_id, on_failure, resolved)
      values ('main', ${id}, ${other}, 'wait', true)`,
  ],
];

test.each(BREACHES)("the database refuses to give an available task %s", async (_, breach) => {
  const [{ id }, other] = [await make(), await make()];
  await expect(breach(id, other.id)).rejects.toMatchObject({ constraint_name: "planner_available_is_free" });
});

test("the database refuses to make a task available that is on hold or blocked, even with wrong counters", async () => {
  const waits = await taskIn("blocked");
  const held = await taskIn("assigned");
  await send("lea", `POST /tasks/${held.id}/holds`, { kind: "access", reason: "locked" });
  for (const { id } of [waits, held]) {
    const force = sql`update pawl.task set status = 'available', pooled = true, assigned_to = null, exclusive_key = null,
      open_blockers = 0, open_holds = 0 where id = ${id}`;
    await expect(force).rejects.toMatchObject({ constraint_name: "planner_available_is_free" });
  }
  await sql`update pawl.dependency set resolved = true where task_id = ${waits.id}`;
  const force = sql`update pawl.task set status = 'available', pooled = true, open_blockers = 0 where id = ${waits.id}`;
  await expect(force, "its blocker is not done").rejects.toMatchObject({
    constraint_name: "planner_available_is_free",
  });
  await sql`update pawl.dependency set resolved = false where task_id = ${waits.id}`;
  await expect(sql`delete from pawl.task where id = ${waits.id}`).rejects.toMatchObject({
    constraint_name: "task_unfinished_never_removed",
  });
});

/** Creates a task that is still blocked although its last blocker is done. */
async function createMissed(): Promise<string> {
  const { id, depends_on } = await taskIn("blocked");
  const [blocker] = depends_on as [string];
  await server.free("bob");
  // Simulates a lost event: the dependency is already resolved while the blocker finishes.
  await sql`update pawl.dependency set resolved = true where task_id = ${id}`;
  for (const action of ["self_assign", "start", "submit"]) await act("bob", blocker, action);
  await act("lea", blocker, "review_approve");
  return id;
}

test("reconciliation makes a missed task available, and reports the repair", async () => {
  const id = await createMissed();
  expect((await get(id)).status).toBe("blocked");
  const { repaired } = await server.engine.reconcile("main");
  expect(repaired.filter(({ task_id }) => task_id === id)).toContainEqual(
    expect.objectContaining({ what: "status", was: "blocked", is: "available" }),
  );
  expect((await get(id)).status).toBe("available");
});

test("the second of a concurrent hold and move into the pool is refused by the database", async () => {
  const place = (id: string, tx: typeof sql) =>
    tx`insert into pawl.hold (org_id, id, task_id, kind, reason, placed_at)
      values ('main', ${randomUUID()}, ${id}, 'qc', 'no', now())`;
  const open = (id: string, tx: typeof sql) =>
    tx`update pawl.task set status = 'available', pooled = true, open_blockers = 0 where id = ${id}`;
  for (const [first, second] of [
    [place, open],
    [open, place],
  ] as const) {
    const id = await createMissed();
    const late = await sql.begin(async (tx) => {
      await first(id, tx as unknown as typeof sql);
      const other = second(id, sql).then(
        () => "written",
        (error: unknown) => (error as { constraint_name?: string }).constraint_name,
      );
      await waitForLock();
      return { other };
    });
    expect(await late.other).toBe("planner_available_is_free");
  }
});

/** Waits until a statement is blocked by a lock. */
async function waitForLock(): Promise<void> {
  const waiting = () => sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0);
}
