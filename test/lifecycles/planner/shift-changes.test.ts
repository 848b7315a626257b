import { describe, expect, test } from "vitest";
import type { PlannerShift } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, move, get, log, make, free } = server;
const HOUR_S = 3_600;
const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

async function plan(from: number, to: number, members: Who[], more: object = {}): Promise<PlannerShift> {
  const body = { starts_at: at(from), ends_at: at(to), members, ...more };
  return bodyOf<PlannerShift>(201, await send("lea", "POST /shifts", body));
}
const running = (members: Who[]) => plan(-HOUR_S, HOUR_S, members);
const coming = (members: Who[]) => plan(HOUR_S, 2 * HOUR_S, members);
const read = async (id: string) => bodyOf<PlannerShift>(200, await send("lea", `GET /shifts/${id}`));

async function working(who: Who): Promise<string> {
  await free(who);
  const { id } = await make();
  await act(who, id, "self_assign");
  return id;
}

describe("a lead changes a shift", () => {
  test("before it begins, its times and members", async () => {
    const { id, row_version } = await coming(["bob"]);
    const edit = { starts_at: at(3 * HOUR_S), ends_at: at(4 * HOUR_S), members: ["cat", "bob", "cat"] };
    const { body } = await send("lea", `PATCH /shifts/${id}`, { ...edit, expected_row_version: row_version });
    const { starts_at, ends_at } = edit;
    const expected = { starts_at, ends_at, members: ["bob", "cat"], row_version: 2 };
    expect(body).toMatchObject({ shift: expected, released: [], kept: [] });
    expect(await read(id)).toMatchObject(expected);
    const stale = await send("lea", `PATCH /shifts/${id}`, { members: ["eve"], expected_row_version: 1 });
    expect(stale.body).toMatchObject({ code: "VERSION_CONFLICT", row_version: 2 });
  });

  test("a member who leaves a running shift has no shift any more, and the task returns to the pool", async () => {
    const [bobs, cats] = [await working("bob"), await working("cat")];
    const { id, starts_at } = await running(["bob", "cat"]);
    const { body } = await send("lea", `PATCH /shifts/${id}`, { members: ["cat"] });
    expect(body).toMatchObject({ released: [bobs], kept: [], shift: { members: ["cat"] } });
    expect((await get(bobs)).status).toBe("available");
    expect((await get(cats)).status).toBe("assigned");
    const { shifts } = bodyOf<{ shifts: PlannerShift[] }>(200, await send("bob", "GET /my-shifts"));
    const part = shifts.find((one) => one.starts_at === starts_at);
    expect(Date.parse(part!.ends_at), "the part that bob worked stays on record").toBeLessThanOrEqual(
      Date.now(),
    );
    await send("lea", `POST /shifts/${id}/end`, {});
  });

  test("a member who leaves keeps the task if another shift is running", async () => {
    const task = await working("bob");
    const [one, other] = [await running(["bob", "cat"]), await running(["bob"])];
    const { body } = await send("lea", `PATCH /shifts/${one.id}`, { members: ["cat"] });
    expect(body).toMatchObject({ released: [], kept: [{ task_id: task, code: "SHIFT_NOT_OVER" }] });
    expect(await get(task)).toMatchObject({ status: "assigned", needs_attention: false });
    for (const { id } of [one, other]) await send("lea", `POST /shifts/${id}/end`, {});
    expect((await get(task)).status).toBe("available");
  });

  test("an extended shift releases nothing at its former end, and its tasks at the new one", async () => {
    const task = await working("bob");
    const { id, ends_at } = await plan(-HOUR_S, 0.4, ["bob"]);
    const later = at(2 * HOUR_S);
    const { body } = await send("lea", `POST /shifts/${id}/extend`, { ends_at: later });
    expect(body).toMatchObject({ shift: { ends_at: later, row_version: 2 } });
    await expect.poll(() => Date.now() > Date.parse(ends_at) + 20, { interval: 20 }).toBe(true);
    await server.engine.sweep();
    expect((await get(task)).status).toBe("assigned");
    expect((await move("rob", task, "shift_release")).body.code).toBe("SHIFT_NOT_OVER");
    const ended = await send("lea", `POST /shifts/${id}/end`, {});
    expect(ended.body).toMatchObject({ released: [task] });
    expect((await log(task)).filter(({ action }) => action === "shift_release")).toHaveLength(1);
  });

  test("a canceled shift stays on record, is hidden from lists by default, and releases nothing", async () => {
    const task = await working("bob");
    const { id } = await plan(0.6, 0.9, ["bob"]);
    const { body } = await send("lea", `POST /shifts/${id}/cancel`, { reason: "no steel" });
    const expected = { canceled_by: "lea", cancel_reason: "no steel", members: ["bob"], settled: true };
    expect(body.shift).toMatchObject(expected);
    const ids = async (query: string, who: Who = "lea") =>
      ((await send(who, `GET ${query}`)).body.shifts as PlannerShift[]).map((shift) => shift.id);
    expect(await ids("/shifts?limit=200")).not.toContain(id);
    expect(await ids("/shifts?limit=200&canceled=true")).toContain(id);
    expect(await ids("/my-shifts?limit=200", "bob"), "its members see that it is canceled").toContain(id);
    const { ends_at } = await read(id);
    await expect.poll(() => Date.now() > Date.parse(ends_at) + 20, { interval: 20 }).toBe(true);
    await server.engine.sweep();
    expect((await get(task)).status).toBe("assigned");
  });

  test.each<[string, () => Promise<PlannerShift>, string, object, string]>([
    ["the start of a running shift", () => running(["cat"]), "PATCH", { starts_at: at(60) }, "SHIFT_STARTED"],
    ["an end before the start", () => coming(["cat"]), "PATCH", { ends_at: at(60) }, "VALIDATION_ERROR"],
    ["an end in the past", () => running(["cat"]), "PATCH", { ends_at: at(-60) }, "VALIDATION_ERROR"],
    ["an unknown member", () => coming(["cat"]), "PATCH", { members: ["nobody"] }, "VALIDATION_ERROR"],
    ["no members", () => coming(["cat"]), "PATCH", { members: [] }, "VALIDATION_ERROR"],
    ["an ended shift", () => plan(-HOUR_S, -60, ["cat"]), "PATCH", { members: ["eve"] }, "SHIFT_ENDED"],
    ["an ended shift", () => plan(-HOUR_S, -60, ["cat"]), "extend", { ends_at: at(60) }, "SHIFT_ENDED"],
    ["an earlier end", () => running(["cat"]), "extend", { ends_at: at(60) }, "VALIDATION_ERROR"],
    ["a running shift", () => running(["cat"]), "cancel", { reason: "r" }, "SHIFT_STARTED"],
    ["no reason", () => coming(["cat"]), "cancel", { reason: " " }, "VALIDATION_ERROR"],
  ])("%s is refused (%#)", async (_, shift, verb, body, code) => {
    const before = await read((await shift()).id);
    const what = verb === "PATCH" ? `PATCH /shifts/${before.id}` : `POST /shifts/${before.id}/${verb}`;
    expect((await send("lea", what, { ...body })).body.code).toBe(code);
    expect(await read(before.id)).toEqual(before);
    if (Date.parse(before.ends_at) > Date.now()) await send("lea", `POST /shifts/${before.id}/end`, {});
  });

  test("a canceled shift is neither changed, ended nor canceled again", async () => {
    const { id } = await coming(["cat"]);
    await send("lea", `POST /shifts/${id}/cancel`, { reason: "r" });
    for (const [what, body] of [
      [`PATCH /shifts/${id}`, { members: ["bob"] }],
      [`POST /shifts/${id}/extend`, { ends_at: at(9 * HOUR_S) }],
      [`POST /shifts/${id}/cancel`, { reason: "again" }],
      [`POST /shifts/${id}/end`, {}],
    ] as const)
      expect((await send("lea", what, { ...body })).body.code, what).toBe("SHIFT_CANCELED");
  });
});

