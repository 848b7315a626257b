import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerDeliverable, PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, act, get, make, taskIn, sql, ask, tokens } = server;
const crack = { description: "a crack" };
await ask("POST /api/projects", { body: { id: "yard" } });

async function deliverable(fields: JsonObject = {}): Promise<PlannerDeliverable> {
  const body = { type: "frame", serial: randomUUID(), ...fields };
  return bodyOf<PlannerDeliverable>(201, await send("lea", "POST /deliverables", body));
}

const read = async (id: string) =>
  bodyOf<PlannerDeliverable>(200, await send("lea", `GET /deliverables/${id}`));

/** A deliverable that quality control has approved, with its finished task. */
async function approved(): Promise<{ id: string; task: PlannerTask }> {
  const { id } = await deliverable();
  const task = await taskIn("done", { deliverable_id: id });
  bodyOf(200, await send("lea", `POST /deliverables/${id}/submit`, {}));
  bodyOf(201, await send("lea", `POST /deliverables/${id}/inspections`, { result: "approved" }));
  return { id, task };
}

describe("an approved deliverable", () => {
  test("has no open work: an inspection that approves cannot create a fix-task", async () => {
    const { id } = await deliverable();
    const task = await taskIn("done", { deliverable_id: id });
    bodyOf(200, await send("lea", `POST /deliverables/${id}/submit`, {}));
    const inspect = (result: string, create_fix: boolean) =>
      send("lea", `POST /deliverables/${id}/inspections`, {
        result,
        task_id: task.id,
        defect: crack,
        create_fix,
      });
    expect(await inspect("approved", true)).toMatchObject({
      status: 422,
      body: { code: "VALIDATION_ERROR", errors: [{ path: "create_fix" }] },
    });
    expect((await read(id)).status).toBe("submitted_to_qc");
    expect(await inspect("approved", false)).toMatchObject({
      status: 201,
      body: { deliverable: { status: "qc_approved" } },
    });
  });

  test.each(["a new task", "a fix-task", "a task of another deliverable"])(
    "is reopened by %s",
    async (what) => {
      const { id, task } = await approved();
      expect(await read(id)).toMatchObject({ status: "qc_approved", reopened_at: null, reopened_for: null });
      const added = {
        "a new task": () => make({ deliverable_id: id }),
        "a fix-task": async () =>
          bodyOf<{ task: PlannerTask }>(
            201,
            await send("lea", `POST /tasks/${task.id}/fix`, { defect: crack }),
          ).task,
        "a task of another deliverable": async () => {
          const other = await make();
          const body = { deliverable_id: id, expected_row_version: other.row_version };
          return bodyOf<PlannerTask>(200, await send("lea", `PATCH /tasks/${other.id}`, body));
        },
      }[what];
      const { id: reopened_for } = await added!();
      expect(await read(id)).toMatchObject({
        status: "open",
        reopened_at: expect.any(String) as string,
        reopened_by: "lea",
        reopened_for,
      });
      expect((await send("lea", `POST /deliverables/${id}/submit`, {})).body.code).toBe(
        "UNRESOLVED_BLOCKERS",
      );
      await act("lea", reopened_for, "cancel", { reason: "not needed" });
      bodyOf(200, await send("lea", `POST /deliverables/${id}/submit`, {}));
      bodyOf(201, await send("lea", `POST /deliverables/${id}/inspections`, { result: "approved" }));
    },
  );

  test("never has open work, also if work is added while it is approved", async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await deliverable();
      const task = await taskIn("done", { deliverable_id: id });
      bodyOf(200, await send("lea", `POST /deliverables/${id}/submit`, {}));
      await Promise.all([
        send("lea", `POST /deliverables/${id}/inspections`, { result: "approved" }),
        send("lea", `POST /tasks/${task.id}/fix`, { defect: crack }),
      ]);
      expect((await read(id)).status, `round ${round}`).not.toBe("qc_approved");
    }
  });
});

describe("available_at", () => {
  test("is shown, keeps a task from being taken, and is among the reasons of the pool", async () => {
    const available_at = new Date(Date.now() + 3_600_000).toISOString();
    const title = `Later ${randomUUID()}`;
    const body = { lifecycle: "planner", title, available_at, client_event_id: randomUUID() };
    const { id } = bodyOf<PlannerTask>(201, await ask("POST /api/tasks", { token: tokens.lea, body }));
    expect(await get(id)).toMatchObject({ status: "available", available_at });
    expect(await act("bob", id, "self_assign")).toBe("NOT_YET_AVAILABLE");
    const { tasks } = bodyOf<{ tasks: (PlannerTask & { reasons: JsonObject[] })[] }>(
      200,
      await send("bob", "GET /pool?limit=200"),
    );
    expect(tasks.find((task) => task.id === id)).toMatchObject({
      can_self_assign: false,
      reasons: [{ code: "NOT_YET_AVAILABLE" }],
    });
    await act("lea", id, "cancel", { reason: "tried" });
  });
});

