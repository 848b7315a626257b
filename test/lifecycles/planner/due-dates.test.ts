import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { AttentionGroup } from "../../../src/lifecycles/planner/lead-shapes.ts";
import type { PlannerTask, PlannerTimedTask } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, get, log, make, sql } = server;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

async function timed(id: string): Promise<PlannerTimedTask> {
  return bodyOf<PlannerTimedTask>(200, await send("vic", `GET /tasks/${id}`));
}

async function attentionIds(kind: string): Promise<string[]> {
  const reply = await send("lea", `GET /attention?kind=${kind}&limit=100`);
  const { groups } = bodyOf<{ groups: AttentionGroup[] }>(200, reply);
  return groups.flatMap(({ items }) => items).map(({ task }) => task.id);
}

test("a due date and an estimate are set at creation, changed and cleared by a lead, and kept in the log", async () => {
  const due = "2031-05-06T10:00:00.000+02:00";
  const { id, row_version, due_at, estimate_minutes } = await make({ due_at: due, estimate_minutes: 90 });
  expect({ due_at, estimate_minutes }).toEqual({ due_at: "2031-05-06T08:00:00.000Z", estimate_minutes: 90 });
  const change = (body: object, who: "lea" | "bob" = "lea") => send(who, `PATCH /tasks/${id}`, { ...body });
  const later = { due_at: "2031-06-01T08:00:00Z", expected_row_version: row_version };
  expect((await change(later, "bob")).body.code).toBe("FORBIDDEN");
  expect((await change(later)).body).toMatchObject({
    due_at: "2031-06-01T08:00:00.000Z",
    estimate_minutes: 90,
  });
  const cleared = { due_at: null, estimate_minutes: null, expected_row_version: row_version + 1 };
  expect((await change(cleared)).body).toMatchObject({ due_at: null, estimate_minutes: null });
  expect((await log(id)).map(({ actor_id, payload }) => [actor_id, payload])).toMatchObject([
    ["lea", { due_at: "2031-05-06T08:00:00.000Z", estimate_minutes: 90 }],
    ["lea", { due_at: "2031-06-01T08:00:00Z" }],
    ["lea", { due_at: null, estimate_minutes: null }],
  ]);
});

test("a task without them has null, and a fix-task does not copy them", async () => {
  expect(await make()).toMatchObject({ due_at: null, estimate_minutes: null });
  const done = await server.taskIn("done", { due_at: inMinutes(60), estimate_minutes: 5 });
  const fix = await send("lea", `POST /tasks/${done.id}/fix`, { defect: { description: "a crack" } });
  expect(fix.body.task).toMatchObject({ due_at: null, estimate_minutes: null });
});

test.each([
  [{ due_at: "tomorrow" }, "due_at"],
  [{ due_at: "2031-05-06" }, "due_at"],
  [{ estimate_minutes: 0 }, "estimate_minutes"],
  [{ estimate_minutes: 1.5 }, "estimate_minutes"],
  [{ estimate_minutes: 525_601 }, "estimate_minutes"],
])("%o is refused with the name of the field", async (fields, path) => {
  const reply = await send("lea", "POST /tasks", { title: "Weld", ...fields });
  expect(reply).toMatchObject({ status: 422, body: { code: "VALIDATION_ERROR", errors: [{ path }] } });
});

test("a task is late after its due date until it is done", async () => {
  const { id } = await make({ due_at: inMinutes(-5), estimate_minutes: 10 });
  expect((await timed(id)).lateness).toMatchObject({ state: "late" });
  expect(await attentionIds("late")).toContain(id);
  expect(await attentionIds("will_be_late")).not.toContain(id);
  await act("lea", id, "cancel", { reason: "too late" });
  expect((await timed(id)).lateness).toBeUndefined();
  expect(await attentionIds("late")).not.toContain(id);
});

test("a task will be late if the estimates of its unfinished blockers and its own exceed the time", async () => {
  const first = await make({ estimate_minutes: 40 });
  const second = await make({ estimate_minutes: 30, depends_on: [first.id] });
  const last = await make({ estimate_minutes: 30, depends_on: [second.id], due_at: inMinutes(90) });
  expect((await timed(last.id)).lateness).toMatchObject({ state: "will_be_late" });
  expect(await attentionIds("will_be_late")).toContain(last.id);
  const listed = bodyOf<{ tasks: PlannerTimedTask[] }>(200, await send("vic", "GET /tasks?limit=200"));
  expect(listed.tasks.find(({ id }) => id === last.id)?.lateness?.state).toBe("will_be_late");
  // Without the first one, 60 of 90 minutes are needed.
  await server.free("bob");
  for (const [who, action] of [
    ["bob", "self_assign"],
    ["bob", "start"],
    ["bob", "submit"],
    ["lea", "review_approve"],
  ] as const)
    await act(who, first.id, action);
  expect((await timed(last.id)).lateness).toBeUndefined();
  expect(await attentionIds("will_be_late")).not.toContain(last.id);
});

test("the pool shows the warning, and pages of late tasks are in the order of due dates", async () => {
  const [b, a] = [
    await make({ due_at: inMinutes(-1) }),
    await make({ due_at: inMinutes(-2), estimate_minutes: 1 }),
  ];
  const pool = bodyOf<{ tasks: PlannerTimedTask[] }>(200, await send("lea", "GET /pool?limit=200"));
  expect(pool.tasks.find(({ id }) => id === b.id)?.lateness?.state).toBe("late");
  const page = async (cursor = "") =>
    bodyOf<{ groups: AttentionGroup[] }>(200, await send("lea", `GET /attention?kind=late&limit=1${cursor}`))
      .groups[0]!;
  const first = await page();
  const second = await page(`&cursor=${first.cursor!}`);
  expect([first, second].flatMap(({ items }) => items).map(({ task }) => task.id)).toEqual([a.id, b.id]);
});

test("one of two leads who change the due date at once with the same version is refused", async () => {
  for (let round = 0; round < 5; round++) {
    const { id, row_version } = await make({ due_at: inMinutes(60) });
    const dates = [inMinutes(120), inMinutes(180)];
    const replies = await Promise.all(
      (["lea", "sue"] as const).map((who, index) =>
        send(who, `PATCH /tasks/${id}`, {
          due_at: dates[index],
          expected_row_version: row_version,
          client_event_id: randomUUID(),
        }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const won = replies.findIndex(({ status }) => status === 200);
    expect(replies[1 - won]!.body.code).toBe("VERSION_CONFLICT");
    expect(await get(id)).toMatchObject({ due_at: dates[won], row_version: row_version + 1 });
    expect((await log(id)).length).toBe(2);
  }
});

test("a task written by a version without due dates is read as one without", async () => {
  const { id } = await make();
  await sql`update pawl.task set data = data - 'due_at' - 'estimate_minutes' where id = ${id}`;
  expect((await get(id)) satisfies PlannerTask).toMatchObject({ due_at: null, estimate_minutes: null });
  expect((await timed(id)).lateness).toBeUndefined();
});
