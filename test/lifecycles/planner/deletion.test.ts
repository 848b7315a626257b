import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerDefect, PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";
import type { Who } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, make, get, move, taskIn, free } = server;
const crack = { description: "A crack", what_to_fix: "Weld it again" };

const remove = (id: string, version: number) =>
  send("lea", `DELETE /tasks/${id}`, undefined, { "if-match": `"${version}"` });
const must = async (who: Who, id: string, action: string, payload: JsonObject = {}) =>
  bodyOf<{ defect?: PlannerDefect; task: PlannerTask }>(200, await move(who, id, action, payload));
const report = (who: Who, id: string) => send(who, `POST /tasks/${id}/report-defect`, crack);
const recall = (id: string) => must("lea", id, "recall_to_pool", { reason: "not now" });

async function expectKept(id: string, why: string): Promise<void> {
  const { row_version } = await get(id);
  const refused = await remove(id, row_version);
  const detail = `The task cannot be deleted: it ${why}; cancel it instead.`;
  expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
    409,
    "DELETE_NOT_ALLOWED",
    detail,
  ]);
  const { body } = await server.ask(`GET /api/tasks/${id}/actions`, { token: server.tokens.lea });
  const offered = (body.actions as { action: string; allowed: boolean; refusals: JsonObject[] }[]).find(
    ({ action }) => action === "delete",
  );
  expect(offered).toMatchObject({ allowed: false, refusals: [{ code: "DELETE_NOT_ALLOWED", detail }] });
  expect((await get(id)).row_version).toBe(row_version);
}

describe("a task is not deleted", () => {
  test.each([
    ["taken and recalled", [["bob", "self_assign"]]],
    ["assigned and recalled", [["lea", "assign", { assign_to: "bob" }]]],
  ] as [string, [Who, string, JsonObject?][]][])("after it was %s", async (_, steps) => {
    await free("bob");
    const { id } = await make();
    for (const [who, action, payload] of steps) await must(who, id, action, payload);
    await recall(id);
    await expectKept(id, "was owned");
  });

  test("after its shift released it", async () => {
    const { id } = await taskIn("in_progress");
    const now = Date.now();
    const shift = bodyOf<{ id: string }>(
      201,
      await send("lea", "POST /shifts", {
        project_id: "main",
        starts_at: new Date(now - 3_600_000).toISOString(),
        ends_at: new Date(now + 3_600_000).toISOString(),
        members: ["bob"],
      }),
    );
    bodyOf(200, await send("lea", `POST /shifts/${shift.id}/end`, {}));
    await expect.poll(async () => (await get(id)).status).toBe("available");
    await expectKept(id, "was owned");
  });

  test("after a defect was reported, and the defect stays", async () => {
    const { id } = await taskIn("in_progress");
    const defect = bodyOf<PlannerDefect>(201, await report("bob", id));
    await recall(id);
    await expectKept(id, "was owned and has a defect");
    expect((await send("lea", `GET /defects/${defect.id}`)).body).toEqual(defect);
  });

  test("after a fix was ordered, and its defect stays", async () => {
    const { id } = await taskIn("submitted");
    const { defect } = await must("lea", id, "review_reject", {
      reason: "bad",
      defect: crack,
      create_fix: true,
    });
    await recall(id);
    await expectKept(id, "was owned, has a defect and has a fix-task");
    expect((await send("lea", `GET /defects/${defect!.id}`)).status).toBe(200);
  });

  test("after it was escalated", async () => {
    const { id } = await taskIn("in_progress");
    await must("bob", id, "escalate", { reason: "materials" });
    await recall(id);
    await expectKept(id, "was owned and has an escalation");
    const listed = await send("lea", `GET /tasks/${id}/escalations`);
    expect(listed.body.escalations).toHaveLength(1);
  });

  test("after a lead reported a defect, although it never had an owner", async () => {
    const { id } = await make();
    const defect = bodyOf<PlannerDefect>(201, await report("lea", id));
    await expectKept(id, "has a defect");
    expect((await send("lea", `GET /defects/${defect.id}`)).status).toBe(200);
  });
});

test("either a deletion or a concurrent defect report wins, and no defect is left without its task", async () => {
  for (let round = 0; round < 15; round++) {
    const { id } = await make();
    const [deleted, reported] = await Promise.all([remove(id, 1), report("lea", id)]);
    expect([deleted.status, reported.status]).toSatisfy(
      ([gone, made]: number[]) => (gone === 204 && made === 404) || (gone === 409 && made === 201),
    );
  }
  const orphans = await server.sql`
    select d.id from pawl.planner_defect d left join pawl.task t on t.org_id = d.org_id and t.id = d.task_id
    where t.id is null`;
  expect(orphans).toEqual([]);
});

test("either a deletion or a concurrent assignment wins", async () => {
  for (let round = 0; round < 10; round++) {
    await free("bob");
    const { id } = await make();
    const [deleted, assigned] = await Promise.all([
      remove(id, 1),
      send("lea", `POST /tasks/${id}/transitions`, {
        action: "assign",
        payload: { assign_to: "bob" },
        expected_row_version: 1,
      }),
    ]);
    expect([deleted.status, assigned.status]).toSatisfy(
      ([gone, made]: number[]) => (gone === 204 && made === 404) || (gone === 409 && made === 200),
    );
  }
});

describe("the database refuses", () => {
  test("a defect of an unknown task", async () => {
    const orphan = server.sql`
      insert into pawl.planner_defect (org_id, id, project_id, task_id, description, severity, reported_at)
      values ('main', ${randomUUID()}, 'main', ${randomUUID()}, 'A crack', 'major', now())`;
    await expect(orphan).rejects.toMatchObject({ constraint_name: "planner_defect_of_task" });
  });

  test("to remove a task that had an owner, even if the journal records a deletion", async () => {
    const { id } = await taskIn("in_progress");
    await recall(id);
    const forced = server.sql.begin(async (tx) => {
      // The triggers accept only valid journal rows, so they are off while the last row is changed.
      await tx`set local session_replication_role = replica`;
      await tx`update pawl.event set type = 'deleted'
        where task_id = ${id} and row_version = (select row_version from pawl.task where id = ${id})`;
      await tx`set local session_replication_role = origin`;
      await tx`delete from pawl.task where id = ${id}`;
    });
    await expect(forced).rejects.toMatchObject({ constraint_name: "planner_begun_task_never_removed" });
    expect((await get(id)).status).toBe("available");
  });
});

test("pruning keeps a finished task while its fix-task is unfinished, and its defect with it", async () => {
  const { id } = await taskIn("done");
  const { task: fix, defect } = bodyOf<{ task: PlannerTask; defect: PlannerDefect }>(
    201,
    await send("lea", `POST /tasks/${id}/fix`, { defect: crack }),
  );
  const prune = () => server.engine.prune({ org_id: "main", before: Date.now() + 3_600_000 });
  await prune();
  expect((await send("lea", `GET /defects/${defect.id}`)).body).toEqual(defect);
  expect((await get(id)).status).toBe("done");
  await must("lea", fix.id, "cancel", { reason: "no" });
  await prune();
  expect((await send("lea", `GET /tasks/${id}`)).status).toBe(404);
  expect((await send("lea", `GET /defects/${defect.id}`)).status).toBe(404);
});
