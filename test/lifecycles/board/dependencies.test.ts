import { expect, test } from "vitest";
import { bodyOf } from "../../http/test-server.ts";
import { startBoardServer } from "./board-server.ts";

const server = await startBoardServer();
const { ann, bob, cat, ask, act, make } = server;

const batch = (tasks: object[], more = {}) =>
  ask("POST /api/board/tasks/batch", {
    token: cat,
    body: {
      tasks: tasks.map((task) => ({ title: "One of many", description: "Part of it", ...task })),
      ...more,
    },
  });
const done = async (id: string) => {
  expect(await act(ann, id, "claim")).toBe("IN_PROGRESS");
  expect(await act(ann, id, "complete")).toBe("DONE");
};

test("fan-in: a task starts when the last of its blockers is done", async () => {
  const [one, two] = [await make(cat), await make(cat)];
  const waiting = await make(cat, { blocked_by: [one.id, two.id] });
  expect(waiting).toMatchObject({ has_unresolved_blockers: true });
  expect([...(waiting.blocked_by as string[])].sort()).toEqual([one.id, two.id].sort());
  const reply = await ask(`POST /api/board/tasks/${waiting.id}/claim`, {
    token: bob,
    body: { comment: "me" },
  });
  expect(reply).toMatchObject({ status: 409, body: { code: "UNRESOLVED_BLOCKERS", open_blockers: 2 } });
  expect(reply.body.blockers).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: one.id, status: "NEW" })]),
  );
  await done(one.id);
  expect(await act(bob, waiting.id, "claim")).toBe("UNRESOLVED_BLOCKERS");
  await done(two.id);
  expect((await server.getTask(bob, waiting.id)).task.has_unresolved_blockers).toBe(false);
  expect(await act(bob, waiting.id, "claim")).toBe("IN_PROGRESS");
});

test("fan-out: one finished blocker frees all its dependents", async () => {
  const blocker = await make(cat);
  const waiting = await Promise.all(
    Array.from({ length: 20 }, () => make(cat, { blocked_by: [blocker.id] })),
  );
  await done(blocker.id);
  const outcomes = await Promise.all(waiting.map(({ id }) => act(bob, id, "claim")));
  expect(new Set(outcomes)).toEqual(new Set(["IN_PROGRESS"]));
});

test("the refusal names a canceled blocker that will never be DONE", async () => {
  const blocker = await make(cat);
  const waiting = await make(cat, { blocked_by: [blocker.id] });
  await act(cat, blocker.id, "cancel");
  const reply = await ask(`POST /api/board/tasks/${waiting.id}/claim`, {
    token: bob,
    body: { comment: "me" },
  });
  expect(reply.body).toMatchObject({
    code: "UNRESOLVED_BLOCKERS",
    blockers: [{ id: blocker.id, status: "CANCELLED" }],
  });
  expect(reply.body.detail).toContain("will never be done");
});

test("a blocker that was done before counts as done", async () => {
  const blocker = await make(cat);
  await done(blocker.id);
  expect(await make(cat, { blocked_by: [blocker.id] })).toMatchObject({ has_unresolved_blockers: false });
});

test("tasks of one batch depend on each other by ref", async () => {
  const { tasks } = bodyOf<{ tasks: { id: string; blocked_by: string[] }[] }>(
    201,
    await batch([
      { ref: "a", title: "First of three" },
      { ref: "b", title: "Second of three", blocked_by: ["a"] },
      { title: "Third of three", blocked_by: ["a", "b"] },
    ]),
  );
  const [a, b, c] = tasks as [(typeof tasks)[0], (typeof tasks)[0], (typeof tasks)[0]];
  expect(b.blocked_by).toEqual([a.id]);
  expect([...c.blocked_by].sort()).toEqual([a.id, b.id].sort());
});

test("a cycle of refs is refused with its path, and nothing is created", async () => {
  const before = (await ask("GET /api/board/tasks", { token: cat })).body.total;
  const reply = await batch([
    { ref: "a", blocked_by: ["c"] },
    { ref: "b", blocked_by: ["a"] },
    { ref: "c", blocked_by: ["b"] },
    { ref: "free" },
  ]);
  expect(reply).toMatchObject({ status: 409, body: { code: "CYCLIC_DEPENDENCY" } });
  const path = reply.body.path as string[];
  expect(path[0]).toBe(path.at(-1));
  expect(new Set(path)).toEqual(new Set(["a", "b", "c"]));
  expect((await ask("GET /api/board/tasks", { token: cat })).body.total).toBe(before);
});

test("a task that waits for itself is refused as a cycle, and one invalid task fails the whole batch", async () => {
  expect((await batch([{ ref: "a", blocked_by: ["a"] }])).body.code).toBe("CYCLIC_DEPENDENCY");
  const before = (await ask("GET /api/board/tasks", { token: cat })).body.total;
  expect((await batch([{}, { title: "no" }])).body.code).toBe("VALIDATION_ERROR");
  expect((await batch([{}, { assignee_id: "nobody" }])).body.code).toBe("VALIDATION_ERROR");
  expect((await batch([{ ref: "x" }, { ref: "x" }])).body.code).toBe("VALIDATION_ERROR");
  expect((await ask("GET /api/board/tasks", { token: cat })).body.total).toBe(before);
});

test("a blocker of another workspace is refused", async () => {
  await ask("POST /api/projects", { body: { id: "elsewhere" } });
  const far = await make(cat, { workspace_id: "elsewhere" });
  const body = { title: "Write it down", description: "All", blocked_by: [far.id] };
  expect((await ask("POST /api/board/tasks", { token: cat, body })).body.code).toBe("VALIDATION_ERROR");
});

test("a task that got stuck while waiting cannot be taken over before its blockers are done", async () => {
  const blocker = await make(cat);
  const waiting = await make(cat, { blocked_by: [blocker.id], assignee_id: "ann" });
  await server.testEngine.engine.sweep({ now: Date.now() + 7_300_000 });
  expect((await server.getTask(bob, waiting.id)).task.status).toBe("STUCK");
  expect(await act(bob, waiting.id, "take_over")).toBe("UNRESOLVED_BLOCKERS");
  expect(await act(ann, waiting.id, "resume")).toBe("UNRESOLVED_BLOCKERS");
  expect(await act(bob, blocker.id, "take_over")).toBe("IN_PROGRESS");
  expect(await act(bob, blocker.id, "complete")).toBe("DONE");
  expect(await act(bob, waiting.id, "take_over")).toBe("IN_PROGRESS");
});