test("executors read their own shifts and no others", async () => {
  await server.ask("POST /api/projects", { body: { id: "annex" } });
  const mine = await coming(["eve"]);
  const elsewhere = await plan(HOUR_S, 2 * HOUR_S, ["eve"], { project_id: "annex" });
  const others = await coming(["bob", "cat"]);
  const shiftsOf = async (query = "") =>
    ((await send("eve", `GET /my-shifts${query}`)).body.shifts as PlannerShift[]).map(({ id }) => id);
  expect(await shiftsOf()).toEqual([mine.id, elsewhere.id]);
  expect(await shiftsOf("?project_id=annex")).toEqual([elsewhere.id]);
  expect(await shiftsOf(`?from=${at(3 * HOUR_S)}`)).toEqual([]);
  expect(await shiftsOf(`?to=${at(60)}`)).toEqual([]);
  expect((await send("eve", `GET /shifts/${others.id}`)).body.code).toBe("FORBIDDEN");
  expect((await send("eve", "GET /shifts")).body.code).toBe("FORBIDDEN");
});

test("a week is copied with its local times, once, without shifts of patterns and members who left", async () => {
  const project_id = "copies";
  await server.ask("POST /api/projects", { body: { id: project_id } });
  // The clocks change in Berlin on 2030-03-31.
  const make = async (day: string, members: Who[]) =>
    bodyOf<PlannerShift>(
      201,
      await send("lea", "POST /shifts", {
        project_id,
        starts_at: `${day}T05:00:00Z`,
        ends_at: `${day}T13:00:00Z`,
        members,
      }),
    );
  const [monday, sunday] = [await make("2030-03-25", ["bob", "cat"]), await make("2030-03-30", ["eve"])];
  await make("2030-03-24", ["bob"]);
  const gone = await make("2030-03-26", ["dan"]);
  await server.ask("PATCH /api/members/dan", { body: { active: false } });
  const copy = { project_id, from: "2030-03-25", to: "2030-04-01", time_zone: "Europe/Berlin" };
  const first = await send("lea", "POST /shifts/copy", copy);
  expect(first.body).toMatchObject({
    shifts: [
      { starts_at: "2030-04-01T04:00:00.000Z", ends_at: "2030-04-01T12:00:00.000Z", members: ["bob", "cat"] },
      { starts_at: "2030-04-06T04:00:00.000Z", members: ["eve"] },
    ],
    skipped: [{ shift_id: gone.id, reason: "no_members" }],
  });
  const [again, twin] = await Promise.all([
    send("lea", "POST /shifts/copy", copy),
    send("sue", "POST /shifts/copy", copy),
  ]);
  for (const { body } of [again, twin])
    expect(body).toMatchObject({
      shifts: [],
      skipped: [
        { shift_id: monday.id, reason: "exists" },
        { shift_id: sunday.id, reason: "exists" },
        { shift_id: gone.id, reason: "no_members" },
      ],
    });
  const close = await send("lea", "POST /shifts/copy", { ...copy, to: "2030-03-27" });
  expect(close.body).toMatchObject({ code: "VALIDATION_ERROR", errors: [{ path: "to" }] });
});
