import { expect, test } from "vitest";
import type { PlannerStats } from "../../../src/lifecycles/planner/lead-shapes.ts";
import { statsCsv } from "../../../src/lifecycles/planner/stats-csv.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, make, move, sql } = server;
await server.ask("POST /api/projects", { body: { id: "hall" } });

const START = "2026-03-02T00:00:00.000Z";
const at = (hours: number) => new Date(Date.parse(START) + hours * 3_600_000);

async function statsOf(query: string, who: Who = "lea"): Promise<PlannerStats> {
  return bodyOf<PlannerStats>(200, await send(who, `GET /stats?${query}`));
}

type Step = [hour: number, task: number, who: Who, action: string];

// In the order of time, like every feed. Lead times: 10 h, 20 h and 30 h; one of three tasks was rejected once.
const HISTORY: Step[] = [
  [0, 1, "lea", "create"],
  [1, 1, "bob", "self_assign"],
  [2, 1, "bob", "start"],
  [4, 2, "lea", "create"],
  [5, 1, "bob", "submit"],
  [5, 2, "bob", "self_assign"],
  [6, 2, "bob", "start"],
  [8, 2, "bob", "submit"],
  [9, 2, "lea", "review_reject"],
  [10, 1, "lea", "review_approve"],
  [10, 2, "bob", "submit"],
  [20, 3, "lea", "create"],
  [21, 3, "cat", "self_assign"],
  [22, 3, "cat", "start"],
  [24, 2, "lea", "review_approve"],
  [26, 3, "cat", "submit"],
  [50, 3, "lea", "review_approve"],
];
const ids = new Map<number, string>();
const moments: { id: string; row_version: number; created_at: Date }[] = [];
for (const [hour, number, who, action] of HISTORY) {
  const trade = number === 3 ? {} : { required_trade: "welder" };
  if (action === "create") ids.set(number, (await make({ project_id: "hall", ...trade })).id);
  const id = ids.get(number)!;
  if (action !== "create")
    bodyOf(200, await move(who, id, action, action === "review_reject" ? { reason: "a gap" } : {}));
  moments.push({ id, row_version: (await server.get(id)).row_version, created_at: at(hour) });
}
// Events cannot be changed, except by a superuser who turns the triggers off.
await sql.begin(async (tx) => {
  await tx`set local session_replication_role = replica`;
  for (const { id, row_version, created_at } of moments)
    await tx`update pawl.event set created_at = ${created_at} where task_id = ${id} and row_version = ${row_version}`;
});

const RANGE = `project_id=hall&from=${START}&to=${at(72).toISOString()}`;

test("the figures are those computed by hand", async () => {
  expect(await statsOf(RANGE)).toEqual({
    from: START,
    to: at(72).toISOString(),
    done: 3,
    rejected: 1,
    lead_time_minutes: { p50: 1_200, p90: 1_680 },
    first_pass_yield: 0.6667,
    rework_rate: 0.25,
    days: [
      { from: START, done: 1 },
      { from: at(24).toISOString(), done: 1 },
      { from: at(48).toISOString(), done: 1 },
    ],
    people: [
      { member_id: "bob", done: 2, rejected: 1, worked_minutes: 360, open: 0 },
      { member_id: "cat", done: 1, rejected: 0, worked_minutes: 240, open: 0 },
    ],
    trades: [
      { trade: "welder", done: 2, rejected: 1, worked_minutes: 360, open: 0 },
      { trade: null, done: 1, rejected: 0, worked_minutes: 240, open: 0 },
    ],
    complete: true,
  });
});

