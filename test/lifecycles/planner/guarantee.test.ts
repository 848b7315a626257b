import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask } from "../../../src/lifecycles/planner/contract.ts";
import { openShopFloor } from "./shop-floor.ts";
import type { Who } from "./shop-floor.ts";

const floor = await openShopFloor({ maxConnections: 20 });
const beside = await openShopFloor({ beside: floor, maxConnections: 20 });
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
];

test.each(LIES)("the database itself refuses an available task %s", async (_, lie) => {
  const [{ id }, other] = [await make(), await make()];
  await expect(lie(id, other.id)).rejects.toMatchObject({ constraint_name: "available_is_a_guarantee" });
});

test("the database itself refuses to make a task available that is held or waits, whatever its counters say", async () => {
  const waits = await taskIn("blocked");
  const held = await taskIn("assigned");
  await say("lea", `POST /tasks/${held.id}/holds`, { kind: "access", reason: "locked" });
  for (const { id } of [waits, held]) {
    const force = sql`update pawl.task set status = 'available', pooled = true, assigned_to = null, exclusive_key = null,
      open_blockers = 0, open_holds = 0 where id = ${id}`;
    await expect(force).rejects.toMatchObject({ constraint_name: "available_is_a_guarantee" });
  }
  await sql`update pawl.dependency set resolved = true where task_id = ${waits.id}`;
  const force = sql`update pawl.task set status = 'available', pooled = true, open_blockers = 0 where id = ${waits.id}`;
  await expect(force, "its blocker is not done").rejects.toMatchObject({
    constraint_name: "available_is_a_guarantee",
  });
  await sql`update pawl.dependency set resolved = false where task_id = ${waits.id}`;
  await expect(sql`delete from pawl.task where id = ${waits.id}`).rejects.toMatchObject({
    constraint_name: "an_open_task_is_never_lost",
  });
});

test("what an event has missed is repaired by the reconciliation, which says that it had to", async () => {
  const { id, depends_on } = await taskIn("blocked");
  const [blocker] = depends_on as [string];
  await floor.free("bob");
  // As if the event had been lost: the dependency is taken away while the blocker finishes.
  await sql`update pawl.dependency set resolved = true where task_id = ${id}`;
  for (const action of ["self_assign", "start", "submit"]) await act("bob", blocker, action);
  await act("lea", blocker, "review_approve");
  expect((await get(id)).status).toBe("blocked");
  const { repaired } = await floor.engine.reconcile("main");
  expect(repaired.filter(({ task_id }) => task_id === id)).toContainEqual(
    expect.objectContaining({ what: "status", was: "blocked", is: "available" }),
  );
  expect((await get(id)).status).toBe("available");
});

test("random people on many connections leave no moment at which an available task is a lie", async () => {
  const executors: Who[] = ["bob", "cat", "eve", "tom"];
  const leads: Who[] = ["lea", "sue", "tom"];
  let [looks, moves, broken] = [0, 0, 0];
  const watch = { running: true };
  // All the while somebody looks, in one snapshot each time.
  const watching = (async () => {
    while (watch.running) {
      const lies = await sql`
        select t.id from pawl.task t
        where t.lifecycle = 'planner' and t.status = 'available' and (
          t.assigned_to is not null or t.open_blockers <> 0 or t.open_holds <> 0 or t.final or not t.pooled
          or exists (select from pawl.hold h where h.task_id = t.id and h.released_at is null)
          or exists (select from pawl.dependency d join pawl.task b on b.id = d.blocker_id
                     where d.task_id = t.id and (not d.resolved or b.status <> 'done')))`;
      broken += lies.length;
      looks++;
    }
  })();
  const step = fc.record({
    lane: fc.nat({ max: 1 }),
    who: fc.nat(),
    what: fc.nat({ max: 17 }),
    task: fc.nat(),
  });
  const ids: string[] = [];
  const rnd = fc.sample(step, { numRuns: 600, seed: 20_261_115 });
  const run = async ({ lane, who, what, task }: (typeof rnd)[number]) => {
    const room = lane === 0 ? floor : beside;
    const id = ids[task % Math.max(ids.length, 1)] ?? "";
    const [executor, lead] = [executors[who % 4]!, leads[who % 3]!];
    const move = (by: Who, action: string, payload: JsonObject = {}) =>
      room.move(by, id, action, payload).catch(() => null);
    if (what < 3 || ids.length < 6) {
      const depends_on = what === 0 ? [] : ids.slice(-(1 + (who % 3)));
      const made = await room.say(lead, "POST /tasks", { title: "Any", depends_on });
      if (made.status === 201) ids.push((made.body as PlannerTask).id);
      return made;
    }
    switch (what) {
      case 3:
        return room.say(lead, `POST /tasks/${id}/holds`, { kind: "materials", reason: "r" });
      case 4: {
        const hold = (await room.get(id).catch(() => null))?.holds[0];
        return hold ? room.say(lead, `DELETE /tasks/${id}/holds/${hold.id}`) : null;
      }
      case 5:
        return move(lead, "cancel", { reason: "r" });
      case 6:
        return move(lead, "recall_to_pool", { reason: "r" });
      case 7: {
        const blocker = (await room.get(id).catch(() => null))?.depends_on[0];
        return blocker ? room.say(lead, `DELETE /tasks/${id}/depends_on/${blocker}`) : null;
      }
      case 8: {
        const times = {
          starts_at: new Date(Date.now() - 60_000).toISOString(),
          ends_at: new Date(Date.now() + 40).toISOString(),
        };
        return room.say("lea", "POST /shifts", { ...times, members: executors });
      }
      case 9:
        return (await room.engine.sweep(), null);
      case 10:
        return room.say(executor, "POST /claims", {});
      case 11:
        return move(lead, "assign", { assign_to: executor });
      case 12:
        return move(executor, "self_assign");
      case 13:
        return move(executor, "start");
      case 14:
        return move(executor, "submit", { resolution: "r" });
      case 15:
        return move(lead, "review_reject", { reason: "r" });
      default:
        return move(lead, "review_approve");
    }
  };
  await Promise.all(
    Array.from({ length: 12 }, async (_, lane) => {
      for (const [index, one] of rnd.entries()) {
        if (index % 12 !== lane) continue;
        const heard = await run(one);
        if (heard && heard.status < 300) moves++;
        if (heard) expect(heard.status, heard.text).toBeLessThan(500);
      }
    }),
  );
  watch.running = false;
  await watching;
  expect(broken).toBe(0);
  expect(looks).toBeGreaterThan(20);
  expect(moves).toBeGreaterThan(150);
  expect((await floor.engine.verify("main")).differences).toEqual([]);
  const { broken: breaches, repaired } = await floor.engine.reconcile("main");
  expect([breaches, repaired]).toEqual([[], []]);
  const [twice] = await sql`
    select count(*) from pawl.task where exclusive_key is not null group by exclusive_key having count(*) > 1`;
  expect(twice).toBeUndefined();
});
