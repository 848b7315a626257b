import { expect, onTestFinished, test } from "vitest";
import { SYSTEM } from "../../../src/core/index.ts";
import { startSweeper } from "../../../src/engine/upkeep/sweeper.ts";
import { releaseEndedShifts } from "../../../src/lifecycles/planner/release-shifts.ts";
import type { PlannerShift } from "../../../src/lifecycles/planner/api.ts";
import { wanted } from "../../http/front-desk.ts";
import { openShopFloor } from "./shop-floor.ts";
import type { Who } from "./shop-floor.ts";

const floor = await openShopFloor();
const { say, act, move, get, log, make, free } = floor;

const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

/** A shift from an hour ago; it ends in so many seconds. */
async function shift(ends_in: number, members: Who[] = ["bob"], more: object = {}): Promise<PlannerShift> {
  const times = { starts_at: at(-3_600), ends_at: at(ends_in), ...more };
  return wanted<PlannerShift>(201, await say("lea", "POST /shifts", { ...times, members }));
}

async function working(who: Who): Promise<string> {
  await free(who);
  const { id } = await make();
  await act(who, id, "self_assign");
  return id;
}

/** Until it is so. */
async function until(look: () => Promise<boolean>): Promise<void> {
  await expect.poll(look, { interval: 20 }).toBe(true);
}

test("a shift ends on time though three nodes sweep: each task is released once", async () => {
  const [bobs, cats] = [await working("bob"), await working("cat")];
  await act("cat", cats, "start");
  await say("lea", `POST /tasks/${cats}/contributors`, { member_id: "eve" });
  const { id, ends_at } = await shift(1.5, ["bob", "cat"]);
  const nodes = [floor.engine, floor.desk.node(), floor.desk.node()];
  const sweepers = nodes.map((node) => startSweeper(() => node.sweep(), { everyMs: 40 }));
  onTestFinished(async () => {
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
  });
  await until(async () => wanted<PlannerShift>(200, await say("lea", `GET /shifts/${id}`)).settled);
  for (const task of [bobs, cats]) {
    const row = await get(task);
    expect(row).toMatchObject({
      status: "available",
      assigned_to: null,
      assigned_at: null,
      contributors: [],
    });
    expect(row.needs_attention).toBe(false);
    const released = (await log(task)).filter(({ action }) => action === "shift_release");
    expect(released).toMatchObject([{ actor_id: null, to_status: "available" }]);
    expect(Date.parse(released[0]!.created_at)).toBeGreaterThanOrEqual(Date.parse(ends_at));
  }
});

test("a task that is held at the end of the shift stays, says why, and goes when the hold is released", async () => {
  const id = await working("bob");
  const { body } = await say("lea", `POST /tasks/${id}/holds`, { kind: "materials", reason: "no steel" });
  const planned = await shift(0.05);
  await until(async () => {
    await floor.engine.sweep();
    return (await get(id)).needs_attention;
  });
  await floor.engine.sweep();
  await floor.engine.sweep();
  expect(await get(id)).toMatchObject({ status: "assigned", assigned_to: "bob", needs_attention: true });
  const flags = (await log(id)).filter(({ action }) => action === "flag");
  expect(flags, "told once").toHaveLength(1);
  expect(flags[0]?.payload.reason).toContain("The task is on hold (materials).");
  expect((await say("lea", "GET /tasks?needs_attention=true")).body.tasks).toMatchObject([{ id }]);
  const shiftNow = async () => wanted<PlannerShift>(200, await say("lea", `GET /shifts/${planned.id}`));
  expect((await shiftNow()).settled).toBe(false);

  await say("lea", `DELETE /tasks/${id}/holds/${(body.hold as { id: string }).id}`);
  expect(await get(id), "nothing is left to look at").toMatchObject({
    status: "assigned",
    needs_attention: false,
  });
  await floor.engine.sweep();
  expect(await get(id)).toMatchObject({ status: "available", needs_attention: false });
  expect((await shiftNow()).settled).toBe(true);
});

