import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { openShopFloor } from "./shop-floor.ts";

const floor = await openShopFloor();
const { say, act, get, log, make, taskIn, sql } = floor;

test("a task begins available if nothing comes before it, and becomes so with the last blocker, in one transaction", async () => {
  const [one, two] = [await make({ title: "First" }), await make({ title: "Second" })];
  const last = await make({ title: "Last", depends_on: [one.id, two.id] });
  expect([one.status, last.status]).toEqual(["available", "blocked"]);
  for (const { id } of [one, two]) {
    expect((await get(last.id)).status).toBe("blocked");
    await floor.free("bob");
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

test("with the last hold it is available again, and the answer says so", async () => {
  const { id } = await taskIn("blocked");
  const place = (kind: string) => say("lea", `POST /tasks/${id}/holds`, { kind, reason: "wait" });
  const holds = [await place("materials"), await place("qc")].map(
    ({ body }) => (body.hold as JsonObject).id as string,
  );
  const { depends_on } = await get(id);
  const removed = await say("lea", `DELETE /tasks/${id}/depends_on/${depends_on[0]}`);
  expect(removed.body.task).toMatchObject({ status: "blocked", depends_on: [] });
  const release = async (hold: string) =>
    (await say("lea", `DELETE /tasks/${id}/holds/${hold}`)).body.task as PlannerTask;
  expect((await release(holds[0]!)).holds.map(({ kind }) => kind)).toEqual(["qc"]);
  expect(await release(holds[1]!)).toMatchObject({ status: "available", holds: [], row_version: 7 });
});

/** Everything that would make an available task a lie, written by hand. */
const LIES: [string, (id: string, other: string) => Promise<unknown>][] = [
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
    "a blocker that is called done and is not",
    (id, other) => sql`insert into pawl.dependency (org_id, task_id, blocker_id, on_failure, resolved)
      values ('main', ${id}, ${other}, 'wait', true)`,
  ],
];

test.each(LIES)("the database itself refuses an available task %s", async (_, lie) => {
  const [{ id }, other] = [await make(), await make()];
  await expect(lie(id, other.id)).rejects.toMatchObject({ constraint_name: "planner_available_is_free" });
});

test("the database itself refuses to make a task available that is held or waits, whatever its counters say", async () => {
  const waits = await taskIn("blocked");
  const held = await taskIn("assigned");
  await say("lea", `POST /tasks/${held.id}/holds`, { kind: "access", reason: "locked" });
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

/** A task whose last blocker is done, and that was not told. */
async function forgotten(): Promise<string> {
  const { id, depends_on } = await taskIn("blocked");
  const [blocker] = depends_on as [string];
  await floor.free("bob");
  // As if the event had been lost: the dependency is taken away while the blocker finishes.
  await sql`update pawl.dependency set resolved = true where task_id = ${id}`;
  for (const action of ["self_assign", "start", "submit"]) await act("bob", blocker, action);
  await act("lea", blocker, "review_approve");
  return id;
}

test("what an event has missed is repaired by the reconciliation, which says that it had to", async () => {
  const id = await forgotten();
  expect((await get(id)).status).toBe("blocked");
  const { repaired } = await floor.engine.reconcile("main");
  expect(repaired.filter(({ task_id }) => task_id === id)).toContainEqual(
    expect.objectContaining({ what: "status", was: "blocked", is: "available" }),
  );
  expect((await get(id)).status).toBe("available");
});

test("of a hold and a move into the pool that are written by hand at one moment the second is refused", async () => {
  const place = (id: string, tx: typeof sql) =>
    tx`insert into pawl.hold (org_id, id, task_id, kind, reason, placed_at)
      values ('main', ${randomUUID()}, ${id}, 'qc', 'no', now())`;
  const open = (id: string, tx: typeof sql) =>
    tx`update pawl.task set status = 'available', pooled = true, open_blockers = 0 where id = ${id}`;
  for (const [first, second] of [
    [place, open],
    [open, place],
  ] as const) {
    const id = await forgotten();
    const late = await sql.begin(async (tx) => {
      await first(id, tx as unknown as typeof sql);
      const other = second(id, sql).then(
        () => "written",
        (error: unknown) => (error as { constraint_name?: string }).constraint_name,
      );
      await somebodyWaits();
      return { other };
    });
    expect(await late.other).toBe("planner_available_is_free");
  }
});

/** Until a statement waits for a lock of another. */
async function somebodyWaits(): Promise<void> {
  const waiting = () => sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0);
}
