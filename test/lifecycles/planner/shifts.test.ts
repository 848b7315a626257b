import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { startSweeper } from "../../../src/engine/sweeper.ts";
import type { PlannerShift } from "../../../src/lifecycles/planner/contract.ts";
import { openShopFloor, wanted } from "./shop-floor.ts";
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
  for (let tries = 0; !(await look()); tries++) {
    if (tries > 300) throw new Error("it never came to be");
    await pause(100);
  }
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
  expect((await get(bobs)).status).toBe("assigned");
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
  expect((await get(id)).status).toBe("assigned");
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
  await shift(0.01);
  await pause(30);
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