test("an owner with another running shift keeps his task until that ends; back to back is no gap", async () => {
  const id = await working("bob");
  const now = Date.now();
  const early = await shift(0.05);
  const late = wanted<PlannerShift>(
    201,
    await say("lea", "POST /shifts", {
      starts_at: early.ends_at,
      ends_at: new Date(now + 3_600_000).toISOString(),
      members: ["bob"],
    }),
  );
  await until(() => Promise.resolve(Date.now() > Date.parse(early.ends_at) + 20));
  await floor.engine.sweep();
  expect(await get(id)).toMatchObject({ status: "assigned", assigned_to: "bob", needs_attention: false });
  expect((await move("rob", id, "shift_release")).body.code).toBe("SHIFT_NOT_OVER");
  const ended = await say("lea", `POST /shifts/${late.id}/end`, {});
  expect(ended.body).toMatchObject({ released: [id], kept: [], shift: { settled: true } });
  expect((await get(id)).status).toBe("available");
  await floor.engine.sweep();
  expect((await log(id)).filter(({ action }) => action === "shift_release")).toHaveLength(1);
});

test("a task that was taken after the end is not released by it", async () => {
  await free("bob");
  const planned = await shift(0.01);
  await until(() => Promise.resolve(Date.now() > Date.parse(planned.ends_at) + 20));
  const id = await working("bob");
  await floor.engine.sweep();
  expect((await get(id)).status).toBe("assigned");
  expect((await move("rob", id, "shift_release")).body.code).toBe("SHIFT_NOT_OVER");
  const next = await shift(0.01);
  await until(() => Promise.resolve(Date.now() > Date.parse(next.ends_at) + 20));
  expect(await act("rob", id, "shift_release"), "by hand, when the owner's shift has ended").toBe(
    "available",
  );
});

