import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerDefect, PlannerDeliverable, PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, move, get, log, make, taskIn, free } = server;
const UNKNOWN = "0197a000-0000-7000-8000-000000000001";
const crack = { description: "a crack", cause: "too hot", what_to_fix: "weld it again" };

async function finish(id: string, resolution = "welded again"): Promise<void> {
  await free("bob");
  for (const [action, payload] of [["self_assign"], ["start"], ["submit", { resolution }]] as [
    string,
    JsonObject?,
  ][])
    await act("bob", id, action, payload);
  await act("lea", id, "review_approve");
}

describe("a defect", () => {
  test("is reported by participants, leads and the system, and moves nothing", async () => {
    const task = await taskIn("in_progress");
    const report = (who: Who, body: JsonObject = crack) =>
      send(who, `POST /tasks/${task.id}/report-defect`, body);
    for (const who of ["cat", "vic", "adam"] as const)
      expect((await report(who)).body.code, who).toBe("FORBIDDEN");
    const defect = bodyOf<PlannerDefect>(201, await report("bob"));
    expect(defect).toMatchObject({
      ...crack,
      task_id: task.id,
      severity: "major",
      reported_by: "bob",
      fix_task_id: null,
      fixed_at: null,
    });
    for (const who of ["lea", "rob"] as const) expect((await report(who)).status).toBe(201);
    expect((await report("bob", { cause: "none" })).body.code).toBe("VALIDATION_ERROR");
    expect((await report("bob", { ...crack, severity: "fatal" })).body.code).toBe("VALIDATION_ERROR");
    expect(await get(task.id)).toEqual(task);
    expect((await send("vic", `GET /defects/${defect.id}`)).body).toEqual(defect);
    const listed = await send("vic", `GET /defects?task_id=${task.id}&fixed=false&limit=2`);
    expect(listed.body.defects).toHaveLength(2);
    const next = await send("vic", `GET /defects?task_id=${task.id}&cursor=${String(listed.body.cursor)}`);
    expect(next.body).toMatchObject({ defects: [{ reported_by: "rob" }], cursor: null });
    expect((await send("lea", `POST /tasks/${UNKNOWN}/report-defect`, crack)).body.code).toBe(
      "TASK_NOT_FOUND",
    );
    expect((await send("lea", `GET /defects/${UNKNOWN}`)).status).toBe(404);
  });
});

test("values that cannot be stored are refused with their path", async () => {
  const { id } = await taskIn("done");
  const deliverable = await send("lea", "POST /deliverables", { type: "kept", serial: "1" });
  const inspections = `/deliverables/${String(deliverable.body.id)}/inspections`;
  const deep = JSON.parse(`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`) as JsonObject;
  for (const [what, body, path] of [
    [`/tasks/${id}/report-defect`, { description: "a\0b" }, "description"],
    [`/tasks/${id}/fix`, { defect: { description: "a", cause: "\ud800" } }, "defect.cause"],
    [inspections, { result: "rejected", measurements: { gap: "a\0b" } }, "measurements.gap"],
    [inspections, { result: "rejected", measurements: deep }, "measurements.a.a.a"],
  ] as const) {
    const reply = await send("lea", `POST ${what}`, body);
    expect(reply, reply.text).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  }
  const project = await server.ask("POST /api/projects", {
    body: { id: "deep", settings: { planner: deep } },
  });
  expect(project, project.text).toMatchObject({ status: 422, body: { code: "VALIDATION_ERROR" } });
});

