import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerEscalation, PlannerHold, PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, get, log, make, taskIn } = server;
const UNKNOWN = "0197a000-0000-7000-8000-000000000001";

test("holds have a kind and are released one by one, each as one event of the task", async () => {
  const { id, row_version } = await taskIn("in_progress");
  const place = async (kind: string) =>
    bodyOf<{ hold: PlannerHold; task: PlannerTask }>(
      201,
      await send("lea", `POST /tasks/${id}/holds`, { kind, reason: "no" }),
    );
  const [one, two] = [await place("materials"), await place("materials")];
  expect(two.task.holds).toEqual([one.hold, two.hold]);
  expect(two.hold).toMatchObject({
    kind: "materials",
    reason: "no",
    placed_by: "lea",
    placed_at: two.task.updated_at,
  });
  expect(await act("lea", id, "recall_to_pool", { reason: "r" })).toBe("OPEN_HOLDS");
  const released = await send("rob", `DELETE /tasks/${id}/holds/${one.hold.id}`);
  expect(released.body).toMatchObject({
    task: { holds: [two.hold] },
    transition: { action: "release_hold" },
  });
  expect((await send("lea", `DELETE /tasks/${id}/holds/${one.hold.id}`)).body.code).toBe("NOT_FOUND");
  expect((await send("lea", `DELETE /tasks/${id}/holds/${UNKNOWN}`)).status).toBe(404);
  expect((await send("vic", `GET /tasks/${id}/holds`)).body).toEqual({ holds: [two.hold] });
  expect((await get(id)).row_version).toBe(row_version + 3);
  expect((await log(id)).slice(-3).map(({ action }) => action)).toEqual([
    "place_hold",
    "place_hold",
    "release_hold",
  ]);
});

test.each(["available", "submitted", "done", "canceled"])(
  "no hold is placed on a task that is %s",
  async (status) => {
    const { id } = await taskIn(status);
    const reply = await send("lea", `POST /tasks/${id}/holds`, { kind: "qc", reason: "wait" });
    expect(reply).toMatchObject({ status: 409, body: { code: "HOLD_NOT_ALLOWED" } });
  },
);

test("a hold needs a kind and a reason", async () => {
  const { id } = await taskIn("assigned");
  const place = (body: JsonObject) => send("lea", `POST /tasks/${id}/holds`, body);
  expect((await place({ kind: "qc" })).body.code).toBe("REASON_REQUIRED");
  expect((await place({ kind: "weather", reason: "rain" })).body.code).toBe("VALIDATION_ERROR");
  expect((await send("bob", `POST /tasks/${id}/holds`, { kind: "qc", reason: "x" })).body.code).toBe(
    "FORBIDDEN",
  );
});

test("an escalation changes neither status nor owner; a lead resolves it, and the last one clears needs_attention", async () => {
  const { id, row_version } = await taskIn("in_progress");
  const opened = await send("bob", `POST /tasks/${id}/escalations`, {
    reason: "help_needed",
    text: "too heavy",
  });
  expect(opened).toMatchObject({
    status: 201,
    body: {
      task: {
        status: "in_progress",
        assigned_to: "bob",
        needs_attention: true,
        row_version: row_version + 1,
      },
    },
  });
  const first = opened.body.escalation as PlannerEscalation;
  await act("bob", id, "escalate", { reason: "tools" }, { expected_row_version: null });
  const listed = async () =>
    bodyOf<{ escalations: PlannerEscalation[] }>(200, await send("vic", `GET /tasks/${id}/escalations`))
      .escalations;
  const [, second] = await listed();
  expect(await listed()).toMatchObject([
    first,
    { reason: "tools", text: null, opened_by: "bob", resolved_at: null },
  ]);

  const resolve = (which: string, body: JsonObject = { note: "two more hands" }) =>
    send("lea", `POST /tasks/${id}/escalations/${which}/resolve`, body);
  expect((await resolve(first.id, {})).body.code).toBe("VALIDATION_ERROR");
  expect(
    (await send("bob", `POST /tasks/${id}/escalations/${first.id}/resolve`, { note: "x" })).body.code,
  ).toBe("FORBIDDEN");
  const resolved = await resolve(first.id.toUpperCase());
  expect(resolved.body).toMatchObject({
    task: { needs_attention: true },
    escalation: { id: first.id, note: "two more hands", resolved_by: "lea" },
  });
  expect((await resolve(first.id)).body.code).toBe("NOT_FOUND");
  expect((await resolve(UNKNOWN)).body.code).toBe("NOT_FOUND");
  expect((await resolve("nonsense")).body.code).toBe("NOT_FOUND");
  expect((await resolve(second!.id)).body.task).toMatchObject({ needs_attention: false });
  expect((await get(id)).row_version).toBe(row_version + 4);
});