test("a shift ends now when a lead says so: what is kept is told with its reason, and a replay tells the same", async () => {
  const [bobs, cats] = [await working("bob"), await working("cat")];
  await say("lea", `POST /tasks/${cats}/holds`, { kind: "access", reason: "locked" });
  const { id } = await shift(3_600, ["bob", "cat"]);
  const key = { client_event_id: `end ${id}` };
  const ended = await say("lea", `POST /shifts/${id}/end`, key);
  expect(ended.body).toMatchObject({ released: [bobs], kept: [{ task_id: cats, code: "OPEN_HOLDS" }] });
  expect(Date.parse((ended.body.shift as PlannerShift).ends_at)).toBeLessThanOrEqual(Date.now());
  expect(await get(cats)).toMatchObject({ status: "assigned", assigned_to: "cat", needs_attention: true });
  const again = await say("lea", `POST /shifts/${id}/end`, key);
  expect(again.body).toEqual(ended.body);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

/** Moves a shift, and what somebody got under it, into the past. */
async function longAgo(shift_id: string, task_id: string): Promise<void> {
  await floor.sql`update pawl.planner_shift set starts_at = starts_at - interval '1 day', ends_at = ends_at - interval '1 day'
    where id = ${shift_id}`;
  await floor.sql`update pawl.task
    set data = jsonb_set(data, '{assigned_at}', to_jsonb((data ->> 'assigned_at')::float8 - 86400000)) where id = ${task_id}`;
}

const isLookedAt = async (id: string) =>
  (await floor.sql`select settled from pawl.planner_shift where id = ${id}`)[0]?.settled === false;

test("what is rejected when its owner's shift is over goes back to him, and from him to the pool", async () => {
  const id = await working("bob");
  for (const action of ["start", "submit"]) await act("bob", id, action);
  const planned = await shift(3_600);
  const ended = await say("lea", `POST /shifts/${planned.id}/end`, {});
  expect(ended.body, "what was handed in is not in hand").toMatchObject({ released: [], kept: [] });
  await longAgo(planned.id, id);
  await floor.engine.sweep();
  expect(await isLookedAt(planned.id), "it may be rejected yet").toBe(true);
  expect(await act("lea", id, "review_reject", { reason: "crooked" })).toBe("in_progress");
  expect(await get(id)).toMatchObject({ assigned_to: "bob" });
  await floor.engine.sweep();
  expect(await get(id)).toMatchObject({ status: "available", assigned_to: null });
  await floor.engine.sweep();
  expect(await isLookedAt(planned.id), "all is settled").toBe(false);
});

test("a move that was decided before the end and committed after it is found by the next sweep", async () => {
  await free("bob");
  const planned = await shift(0.01);
  await until(() => Promise.resolve(Date.now() > Date.parse(planned.ends_at) + 20));
  await floor.engine.sweep();
  const id = await working("bob");
  // As if it had been under way when the sweep looked.
  const before = Date.parse(planned.ends_at) - 1;
  await floor.sql`update pawl.task set data = jsonb_set(data, '{assigned_at}', to_jsonb(${before}::float8)) where id = ${id}`;
  await floor.engine.sweep();
  expect((await get(id)).status).toBe("available");
});

test("hundreds of shifts that wait for a hold keep no other from ending", async () => {
  const held = await working("bob");
  await say("lea", `POST /tasks/${held}/holds`, { kind: "materials", reason: "no steel" });
  const free_ = await working("cat");
  const planned = await shift(3_600);
  await say("lea", `POST /shifts/${planned.id}/end`, {});
  await floor.sql`
    with copies as (
      insert into pawl.planner_shift (org_id, id, project_id, starts_at, ends_at, settled, created_at)
      select org_id, gen_random_uuid(), project_id, starts_at, ends_at, false, created_at
      from pawl.planner_shift, generate_series(1, 300) where id = ${planned.id}
      returning org_id, id)
    insert into pawl.planner_shift_member (org_id, shift_id, member_id) select org_id, id, 'bob' from copies`;
  const last = await shift(0.01, ["cat"]);
  await until(() => Promise.resolve(Date.now() > Date.parse(last.ends_at) + 20));
  await floor.engine.sweep();
  expect((await get(free_)).status).toBe("available");
  expect(await get(held)).toMatchObject({ status: "assigned", assigned_to: "bob" });
  await act("lea", held, "cancel", { reason: "no steel" });
});

test("a task that cannot be released for a fault keeps no other in hand", async () => {
  const [bobs, cats] = [await working("bob"), await working("cat")];
  const planned = await shift(0.01, ["bob", "cat"]);
  await until(() => Promise.resolve(Date.now() > Date.parse(planned.ends_at) + 20));
  const { engine } = floor;
  const sweep = releaseEndedShifts({
    transaction: (work) => engine.transaction(work),
    perform: (org_id, request) =>
      request.task_id === bobs
        ? Promise.reject(new Error("a fault"))
        : engine.perform({ org_id, actor: SYSTEM }, request),
  });
  await expect(sweep).rejects.toThrow("a fault");
  expect([(await get(bobs)).status, (await get(cats)).status]).toEqual(["assigned", "available"]);
});

test("shifts of other projects, and of others, release nothing", async () => {
  await floor.ask("POST /api/projects", { body: { id: "annex" } });
  const id = await working("bob");
  for (const [members, project_id] of [
    [["cat"], "main"],
    [["bob"], "annex"],
  ] as [Who[], string][]) {
    const planned = await shift(3_600, members, { project_id });
    expect((await say("lea", `POST /shifts/${planned.id}/end`, {})).body.released).toEqual([]);
  }
  expect((await get(id)).status).toBe("assigned");
});

test.each([
  [{ members: [] }, "members"],
  [{ members: ["nobody"] }, "members"],
  [{ ends_at: at(-7_200) }, "ends_at"],
  [{ starts_at: "soon" }, "starts_at"],
])("a shift with %j is told what is wrong", async (wrong, path) => {
  const body = { starts_at: at(-3_600), ends_at: at(60), members: ["bob"], ...wrong };
  const heard = await say("lea", "POST /shifts", body);
  expect(heard).toMatchObject({
    status: 422,
    body: {
      code: "VALIDATION_ERROR",
      errors: expect.arrayContaining([expect.objectContaining({ path })]) as object,
    },
  });
});
