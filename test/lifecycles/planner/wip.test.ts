import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { startPlannerServer } from "./planner-server.ts";

const server = await startPlannerServer({ maxConnections: 20 });
const otherNode = await startPlannerServer({ sameDatabaseAs: server, maxConnections: 20 });
const { send, act, move, get, make, free } = server;
const ROUNDS = 6;

test(`an executor who takes twenty tasks at once on two nodes gets one, ${ROUNDS} times`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await free("bob");
    const tasks = await Promise.all(Array.from({ length: 20 }, () => make()));
    const replies = await Promise.all(
      tasks.map(({ id, row_version }, n) => {
        const node = n % 2 === 0 ? server : otherNode;
        // Some requests take a task, some assign one, some claim the best.
        if (n % 5 === 4) return node.send("bob", "POST /claims", {});
        if (n % 5 === 3)
          return node.send("lea", `POST /tasks/${id}/transitions`, {
            action: "assign",
            payload: { assign_to: "bob" },
            expected_row_version: row_version,
          });
        const body = { action: "self_assign", expected_row_version: row_version };
        return node.send("bob", `POST /tasks/${id}/transitions`, body);
      }),
    );
    const won = replies.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const { id } = won[0]!.body.task as PlannerTask;
    for (const { status, body } of replies.filter((one) => one.status !== 200)) {
      // A version that a concurrent request has changed is refused first.
      expect(["WIP_LIMIT", "VERSION_CONFLICT"]).toContain(body.code);
      if (body.code === "WIP_LIMIT") expect([status, body.task_id]).toEqual([409, id]);
    }
    const mine = await send("lea", "GET /tasks?assigned_to=bob&status=assigned,in_progress");
    expect((mine.body.tasks as JsonObject[]).map((task) => task.id)).toEqual([id]);
  }
});

test("the unique index limits an owner to one task, also for SQL written by hand", async () => {
  await free("bob");
  const [one, two] = [await make(), await make()];
  await act("bob", one.id, "self_assign");
  const force = server.sql`update pawl.task set status = 'assigned', pooled = false, assigned_to = 'bob',
    exclusive_key = 'wip:bob' where id = ${two.id}`;
  await expect(force).rejects.toMatchObject({ constraint_name: "task_exclusive_key_unique" });
});

test("a rejected task returns to an owner who has taken another; no third one can be taken until both are finished", async () => {
  await free("bob");
  const [first, second, third] = [await make(), await make(), await make()];
  for (const action of ["self_assign", "start", "submit"]) await act("bob", first.id, action);
  expect(await act("bob", second.id, "self_assign"), "submitting frees the owner").toBe("assigned");
  expect(await act("lea", first.id, "review_reject", { reason: "crooked" })).toBe("in_progress");
  expect(await get(first.id)).toMatchObject({ assigned_to: "bob" });

  const held = await move("bob", third.id, "self_assign");
  expect(held.body).toMatchObject({ code: "WIP_LIMIT", tasks: [{ id: first.id }, { id: second.id }] });
  await act("bob", second.id, "start");
  expect(await act("bob", second.id, "submit")).toBe("submitted");
  expect(await act("bob", third.id, "self_assign"), "one is left").toBe("WIP_LIMIT");
  expect(await act("lea", third.id, "assign", { assign_to: "bob" })).toBe("WIP_LIMIT");
  expect((await send("bob", "POST /claims", {})).body.code).toBe("WIP_LIMIT");
  expect(await act("bob", first.id, "submit")).toBe("submitted");
  expect(await act("bob", third.id, "self_assign")).toBe("assigned");
});

test("after a concurrent rejection and claim, one task has the key and none is lost", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await free("bob");
    const [back, next] = [await make(), await make()];
    for (const action of ["self_assign", "start", "submit"]) await act("bob", back.id, action);
    const [rejected, taken] = await Promise.all([
      server.move("lea", back.id, "review_reject", { reason: "again" }),
      otherNode.move("bob", next.id, "self_assign"),
    ]);
    expect(rejected.status, rejected.text).toBe(200);
    expect([200, 409]).toContain(taken.status);
    const rows = await server.sql`
      select exclusive_key from pawl.task where assigned_to = 'bob' and status in ('assigned', 'in_progress')`;
    expect(rows).toHaveLength(taken.status === 200 ? 2 : 1);
    expect(rows.filter((row) => row.exclusive_key === "wip:bob")).toHaveLength(1);
  }
});

test("two tasks of one owner, rejected at once on two nodes, both return to the owner, and one has the key", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await free("bob");
    const both = [await make(), await make()];
    for (const { id } of both)
      for (const action of ["self_assign", "start", "submit"]) await act("bob", id, action);
    const replies = await Promise.all(
      both.map(({ id }, n) =>
        (n === 0 ? server : otherNode).move("lea", id, "review_reject", { reason: "again" }),
      ),
    );
    for (const { status, text } of replies) expect(status, text).toBe(200);
    const rows = await server.sql`
      select exclusive_key from pawl.task where assigned_to = 'bob' and status = 'in_progress'`;
    expect(rows).toHaveLength(2);
    expect(rows.filter((row) => row.exclusive_key === "wip:bob")).toHaveLength(1);
  }
});