test("the reasons of the pool contain no internal keys", async () => {
  await taskIn("assigned");
  await make();
  const pool = await send("bob", "GET /pool?limit=200");
  expect(pool.text).toContain("WIP_LIMIT");
  expect(pool.text).not.toMatch(/exclusive_key|wip:/);
});

test("a task that returns to the pool records nothing of its former owner's work", async () => {
  const { id, started_at } = await taskIn("in_progress");
  expect(started_at).not.toBeNull();
  expect(await act("lea", id, "recall_to_pool", { reason: "too slow" })).toBe("available");
  expect(await act("lea", id, "assign", { assign_to: "cat" })).toBe("assigned");
  expect(await get(id)).toMatchObject({ assigned_to: "cat", started_at: null, submitted_at: null });
  const rejected = await taskIn("submitted");
  await act("lea", rejected.id, "review_reject", { reason: "crooked" });
  await act("lea", rejected.id, "recall_to_pool", { reason: "for another" });
  expect(await get(rejected.id)).toMatchObject({ started_at: null, submitted_at: null });
  await server.free("cat");
});

test("actions that would remove something are not allowed while there is nothing to remove", async () => {
  const REMOVALS = ["release_hold", "resolve_escalation", "remove_contributor", "remove_dependency"];
  const removals = async (who: Who, id: string) => {
    const { body } = await ask(`GET /api/tasks/${id}/actions`, { token: tokens[who] });
    const actions = body.actions as { action: string; allowed: boolean; refusals: { code: string }[] }[];
    return actions.filter(({ action }) => REMOVALS.includes(action));
  };
  const bare = await taskIn("in_progress");
  for (const { action, allowed, refusals } of await removals("lea", bare.id)) {
    expect(allowed, action).toBe(false);
    expect(
      refusals.map(({ code }) => code),
      action,
    ).toEqual([action === "remove_dependency" ? "INVALID_TRANSITION" : "NOT_FOUND"]);
  }
  await send("lea", `POST /tasks/${bare.id}/holds`, { kind: "qc", reason: "wait" });
  await send("lea", `POST /tasks/${bare.id}/contributors`, { member_id: "cat" });
  await send("bob", `POST /tasks/${bare.id}/escalations`, { reason: "tools" });
  expect(
    (await removals("lea", bare.id))
      .filter(({ allowed }) => allowed)
      .map(({ action }) => action)
      .sort(),
  ).toEqual(["release_hold", "remove_contributor", "resolve_escalation"]);
  const waiting = await taskIn("blocked");
  expect(await removals("lea", waiting.id)).toContainEqual(
    expect.objectContaining({ action: "remove_dependency", allowed: true }),
  );
  const held = await make({ depends_on: waiting.depends_on });
  await send("lea", `DELETE /tasks/${held.id}/depends_on/${waiting.depends_on[0]}`);
});