test("an escalation is resolved also when the task is finished", async () => {
  const { id } = await taskIn("submitted");
  const opened = await send("bob", `POST /tasks/${id}/escalations`, { reason: "materials" });
  await act("lea", id, "review_approve");
  const { id: which } = opened.body.escalation as PlannerEscalation;
  const resolved = await send("lea", `POST /tasks/${id}/escalations/${which}/resolve`, { note: "came" });
  expect(resolved.body.task).toMatchObject({ status: "done", needs_attention: false });
});

test("contributors are invited by a lead or by an owner with enough skill; they can only read, escalate and leave", async () => {
  const { id, row_version } = await taskIn("in_progress");
  const invite = (who: "bob" | "lea" | "cat" | "rob", member_id: string) =>
    send(who, `POST /tasks/${id}/contributors`, { member_id });
  expect((await invite("bob", "eve")).body.code).toBe("SKILL_TOO_LOW");
  expect((await invite("cat", "eve")).body.code).toBe("NOT_OWNER");
  expect((await invite("rob", "eve")).body.code).toBe("FORBIDDEN");
  for (const wrong of ["nobody", "bob"])
    expect((await invite("lea", wrong)).body.code, wrong).toBe("VALIDATION_ERROR");
  expect(await invite("lea", "eve")).toMatchObject({
    status: 201,
    body: { task: { contributors: ["eve"] } },
  });
  expect((await invite("lea", "eve")).body.code).toBe("VALIDATION_ERROR");
  await invite("lea", "cat");
  expect((await send("vic", `GET /tasks/${id}/contributors`)).body).toEqual({ contributors: ["eve", "cat"] });

  expect(await act("eve", id, "escalate", { reason: "access" })).toBe("in_progress");
  for (const action of ["start", "submit"])
    expect(await act("eve", id, action)).toMatch(/NOT_OWNER|INVALID_TRANSITION/);
  expect(
    (await send("eve", `PATCH /tasks/${id}`, { title: "Mine", expected_row_version: 1 })).body.code,
  ).toBe("FORBIDDEN");
  expect((await send("eve", `DELETE /tasks/${id}/contributors/cat`)).body.code).toBe("NOT_OWNER");
  expect((await send("bob", `DELETE /tasks/${id}/contributors/cat`)).body.code).toBe("SKILL_TOO_LOW");
  const left = await send("eve", `DELETE /tasks/${id}/contributors/eve`);
  expect(left.body).toMatchObject({
    task: { contributors: ["cat"] },
    transition: { action: "remove_contributor" },
  });
  expect((await send("eve", `DELETE /tasks/${id}/contributors/eve`)).body.code).toBe("NOT_FOUND");
  expect(await act("eve", id, "escalate", { reason: "access" })).toBe("FORBIDDEN");
  expect((await get(id)).row_version).toBe(row_version + 4);
  expect(await act("lea", id, "recall_to_pool", { reason: "r" })).toBe("available");
  expect((await get(id)).contributors).toEqual([]);
});