test("days of a time zone begin at its midnight, also when the clocks change", async () => {
  const inside = [
    // 30 minutes before and after midnight in Berlin: on the days of 25, 23 and 24 hours.
    ["2025-10-26T22:30:00Z", "2025-10-26T23:30:00Z"],
    ["2026-03-29T21:30:00Z", "2026-03-29T22:30:00Z"],
    ["2025-10-24T21:30:00Z", "2025-10-24T22:30:00Z"],
  ].flat();
  const days = async (from: string, to: string) => {
    const query = `project_id=clocks&from=${from}&to=${to}&time_zone=Europe/Berlin`;
    return (await statsOf(query)).days.map(({ from: begin, done }) => [begin, done]);
  };
  await server.ask("POST /api/projects", { body: { id: "clocks" } });
  for (const moment of inside) {
    const { id } = await make({ project_id: "clocks" });
    for (const [who, action] of REVIEWED) bodyOf(200, await move(who, id, action));
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update pawl.event set created_at = ${new Date(moment)} where task_id = ${id}`;
    });
  }
  await inFeedOrder();
  expect(await days("2025-10-23T22:00:00.000Z", "2025-10-27T23:00:00.000Z")).toEqual([
    ["2025-10-23T22:00:00.000Z", 1],
    ["2025-10-24T22:00:00.000Z", 1],
    ["2025-10-25T22:00:00.000Z", 1],
    ["2025-10-26T23:00:00.000Z", 1],
  ]);
  expect(await days("2026-03-28T12:00:00.000Z", "2026-03-30T22:00:00.000Z")).toEqual([
    ["2026-03-28T12:00:00.000Z", 0],
    ["2026-03-28T23:00:00.000Z", 1],
    ["2026-03-29T22:00:00.000Z", 1],
  ]);
});

const REVIEWED: [Who, string][] = [
  ["bob", "self_assign"],
  ["bob", "start"],
  ["bob", "submit"],
  ["lea", "review_approve"],
];

/** Gives the events new positions in the order of their times, as in every feed. */
async function inFeedOrder(): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      update pawl.event e set position = o.position + 1000000 from (
        select task_id, row_version, row_number() over (order by created_at, position) as position
        from pawl.event where org_id = 'main') as o
      where e.org_id = 'main' and e.task_id = o.task_id and e.row_version = o.row_version`;
    await tx`update pawl.event set position = position - 1000000 where org_id = 'main' and position > 1000000`;
  });
}

test("only events of the range count, from its start and before its end", async () => {
  const narrow = await statsOf(`project_id=hall&from=${at(10).toISOString()}&to=${at(24).toISOString()}`);
  expect(narrow).toMatchObject({ done: 1, rejected: 0, first_pass_yield: 1, rework_rate: 0 });
  // The second period of work ended at the start of the range, after one hour.
  expect(narrow.people).toEqual([{ member_id: "bob", done: 1, rejected: 0, worked_minutes: 60, open: 0 }]);
  expect(narrow.days.map(({ done }) => done)).toEqual([1]);
});

test("a range without reviews has no times and no shares", async () => {
  const empty = await statsOf("project_id=hall&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z");
  expect(empty).toMatchObject({
    done: 0,
    lead_time_minutes: { p50: null, p90: null },
    first_pass_yield: null,
    rework_rate: null,
    people: [],
  });
});

test("the load counts unfinished tasks of people and trades now", async () => {
  const { id } = await make({ project_id: "hall", required_trade: "painter" });
  await act("eve", id, "self_assign");
  const { people, trades } = await statsOf("project_id=hall");
  expect(people).toContainEqual({ member_id: "eve", done: 0, rejected: 0, worked_minutes: 0, open: 1 });
  expect(trades).toContainEqual({ trade: "painter", done: 0, rejected: 0, worked_minutes: 0, open: 1 });
});

test.each([
  ["from=2026-03-02T00:00:00Z&to=2026-03-02T00:00:00Z", "to"],
  ["from=2025-01-01T00:00:00Z&to=2026-03-02T00:00:00Z", "from"],
  ["from=yesterday", "from"],
  ["time_zone=Mars/Base", "time_zone"],
])("the range %s is refused", async (query, path) => {
  const reply = await send("lea", `GET /stats?${query}`);
  expect(reply).toMatchObject({ status: 422, body: { code: "VALIDATION_ERROR", errors: [{ path }] } });
});

test("a lead of another project gets none of the figures", async () => {
  const token = await server.member({ id: "mia", roles: ["lead"], project_ids: ["main"] });
  const query = `from=${START}&to=${at(72).toISOString()}`;
  const { body } = await server.ask(`GET /api/planner/stats?${query}`, { token });
  expect(body).toMatchObject({ done: 0, people: [], trades: [] });
  expect((await server.ask("GET /api/planner/stats?project_id=hall", { token })).status).toBe(404);
});

test("CSV has a row per figure, and texts that look like formulas are harmless", async () => {
  const stats = await statsOf(RANGE);
  const [person, ...others] = stats.people;
  const csv = statsCsv({ ...stats, people: [{ ...person!, member_id: '=1+"2",3' }, ...others] });
  const lines = csv.split("\r\n");
  expect(lines[0]).toBe("part,name,figure,value");
  expect(lines).toContain("all,,rework_rate,0.25");
  expect(lines).toContain(`day,${START},done,1`);
  expect(lines).toContain(`person,"'=1+""2"",3",worked_minutes,360`);
  expect(lines).toContain("trade,,done,1");
});
