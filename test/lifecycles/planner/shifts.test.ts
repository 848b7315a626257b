import { expect, onTestFinished, test } from "vitest";
import { SYSTEM } from "../../../src/core/index.ts";
import { startSweeper } from "../../../src/engine/upkeep/sweeper.ts";
import { releaseEndedShifts } from "../../../src/lifecycles/planner/release-shifts.ts";
import type { PlannerShift } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, move, get, log, make, free } = server;

const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

/** Plans a shift that began an hour ago and ends in `ends_in` seconds. */
async function shift(ends_in: number, members: Who[] = ["bob"], more: object = {}): Promise<PlannerShift> {
  const times = { starts_at: at(-3_600), ends_at: at(ends_in), ...more };
  return bodyOf<PlannerShift>(201, await send("lea", "POST /shifts", { ...times, members }));
}

async function working(who: Who): Promise<string> {
  await free(who);
  const { id } = await make();
  await act(who, id, "self_assign");
  return id;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  await expect.poll(condition, { interval: 20 }).toBe(true);
}

test("at the end of a shift, three sweeping nodes release each task once", async () => {
  const [bobs, cats] = [await working("bob"), await working("cat")];
  await act("cat", cats, "start");
  await send("lea", `POST /tasks/${cats}/contributors`, { member_id: "eve" });
  const { id, ends_at } = await shift(1.5, ["bob", "cat"]);
  const nodes = [server.engine, server.testEngine.node(), server.testEngine.node()];
  const sweepers = nodes.map((node) => startSweeper(() => node.sweep(), { everyMs: 40 }));
  onTestFinished(async () => {
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
  });
  await until(async () => bodyOf<PlannerShift>(200, await send("lea", `GET /shifts/${id}`)).settled);
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

test("a task on hold stays at the end of the shift, is flagged with the reason, and is released after the hold", async () => {
  const id = await working("bob");
  const { body } = await send("lea", `POST /tasks/${id}/holds`, { kind: "materials", reason: "no steel" });
  const planned = await shift(0.05);
  await until(async () => {
    await server.engine.sweep();
    return (await get(id)).needs_attention;
  });
  await server.engine.sweep();
  await server.engine.sweep();
  expect(await get(id)).toMatchObject({ status: "assigned", assigned_to: "bob", needs_attention: true });
  const flags = (await log(id)).filter(({ action }) => action === "flag");
  expect(flags, "flagged once").toHaveLength(1);
  expect(flags[0]?.payload.reason).toContain("The task is on hold (materials).");
  expect((await send("lea", "GET /tasks?needs_attention=true")).body.tasks).toMatchObject([{ id }]);
  const shiftNow = async () => bodyOf<PlannerShift>(200, await send("lea", `GET /shifts/${planned.id}`));
  expect((await shiftNow()).settled).toBe(false);

  await send("lea", `DELETE /tasks/${id}/holds/${(body.hold as { id: string }).id}`);
  expect(await get(id), "no attention needed").toMatchObject({
    status: "assigned",
    needs_attention: false,
  });
  await server.engine.sweep();
  expect(await get(id)).toMatchObject({ status: "available", needs_attention: false });
  expect((await shiftNow()).settled).toBe(true);
});

test("an owner with another running shift keeps the task until that one ends, also with adjacent shifts", async () => {
  const id = await working("bob");
  const now = Date.now();
  const early = await shift(0.05);
  const late = bodyOf<PlannerShift>(
    201,
    await send("lea", "POST /shifts", {
      starts_at: early.ends_at,
      ends_at: new Date(now + 3_600_000).toISOString(),
      members: ["bob"],
    }),
  );
  await until(() => Promise.resolve(Date.now() > Date.parse(early.ends_at) + 20));
  await server.engine.sweep();
  expect(await get(id)).toMatchObject({ status: "assigned", assigned_to: "bob", needs_attention: false });
  expect((await move("rob", id, "shift_release")).body.code).toBe("SHIFT_NOT_OVER");
  const ended = await send("lea", `POST /shifts/${late.id}/end`, {});
  expect(ended.body).toMatchObject({ released: [id], kept: [], shift: { settled: true } });
  expect((await get(id)).status).toBe("available");
  await server.engine.sweep();
  expect((await log(id)).filter(({ action }) => action === "shift_release")).toHaveLength(1);
});

test("a task taken after the end of a shift is not released by it", async () => {
  await free("bob");
  const planned = await shift(0.01);
  await until(() => Promise.resolve(Date.now() > Date.parse(planned.ends_at) + 20));
  const id = await working("bob");
  await server.engine.sweep();
  expect((await get(id)).status).toBe("assigned");
  expect((await move("rob", id, "shift_release")).body.code).toBe("SHIFT_NOT_OVER");
  const next = await shift(0.01);
  await until(() => Promise.resolve(Date.now() > Date.parse(next.ends_at) + 20));
  expect(await act("rob", id, "shift_release"), "by request, after the owner's shift has ended").toBe(
    "available",
  );
});

test("a lead ends a shift now: kept tasks are listed with the reason, and a replay returns the same", async () => {
  const [bobs, cats] = [await working("bob"), await working("cat")];
  await send("lea", `POST /tasks/${cats}/holds`, { kind: "access", reason: "locked" });
  const { id } = await shift(3_600, ["bob", "cat"]);
  const key = { client_event_id: `end ${id}` };
  const ended = await send("lea", `POST /shifts/${id}/end`, key);
  expect(ended.body).toMatchObject({ released: [bobs], kept: [{ task_id: cats, code: "OPEN_HOLDS" }] });
  expect(Date.parse((ended.body.shift as PlannerShift).ends_at)).toBeLessThanOrEqual(Date.now());
  expect(await get(cats)).toMatchObject({ status: "assigned", assigned_to: "cat", needs_attention: true });
  const again = await send("lea", `POST /shifts/${id}/end`, key);
  expect(again.body).toEqual(ended.body);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

/** Moves a shift and the assignment of a task one day into the past. */
async function moveToPast(shift_id: string, task_id: string): Promise<void> {
  await server.sql`update pawl.planner_shift set starts_at = starts_at - interval '1 day', ends_at = ends_at - interval '1 day'
    where id = ${shift_id}`;
  await server.sql`update pawl.task
    set data = jsonb_set(data, '{assigned_at}', to_jsonb((data ->> 'assigned_at')::float8 - 86400000)) where id = ${task_id}`;
}

const isUnsettled = async (id: string) =>
  (await server.sql`select settled from pawl.planner_shift where id = ${id}`)[0]?.settled === false;

test("a task rejected after its owner's shift returns to the owner, and then to the pool", async () => {
  const id = await working("bob");
  for (const action of ["start", "submit"]) await act("bob", id, action);
  const planned = await shift(3_600);
  const ended = await send("lea", `POST /shifts/${planned.id}/end`, {});
  expect(ended.body, "a submitted task is not released").toMatchObject({ released: [], kept: [] });
  await moveToPast(planned.id, id);
  await server.engine.sweep();
  expect(await isUnsettled(planned.id), "it may still be rejected").toBe(true);
  expect(await act("lea", id, "review_reject", { reason: "crooked" })).toBe("in_progress");
  expect(await get(id)).toMatchObject({ assigned_to: "bob" });
  await server.engine.sweep();
  expect(await get(id)).toMatchObject({ status: "available", assigned_to: null });
  await server.engine.sweep();
  expect(await isUnsettled(planned.id), "settled").toBe(false);
});

test("the next sweep releases a task whose assignment was committed after the end of the shift", async () => {
  await free("bob");
  const planned = await shift(0.01);
  await until(() => Promise.resolve(Date.now() > Date.parse(planned.ends_at) + 20));
  await server.engine.sweep();
  const id = await working("bob");
  // Simulates an assignment that was in progress during the sweep.
  const before = Date.parse(planned.ends_at) - 1;
  await server.sql`update pawl.task set data = jsonb_set(data, '{assigned_at}', to_jsonb(${before}::float8)) where id = ${id}`;
  await server.engine.sweep();
  expect((await get(id)).status).toBe("available");
});

test("hundreds of shifts with a task on hold do not delay other shifts", async () => {
  const held = await working("bob");
  await send("lea", `POST /tasks/${held}/holds`, { kind: "materials", reason: "no steel" });
  const releasable = await working("cat");
  const planned = await shift(3_600);
  await send("lea", `POST /shifts/${planned.id}/end`, {});
  await server.sql`
    with copies as (
      insert into pawl.planner_shift (org_id, id, project_id, starts_at, ends_at, settled, created_at)
      select org_id, gen_random_uuid(), project_id, starts_at, ends_at, false, created_at
      from pawl.planner_shift, generate_series(1, 300) where id = ${planned.id}
      returning org_id, id)
    insert into pawl.planner_shift_member (org_id, shift_id, member_id) select org_id, id, 'bob' from copies`;
  const last = await shift(0.01, ["cat"]);
  await until(() => Promise.resolve(Date.now() > Date.parse(last.ends_at) + 20));
  await server.engine.sweep();
  expect((await get(releasable)).status).toBe("available");
  expect(await get(held)).toMatchObject({ status: "assigned", assigned_to: "bob" });
  await act("lea", held, "cancel", { reason: "no steel" });
});

test("an error while releasing one task does not stop the release of others", async () => {
  const [bobs, cats] = [await working("bob"), await working("cat")];
  const planned = await shift(0.01, ["bob", "cat"]);
  await until(() => Promise.resolve(Date.now() > Date.parse(planned.ends_at) + 20));
  const { engine } = server;
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

test("shifts of other projects or members release nothing", async () => {
  await server.ask("POST /api/projects", { body: { id: "annex" } });
  const id = await working("bob");
  for (const [members, project_id] of [
    [["cat"], "main"],
    [["bob"], "annex"],
  ] as [Who[], string][]) {
    const planned = await shift(3_600, members, { project_id });
    expect((await send("lea", `POST /shifts/${planned.id}/end`, {})).body.released).toEqual([]);
  }
  expect((await get(id)).status).toBe("assigned");
});

test.each([
  [{ members: [] }, "members"],
  [{ members: ["nobody"] }, "members"],
  [{ ends_at: at(-7_200) }, "ends_at"],
  [{ starts_at: "soon" }, "starts_at"],
])("a shift with %j is refused with the path of the mistake", async (wrong, path) => {
  const body = { starts_at: at(-3_600), ends_at: at(60), members: ["bob"], ...wrong };
  const reply = await send("lea", "POST /shifts", body);
  expect(reply).toMatchObject({
    status: 422,
    body: {
      code: "VALIDATION_ERROR",
      errors: expect.arrayContaining([expect.objectContaining({ path })]) as object,
    },
  });
});
