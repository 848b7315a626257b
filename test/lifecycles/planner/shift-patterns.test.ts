import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerShift, PlannerShiftPattern } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, sql } = server;
type Answer = { pattern: PlannerShiftPattern; added: number; removed: number };

const DAY_MS = 86_400_000;
const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
let projects = 0;

/** Creates a pattern with a shift each day from tomorrow on, in a project of its own. */
async function daily(more: JsonObject = {}): Promise<Answer> {
  const project_id = `floor-${++projects}`;
  await server.ask("POST /api/projects", { body: { id: project_id } });
  const body = {
    project_id,
    name: "Early",
    starts: "06:00",
    ends: "14:00",
    time_zone: "UTC",
    days_on: 1,
    days_off: 0,
    from_date: dateIn(1),
    ahead_days: 5,
    members: ["bob"],
    ...more,
  };
  return bodyOf<Answer>(201, await send("lea", "POST /shift-patterns", body));
}
async function shiftsOf({ pattern }: Answer, more = ""): Promise<PlannerShift[]> {
  const reply = await send("lea", `GET /shifts?project_id=${pattern.project_id}&limit=200${more}`);
  return (reply.body.shifts as PlannerShift[]).toSorted((a, b) => a.starts_at.localeCompare(b.starts_at));
}
const datesOf = (shifts: readonly PlannerShift[]) => shifts.map(({ starts_at }) => starts_at.slice(0, 10));
const change = async ({ pattern }: Answer, body: JsonObject) =>
  bodyOf<Answer>(200, await send("lea", `PATCH /shift-patterns/${pattern.id}`, body));

/** Lets a pattern forget the last days, as if they were still ahead of its horizon. */
async function rewind({ pattern }: Answer, days: number): Promise<void> {
  await sql`update pawl.planner_shift_pattern set expanded_through = expanded_through - ${days}::int
    where id = ${pattern.id}`;
}

test("a new pattern makes its shifts up to its horizon", async () => {
  const made = await daily();
  expect(made).toMatchObject({ added: 5, removed: 0 });
  expect(made.pattern).toMatchObject({ weekdays: null, every_weeks: 1, expanded_through: dateIn(5) });
  const shifts = await shiftsOf(made);
  expect(datesOf(shifts)).toEqual([1, 2, 3, 4, 5].map(dateIn));
  expect(shifts[0]).toMatchObject({
    starts_at: `${dateIn(1)}T06:00:00.000Z`,
    ends_at: `${dateIn(1)}T14:00:00.000Z`,
    members: ["bob"],
    pattern_id: made.pattern.id,
    created_by: "lea",
  });
});

test("three sweeping nodes make each missing shift once", async () => {
  const made = await daily({ ahead_days: 9 });
  await sql`delete from pawl.planner_shift where pattern_id = ${made.pattern.id} and pattern_date > ${dateIn(3)}`;
  await rewind(made, 6);
  const nodes = [server.engine, server.testEngine.node(), server.testEngine.node()];
  for (let round = 0; round < 3; round += 1) await Promise.all(nodes.map((node) => node.sweep()));
  expect(datesOf(await shiftsOf(made))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map(dateIn));
});

test("the database refuses a second shift of a pattern on the same date", async () => {
  const made = await daily();
  const [first] = await shiftsOf(made);
  const copy = sql`
    insert into pawl.planner_shift (org_id, id, project_id, starts_at, ends_at, settled, created_at, pattern_id, pattern_date)
    select org_id, gen_random_uuid(), project_id, starts_at, ends_at, settled, created_at, pattern_id, pattern_date
    from pawl.planner_shift where id = ${first!.id}`;
  await expect(copy).rejects.toThrow("planner_shift_of_pattern");
});