describe("the database refuses", () => {
  test("an owner who does not fit the status", async () => {
    const blocked = await taskIn("blocked");
    await expect(
      sql`update pawl.task set assigned_to = 'bob' where id = ${blocked.id}`,
    ).rejects.toMatchObject({
      constraint_name: "planner_owner_fits_status",
    });
    for (const status of ["assigned", "in_progress", "submitted", "done"]) {
      const { id } = await taskIn(status);
      await expect(
        sql`update pawl.task set assigned_to = null, exclusive_key = null where id = ${id}`,
        status,
      ).rejects.toMatchObject({ constraint_name: "planner_owner_fits_status" });
    }
  });

  test("links across projects", async () => {
    const here = await make();
    const there = await make({ project_id: "yard" });
    const product = await deliverable({ project_id: "yard" });
    const inside = await deliverable();
    const link = (kind: string, target: string) =>
      sql`insert into pawl.planner_link (org_id, task_id, kind, target) values ('main', ${here.id}, ${kind}, ${target})`;
    const breaches = [
      link("parent", there.id),
      link("fix", there.id),
      link("deliverable", product.id),
      link("parent", randomUUID()),
      sql`insert into pawl.dependency (org_id, task_id, blocker_id, on_failure, resolved)
        values ('main', ${(await taskIn("blocked")).id}, ${there.id}, 'wait', false)`,
      sql`update pawl.planner_deliverable set project_id = 'yard' where id = ${inside.id}`,
    ];
    for (const breach of breaches)
      await expect(breach).rejects.toMatchObject({ constraint_name: "planner_linked_in_project" });
    const linked = await make({ deliverable_id: inside.id });
    await expect(sql`update pawl.task set project_id = 'yard' where id = ${linked.id}`).rejects.toMatchObject(
      { constraint_name: "planner_linked_in_project" },
    );
  });

  test("a defect without a task of its project", async () => {
    const { id } = await taskIn("done");
    const defect = bodyOf<{ id: string }>(201, await send("lea", `POST /tasks/${id}/report-defect`, crack));
    const other = await make({ project_id: "yard" });
    for (const task of [randomUUID(), other.id])
      await expect(
        sql`update pawl.planner_defect set task_id = ${task} where id = ${defect.id}`,
      ).rejects.toMatchObject({ constraint_name: expect.stringMatching(/^planner_defect/) as string });
    await sql`delete from pawl.task where id = ${id}`;
    expect(await sql`select from pawl.planner_defect where id = ${defect.id}`).toHaveLength(0);
  });
});

describe("dependencies", () => {
  const add = (who: Who, id: string, blocker_id: string) =>
    send(who, `POST /tasks/${id}/depends_on`, { blocker_id });

  test("are added to a blocked task, which then waits for them too", async () => {
    const { id, depends_on } = await taskIn("blocked");
    const more = await make();
    expect((await add("bob", id, more.id)).body.code).toBe("FORBIDDEN");
    expect(await add("lea", id, more.id.toUpperCase())).toMatchObject({
      status: 201,
      body: {
        task: { status: "blocked", depends_on: [...depends_on, more.id], row_version: 2 },
        transition: { action: "add_dependency" },
      },
    });
    expect((await add("lea", id, more.id)).body.code, "twice").toBe("VALIDATION_ERROR");
    await send("lea", `DELETE /tasks/${id}/depends_on/${depends_on[0]}`);
    expect((await get(id)).status).toBe("blocked");
    await send("lea", `DELETE /tasks/${id}/depends_on/${more.id}`);
    expect((await get(id)).status).toBe("available");
    expect((await add("lea", id, more.id)).body.code, "available").toBe("INVALID_TRANSITION");
  });

  test("on finished, foreign and unknown tasks are refused", async () => {
    const { id } = await taskIn("blocked");
    const elsewhere = await make({ project_id: "yard" });
    const canceled = await taskIn("canceled");
    for (const blocker of [elsewhere.id, canceled.id, randomUUID(), "x"])
      expect(await add("lea", id, blocker)).toMatchObject({
        status: 422,
        body: { errors: [{ path: "blocker_id" }] },
      });
  });

  test("are refused if they form a cycle, also if two are added at the same time", async () => {
    const chain = async () => {
      const first = await taskIn("blocked");
      return { first, last: await make({ depends_on: [first.id] }) };
    };
    const { first, last } = await chain();
    expect((await add("lea", first.id, last.id)).body.code).toBe("CYCLIC_DEPENDENCY");
    expect((await add("lea", first.id, first.id)).body.code).toBe("CYCLIC_DEPENDENCY");
    for (let round = 0; round < 5; round++) {
      const [one, two] = [await chain(), await chain()];
      const replies = await Promise.all([
        add("lea", one.first.id, two.last.id),
        add("sue", two.first.id, one.last.id),
      ]);
      expect(replies.map(({ status }) => status).sort(), `round ${round}`).toEqual([201, 409]);
    }
  });

  test("show who waits for a task, directly and through others", async () => {
    const root = await make();
    const near = await make({ title: "Near", depends_on: [root.id] });
    const far = await make({ title: "Far", depends_on: [near.id] });
    const { body } = await send("vic", `GET /tasks/${root.id}/dependents`);
    expect(body.tasks).toEqual([
      { id: near.id, title: "Near", status: "blocked", direct: true },
      { id: far.id, title: "Far", status: "blocked", direct: false },
    ]);
    expect((await send("vic", `GET /tasks/${randomUUID()}/dependents`)).status).toBe(404);
  });
});