test("an owner with enough skill invites and removes contributors", async () => {
  await server.free("cat");
  const { id } = await make();
  await act("cat", id, "self_assign");
  expect((await send("cat", `POST /tasks/${id}/contributors`, { member_id: "dan" })).status).toBe(201);
  expect((await send("cat", `DELETE /tasks/${id}/contributors/dan`)).status).toBe(200);
});

test("a new task that depends on canceled tasks needs attention from the start", async () => {
  const [one, two, live] = [await make(), await make(), await make()];
  for (const { id } of [one, two]) await act("lea", id, "cancel", { reason: "no longer needed" });
  const late = await make({ title: "Too late", depends_on: [one.id, live.id, two.id] });
  expect(late).toMatchObject({ status: "blocked", needs_attention: true, row_version: 1 });
  expect(await get(late.id)).toEqual(late);
  expect((await log(late.id))[0]?.payload.flags).toMatchObject([{ about: one.id }, { about: two.id }]);
  const removed = async (blocker: string) =>
    (await send("lea", `DELETE /tasks/${late.id}/depends_on/${blocker}`)).body.task;
  expect(await removed(one.id)).toMatchObject({ needs_attention: true });
  expect(await removed(two.id)).toMatchObject({ needs_attention: false, status: "blocked" });
  expect((await server.engine.verify("main")).differences).toEqual([]);
});

test("two blockers canceled in one request add one flag each", async () => {
  const [one, two] = [await make(), await make()];
  const { id } = await make({ depends_on: [one.id, two.id] });
  const body = [one, two].map((task) => ({
    id: task.id,
    action: "cancel",
    payload: { reason: "r" },
    expected_row_version: 1,
    client_event_id: `both ${task.id}`,
  }));
  await server.ask("POST /api/transitions", { token: server.tokens.lea, body });
  const flags = (await log(id)).filter(({ action }) => action === "flag");
  expect(flags.map(({ payload }) => payload.blocker_id).sort()).toEqual([one.id, two.id].sort());
  const removed = async (blocker: string) =>
    (await send("lea", `DELETE /tasks/${id}/depends_on/${blocker}`)).body.task;
  expect(await removed(one.id)).toMatchObject({ needs_attention: true, status: "blocked" });
  expect(await removed(two.id)).toMatchObject({ needs_attention: false, status: "available" });
});

test("a task whose blocker is canceled needs attention; removing the dependency frees it", async () => {
  const [dead, live] = [await make({ title: "Dead" }), await make({ title: "Live" })];
  const { id } = await make({ title: "Waits", depends_on: [dead.id, live.id] });
  await act("lea", dead.id, "cancel", { reason: "no longer needed" });
  const waiting = await get(id);
  expect(waiting).toMatchObject({ status: "blocked", needs_attention: true, row_version: 2 });
  const refusal = await server.move("lea", id, "unblock");
  expect(refusal.body).toMatchObject({
    code: "UNRESOLVED_BLOCKERS",
    blockers: [{ id: dead.id, status: "canceled" }, { id: live.id }],
  });
  expect(refusal.body.detail).toContain(
    `${dead.id} will never be done: remove that dependency, or delete this task.`,
  );

  const remove = (blocker: string, who: "lea" | "bob" | "rob" = "lea") =>
    send(who, `DELETE /tasks/${id}/depends_on/${blocker}`);
  for (const who of ["bob", "rob"] as const) expect((await remove(dead.id, who)).body.code).toBe("FORBIDDEN");
  expect((await remove(UNKNOWN)).body.code).toBe("NOT_FOUND");
  const removed = await remove(dead.id);
  expect(removed.body).toMatchObject({
    task: { status: "blocked", needs_attention: false, depends_on: [live.id] },
    transition: { action: "remove_dependency", payload: { blocker_id: dead.id } },
  });
  expect((await remove(live.id)).body.task).toMatchObject({ status: "available", depends_on: [] });
  expect((await remove(live.id)).body.code).toBe("INVALID_TRANSITION");
  expect((await log(id)).map(({ action }) => action)).toEqual([
    "create",
    "flag",
    "remove_dependency",
    "remove_dependency",
    "unblock",
  ]);
});