describe("a fix-task", () => {
  test.each(["blocked", "available", "assigned", "in_progress", "canceled"])(
    "is refused for a task that is %s",
    async (status) => {
      const { id } = await taskIn(status);
      const reply = await send("lea", `POST /tasks/${id}/fix`, { defect: crack });
      expect(reply).toMatchObject({ status: 409, body: { code: "FIX_NOT_ALLOWED", status: 409 } });
    },
  );

  test.each(["submitted", "done"])(
    "for a task that is %s follows the same rules and closes its defect",
    async (status) => {
      const original = await taskIn(status, {
        title: "Weld the frame",
        required_trade: "welder",
        priority: 7,
      });
      const created = await send("sue", `POST /tasks/${original.id}/fix`, {
        defect: { ...crack, severity: "critical" },
      });
      const { task, defect } = bodyOf<{ task: PlannerTask; defect: PlannerDefect }>(201, created);
      expect(task).toMatchObject({
        title: "Fix: Weld the frame",
        kind: "fix",
        status: "available",
        fix_of_task_id: original.id,
        required_trade: "welder",
        priority: 7,
        description: "weld it again",
        created_by: "sue",
        row_version: 1,
      });
      expect(defect).toMatchObject({
        task_id: original.id,
        fix_task_id: task.id,
        severity: "critical",
        reported_by: "sue",
      });
      expect(await get(original.id)).toEqual(original);
      expect((await send("vic", `GET /tasks?fix_of_task_id=${original.id}`)).body.tasks).toEqual([task]);

      await free("bob");
      for (const action of ["self_assign", "start"]) await act("bob", task.id, action);
      expect(await move("bob", task.id, "submit")).toMatchObject({
        status: 422,
        body: { code: "RESOLUTION_REQUIRED" },
      });
      expect(await act("bob", task.id, "submit", { resolution: " " })).toBe("RESOLUTION_REQUIRED");
      expect(await act("bob", task.id, "submit", { resolution: "ground and welded" })).toBe("submitted");
      expect((await send("lea", `GET /defects/${defect.id}`)).body).toMatchObject({ fixed_at: null });
      await act("lea", task.id, "review_approve");
      const { reviewed_at } = await get(task.id);
      expect((await send("lea", `GET /defects/${defect.id}`)).body).toMatchObject({
        how_fixed: "ground and welded",
        fixed_by: "bob",
        fixed_at: reviewed_at,
      });
      expect((await send("lea", `POST /tasks/${original.id}/fix`, { defect_id: defect.id })).body.code).toBe(
        "FIX_NOT_ALLOWED",
      );
    },
  );

  test("is created by leads only, needs one defect, and gets the given title", async () => {
    const { id } = await taskIn("done");
    const fix = (who: Who, body: JsonObject) => send(who, `POST /tasks/${id}/fix`, body);
    for (const who of ["bob", "rob", "adam", "vic"] as const)
      expect((await fix(who, { defect: crack })).body).toMatchObject({
        code: "FORBIDDEN",
        permission: "task.fix",
      });
    for (const body of [{}, { defect: {} }, { defect: crack, defect_id: UNKNOWN }])
      expect((await fix("lea", body)).body.code).toBe("VALIDATION_ERROR");
    expect((await fix("lea", { defect_id: UNKNOWN })).body.code).toBe("NOT_FOUND");
    expect((await send("lea", `POST /tasks/${UNKNOWN}/fix`, { defect: crack })).body.code).toBe(
      "TASK_NOT_FOUND",
    );
    expect((await fix("lea", { title: "Grind it", defect: crack })).body.task).toMatchObject({
      title: "Grind it",
    });
  });

  test("can be created for a reported defect, one at a time, and again after it was canceled", async () => {
    const { id } = await taskIn("done");
    const defect = bodyOf<PlannerDefect>(201, await send("bob", `POST /tasks/${id}/report-defect`, crack));
    const other = await taskIn("done");
    const fix = (task: string) => send("lea", `POST /tasks/${task}/fix`, { defect_id: defect.id });
    expect((await fix(other.id)).body.code, "a defect of another task").toBe("NOT_FOUND");
    const first = bodyOf<{ task: PlannerTask; defect: PlannerDefect }>(201, await fix(id));
    expect(first.defect).toEqual({ ...defect, fix_task_id: first.task.id });
    expect((await fix(id)).body.code).toBe("FIX_NOT_ALLOWED");
    await act("lea", first.task.id, "cancel", { reason: "no" });
    const second = bodyOf<{ task: PlannerTask; defect: PlannerDefect }>(201, await fix(id));
    expect(second.defect.fix_task_id).toBe(second.task.id);
    // After a fix-task is deleted, its defect can get another one.
    const version = { "if-match": '"1"' };
    expect((await send("lea", `DELETE /tasks/${second.task.id}`, undefined, version)).status).toBe(204);
    expect((await send("lea", `GET /defects/${defect.id}`)).body).toEqual(defect);
  });

  test("can be created by a rejection, in one answer and one event, and is returned again for the same key", async () => {
    const { id, row_version, title } = await taskIn("submitted");
    expect(await act("lea", id, "review_reject", { reason: "bad", create_fix: true })).toBe(
      "VALIDATION_ERROR",
    );
    const how = { client_event_id: `reject ${id}`, expected_row_version: row_version };
    const payload = { reason: "bad", defect: crack, create_fix: true };
    const rejected = await move("lea", id, "review_reject", payload, how);
    expect(rejected.body).toMatchObject({
      task: { status: "in_progress", row_version: row_version + 1 },
      transition: {
        action: "review_reject",
        payload: { ...payload, defect: { ...crack, severity: "major" } },
      },
      fix_task: { kind: "fix", fix_of_task_id: id, title: `Fix: ${title}`, status: "available" },
      defect: { ...crack, task_id: id, fix_task_id: (rejected.body.fix_task as PlannerTask).id },
    });
    await finish((rejected.body.fix_task as PlannerTask).id);
    const again = await move("lea", id, "review_reject", payload, how);
    expect(again.body).toEqual(rejected.body);
    expect((await log(id)).filter(({ action }) => action === "review_reject")).toHaveLength(1);

    const second = await taskIn("submitted");
    const noted = await move("lea", second.id, "review_reject", { reason: "bad", defect: crack });
    expect(noted.body).toMatchObject({ defect: { task_id: second.id, fix_task_id: null } });
    expect(noted.body.fix_task).toBeUndefined();
  });

  test("can be created by the generic route, under the same rules", async () => {
    const { id } = await taskIn("done");
    const create = (token: string, body: JsonObject) =>
      server.ask("POST /api/tasks", {
        token,
        body: { lifecycle: "planner", client_event_id: crypto.randomUUID(), ...body },
      });
    expect((await create(server.tokens.lea, { fix_of_task_id: id })).body.code).toBe("VALIDATION_ERROR");
    expect((await create(server.tokens.rob, { fix_of_task_id: id, defect: crack })).body).toMatchObject({
      code: "FORBIDDEN",
      permission: "task.fix",
    });
    expect((await create(server.tokens.lea, { fix_of_task_id: UNKNOWN, defect: crack })).body.code).toBe(
      "TASK_NOT_FOUND",
    );
    expect(await create(server.tokens.lea, { fix_of_task_id: id, defect: crack })).toMatchObject({
      status: 201,
    });
    expect((await create(server.tokens.lea, { title: "x", on_failure: "proceed" })).body.code).toBe(
      "VALIDATION_ERROR",
    );
    expect((await create(server.tokens.lea, { title: "x", depends_on: [UNKNOWN] })).body).toMatchObject({
      errors: [{ path: "depends_on" }],
    });
  });
});

