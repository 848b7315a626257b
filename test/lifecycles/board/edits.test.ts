import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startBoardServer } from "./board-server.ts";

const server = await startBoardServer();
const { admin, ann, bob, cat, vic, ask, act, make, getTask } = server;
const lea = await server.member({ id: "lea", roles: ["lead"] });

const edit = (token: string, id: string, fields: JsonObject) =>
  ask(`PATCH /api/board/tasks/${id}`, { token, body: { comment: "clearer", ...fields } });
const reassign = (token: string, id: string, assignee_id: string) =>
  ask(`POST /api/board/tasks/${id}/reassign`, { token, body: { comment: "busy", assignee_id } });

test("the creator edits every field, and the journal has the old and new values", async () => {
  const task = await make(cat, { labels: ["ui"], assignee_id: "ann" });
  const fields = {
    title: "Write it up",
    description: "Only the *end*",
    priority: "high",
    labels: ["api", "docs"],
  };
  const { body } = await edit(cat, task.id, { ...fields, expected_row_version: task.row_version });
  expect(body).toMatchObject({ task: { ...fields, status: "NEW", row_version: 2 } });
  expect((body.task as JsonObject).status_deadline_at).toBe(task.status_deadline_at);
  const { events } = await getTask(bob, task.id);
  expect(events.at(-1)).toMatchObject({
    type: "edited",
    comment: "clearer",
    changes: {
      title: { old: "Write it down", new: "Write it up" },
      description: { old: "All of it", new: "Only the *end*" },
      priority: { old: "normal", new: "high" },
      labels: { old: ["ui"], new: ["api", "docs"] },
    },
  });
  expect(events[0]).toMatchObject({ type: "created", changes: null });
});

test("an edit that changes nothing adds no journal row", async () => {
  const task = await make(cat);
  const { body } = await edit(cat, task.id, { title: "Write it down", priority: "normal", labels: null });
  expect(body).toMatchObject({ event: null, task: { row_version: 1 } });
  expect((await getTask(cat, task.id)).events).toHaveLength(1);
});

test.each([
  ["the creator", cat, 200],
  ["the assignee", ann, 200],
  ["a lead", lea, 200],
  ["an admin", admin, 200],
  ["another agent", bob, 403],
  ["a viewer", vic, 403],
])("%s may edit: %i", async (_, token, status) => {
  const task = await make(cat, { assignee_id: "ann" });
  expect((await edit(token, task.id, { title: "Another title" })).status).toBe(status);
});

test.each([
  [{}, 422, "VALIDATION_ERROR"],
  [{ title: "No" }, 422, "VALIDATION_ERROR"],
  [{ description: " " }, 422, "VALIDATION_ERROR"],
  [{ priority: "urgent" }, 422, "VALIDATION_ERROR"],
  [{ labels: Array.from({ length: 21 }, (_, n) => `label ${n}`) }, 422, "VALIDATION_ERROR"],
  [{ labels: ["x".repeat(51)] }, 422, "VALIDATION_ERROR"],
  [{ labels: ["a,b"] }, 422, "VALIDATION_ERROR"],
  [{ title: "Another title", comment: "" }, 422, "COMMENT_REQUIRED"],
  [{ title: "Another title", expected_row_version: 7 }, 409, "VERSION_CONFLICT"],
])("the edit %o is refused with %i %s", async (fields, status, code) => {
  const task = await make(cat);
  expect(await edit(cat, task.id, fields)).toMatchObject({ status, body: { code } });
});

test("a finished task cannot be edited or reassigned", async () => {
  const task = await make(cat);
  await act(cat, task.id, "cancel");
  expect(await edit(cat, task.id, { title: "Another title" })).toMatchObject({
    status: 409,
    body: { code: "INVALID_TRANSITION" },
  });
  expect(await reassign(cat, task.id, "bob")).toMatchObject({ status: 409 });
});

test("a reassigned task keeps its status and deadline; the former assignee cannot act on it", async () => {
  const task = await make(cat);
  await act(ann, task.id, "claim");
  const before = (await getTask(cat, task.id)).task;
  const { body } = await reassign(ann, task.id, "bob");
  expect(body).toMatchObject({
    task: { status: "IN_PROGRESS", assignee_id: "bob", status_deadline_at: before.status_deadline_at },
    event: { type: "reassigned", changes: { assignee_id: { old: "ann", new: "bob" } } },
  });
  expect(await act(ann, task.id, "complete")).toBe("FORBIDDEN");
  expect(await act(bob, task.id, "complete")).toBe("DONE");
});

test("a task is reassigned only to another active member who may work", async () => {
  const task = await make(cat, { assignee_id: "ann" });
  for (const id of ["vic", "unknown"])
    expect(await reassign(cat, task.id, id)).toMatchObject({
      status: 422,
      body: { code: "VALIDATION_ERROR", errors: [{ path: "assignee_id" }] },
    });
  expect(await reassign(cat, task.id, "ann")).toMatchObject({
    status: 409,
    body: { code: "ALREADY_ASSIGNED", assignee_id: "ann" },
  });
  expect(await reassign(bob, task.id, "bob")).toMatchObject({ status: 403 });
});

test("a private task becomes visible to its new assignee, and invisible to the former one", async () => {
  const task = await make(cat, { visibility: "private", assignee_id: "ann" });
  expect((await reassign(cat, task.id, "bob")).status).toBe(200);
  expect((await ask(`GET /api/board/tasks/${task.id}`, { token: ann })).status).toBe(404);
  expect((await getTask(bob, task.id)).task.assignee_id).toBe("bob");
});

test("edit and reassign are offered to the members who may use them", async () => {
  const task = await make(cat, { assignee_id: "ann" });
  const offered = async (token: string) => {
    const { actions } = bodyOf<{ actions: { action: string; allowed: boolean }[] }>(
      200,
      await ask(`GET /api/tasks/${task.id}/actions`, { token }),
    );
    return actions.filter(({ allowed }) => allowed).map(({ action }) => action);
  };
  expect(await offered(cat)).toEqual(expect.arrayContaining(["edit", "reassign"]));
  expect(await offered(bob)).not.toEqual(expect.arrayContaining(["edit"]));
});

test("labels are set at creation, without repetitions, and filter lists", async () => {
  const token = cat;
  const both = await make(cat, { title: "Labeled twice", labels: ["red", "blue", "red"] });
  const one = await make(cat, { title: "Labeled once", labels: ["red"] });
  expect(both.labels).toEqual(["red", "blue"]);
  const found = async (path: string) =>
    bodyOf<{ tasks: { id: string }[] }>(200, await ask(`GET ${path}`, { token })).tasks.map(({ id }) => id);
  expect(await found("/api/board/tasks?label=red")).toEqual([both.id, one.id]);
  expect(await found("/api/board/tasks?label=red,blue")).toEqual([both.id]);
  expect(await found("/api/tasks?lifecycle=board&label=red,blue")).toEqual([both.id]);
  expect(await found("/api/tasks?lifecycle=board&status=NEW&label=red")).toEqual([both.id, one.id]);
  expect(await found("/api/board/tasks?label=green")).toEqual([]);
});