test("a canceled or edited shift of a pattern is neither made again nor overwritten", async () => {
  const made = await daily();
  const [first, second, third] = await shiftsOf(made);
  await send("lea", `POST /shifts/${first!.id}/cancel`, { reason: "holiday" });
  await send("lea", `PATCH /shifts/${second!.id}`, { members: ["cat"] });
  const { added, removed } = await change(made, { ends: "15:00" });
  expect([added, removed]).toEqual([3, 3]);
  await rewind(made, 4);
  await server.engine.sweep();
  const shifts = await shiftsOf(made, "&canceled=true");
  expect(datesOf(shifts)).toEqual([1, 2, 3, 4, 5].map(dateIn));
  expect(shifts[0]).toMatchObject({ id: first!.id, cancel_reason: "holiday" });
  expect(shifts[1]).toMatchObject({ id: second!.id, members: ["cat"], ends_at: second!.ends_at });
  expect(shifts[2]?.id).not.toBe(third!.id);
  expect(shifts[2]?.ends_at).toBe(`${dateIn(3)}T15:00:00.000Z`);
});

test("exceptions, a last date and other days apply to coming shifts", async () => {
  const made = await daily();
  await change(made, { except_dates: [dateIn(2)], until_date: dateIn(4) });
  expect(datesOf(await shiftsOf(made))).toEqual([1, 3, 4].map(dateIn));
  await change(made, { except_dates: null, until_date: null, days_on: 1, days_off: 1 });
  expect(datesOf(await shiftsOf(made))).toEqual([1, 3, 5].map(dateIn));
  const weekday = new Intl.DateTimeFormat("en", { weekday: "short", timeZone: "UTC" })
    .format(Date.now() + 2 * DAY_MS)
    .toLowerCase();
  const { pattern } = await change(made, { weekdays: [weekday] });
  expect(pattern).toMatchObject({ days_on: null, days_off: null, row_version: 4 });
  expect(datesOf(await shiftsOf(made))).toEqual([dateIn(2)]);
});

test("an ended pattern removes its coming shifts and makes no more", async () => {
  const made = await daily();
  const ended = await send("lea", `POST /shift-patterns/${made.pattern.id}/end`, {});
  expect(ended.body).toMatchObject({ added: 0, removed: 5 });
  await rewind(made, 4);
  await server.engine.sweep();
  expect(await shiftsOf(made)).toEqual([]);
  for (const what of [
    `PATCH /shift-patterns/${made.pattern.id}`,
    `POST /shift-patterns/${made.pattern.id}/end`,
  ])
    expect((await send("lea", what, {})).body.code).toBe("PATTERN_ENDED");
  const listed = async (more: string) =>
    (await send("lea", `GET /shift-patterns?project_id=${made.pattern.project_id}${more}`)).body.patterns;
  expect(await listed("")).toEqual([]);
  expect(await listed("&ended=true")).toMatchObject([{ id: made.pattern.id }]);
});

test("members who are not active any more are left out of new shifts", async () => {
  const made = await daily({ members: ["eve", "bob"], ahead_days: 3 });
  await server.ask("PATCH /api/members/eve", { body: { active: false } });
  await sql`delete from pawl.planner_shift where pattern_id = ${made.pattern.id}`;
  await rewind(made, 3);
  await server.engine.sweep();
  const shifts = await shiftsOf(made);
  expect(shifts).toHaveLength(3);
  expect(new Set(shifts.flatMap(({ members }) => members))).toEqual(new Set(["bob"]));
  await server.ask("PATCH /api/members/eve", { body: { active: true } });
});

test.each<[JsonObject, string]>([
  [{ time_zone: "Mars/Olympus" }, "time_zone"],
  [{ starts: "25:00" }, "starts"],
  [{ weekdays: ["mon"] }, "weekdays"],
  [{ days_on: null }, "weekdays"],
  [{ days_off: null }, "days_off"],
  [{ until_date: "2020-01-01" }, "until_date"],
  [{ from_date: "2030-02-30" }, "from_date"],
  [{ members: ["nobody"] }, "members"],
])("a pattern with %j is refused with the path of the mistake", async (wrong, path) => {
  const body = {
    name: "Early",
    starts: "06:00",
    ends: "14:00",
    time_zone: "UTC",
    days_on: 1,
    days_off: 0,
    from_date: dateIn(1),
    members: ["bob"],
    ...wrong,
  };
  const reply = await send("lea", "POST /shift-patterns", body);
  expect(reply.body).toMatchObject({
    code: "VALIDATION_ERROR",
    errors: expect.arrayContaining([expect.objectContaining({ path })]) as object,
  });
});