describe("a deliverable", () => {
  let serial = 0;
  const create = async (): Promise<PlannerDeliverable> =>
    bodyOf(201, await send("lea", "POST /deliverables", { type: "frame", serial: `F-${++serial}` }));

  test("is submitted when all its tasks are done or canceled, and again after a rejection", async () => {
    const { id } = await create();
    const tasks = [await make({ deliverable_id: id }), await make({ deliverable_id: id })];
    const submit = () => send("lea", `POST /deliverables/${id}/submit`, {});
    const open = await submit();
    expect(open).toMatchObject({ status: 409, body: { code: "UNRESOLVED_BLOCKERS" } });
    expect(open.body.tasks).toHaveLength(2);
    await finish(tasks[0]!.id);
    await act("lea", tasks[1]!.id, "cancel", { reason: "not needed" });
    const inspect = (body: JsonObject, who: Who = "sue") =>
      send(who, `POST /deliverables/${id}/inspections`, body);
    expect((await inspect({ result: "approved" })).body.code).toBe("INVALID_TRANSITION");
    expect((await submit()).body).toMatchObject({ status: "submitted_to_qc" });
    expect((await submit()).body.code).toBe("INVALID_TRANSITION");
    expect((await inspect({ result: "approved" }, "bob")).body.code).toBe("FORBIDDEN");

    const before = await get(tasks[0]!.id);
    expect((await inspect({ result: "rejected", create_fix: true })).body.code).toBe("VALIDATION_ERROR");
    expect((await inspect({ result: "rejected", defect: crack })).body.code).toBe("VALIDATION_ERROR");
    const unrelated = await taskIn("done");
    expect((await inspect({ result: "rejected", defect: crack, task_id: unrelated.id })).body.code).toBe(
      "VALIDATION_ERROR",
    );
    expect(
      (await inspect({ result: "rejected", defect: crack, create_fix: true, task_id: tasks[1]!.id })).body
        .code,
    ).toBe("FIX_NOT_ALLOWED");
    const rejected = await inspect({
      result: "rejected",
      measurements: { gap_mm: 3.2 },
      act: "A-17",
      task_id: tasks[0]!.id,
      defect: crack,
      create_fix: true,
    });
    expect(rejected).toMatchObject({
      status: 201,
      body: {
        deliverable: { status: "qc_rejected" },
        inspection: { result: "rejected", measurements: { gap_mm: 3.2 }, act: "A-17", inspector: "sue" },
        fix_task: { fix_of_task_id: tasks[0]!.id, deliverable_id: id, status: "available" },
        defect: { task_id: tasks[0]!.id, reported_by: "sue" },
      },
    });
    expect(await get(tasks[0]!.id), "no inspection moves a task").toEqual(before);
    expect((await submit()).body.code, "the fix is not done").toBe("UNRESOLVED_BLOCKERS");
    await finish((rejected.body.fix_task as PlannerTask).id);
    await submit();
    expect((await inspect({ result: "approved" })).body.deliverable).toMatchObject({ status: "qc_approved" });
    expect((await send("vic", `GET /deliverables/${id}/inspections`)).body.inspections).toMatchObject([
      { result: "rejected", fix_task_id: (rejected.body.fix_task as PlannerTask).id },
      { result: "approved", measurements: {}, defect_id: null },
    ]);
    expect((await submit()).body.code).toBe("INVALID_TRANSITION");
  });

  test("is not approved while one of its fix-tasks is unfinished", async () => {
    const { id } = await create();
    const task = await taskIn("done", { deliverable_id: id });
    await send("lea", `POST /deliverables/${id}/submit`, {});
    await send("lea", `POST /tasks/${task.id}/fix`, { defect: crack });
    const reply = await send("lea", `POST /deliverables/${id}/inspections`, { result: "approved" });
    expect(reply.body.code).toBe("UNRESOLVED_BLOCKERS");
  });

  test("has a unique serial per type, is read by all and written by leads", async () => {
    const { id, type, serial: number } = await create();
    expect((await send("lea", "POST /deliverables", { type, serial: number })).body.code).toBe(
      "ALREADY_EXISTS",
    );
    expect(
      (await send("lea", "POST /deliverables", { type, serial: "x", project_id: "nowhere" })).body.code,
    ).toBe("NOT_FOUND");
    expect((await send("bob", "POST /deliverables", { type, serial: "y" })).body.code).toBe("FORBIDDEN");
    expect((await send("bob", `GET /deliverables/${id}`)).body).toMatchObject({ id, status: "open" });
    expect((await send("bob", `GET /deliverables?serial=${number}`)).body.deliverables).toMatchObject([
      { id },
    ]);
    expect(
      (await send("bob", `GET /deliverables?status=qc_approved,open&type=${type}&limit=1`)).body.cursor,
    ).not.toBeNull();
    expect((await send("bob", `GET /deliverables/${UNKNOWN}`)).status).toBe(404);
    expect((await send("bob", `GET /deliverables/nonsense/inspections`)).status).toBe(404);
    expect((await make({ deliverable_id: id })).deliverable_id).toBe(id);
    expect((await send("lea", "POST /tasks", { title: "Of none", deliverable_id: UNKNOWN })).body.code).toBe(
      "VALIDATION_ERROR",
    );
  });
});
