import { expect, test } from "vitest";
import { ann, bob, cat, openDesk, performed } from "./desk.ts";

const desk = await openDesk();
const board = () => desk.make(cat, "board", { title: "Write it", description: "all" });

test("the same key and meaning gives the first answer again, even after the version moved on", async () => {
  const task = await board();
  const claim = {
    task_id: task.id,
    action: "claim",
    comment: "mine",
    client_event_id: "k1",
    expected_row_version: 1,
  };
  const first = performed(await desk.engine.perform(desk.by(ann), claim));
  await desk.act(ann, task, "complete");
  const again = performed(await desk.engine.perform(desk.by(ann), claim));
  expect(again).toEqual({ ...first, replayed: true });
  // Normalised: the version is not part of the meaning, blanks around a text are not either.
  const same = { ...claim, expected_row_version: 77, comment: "  mine ", payload: undefined };
  expect(performed(await desk.engine.perform(desk.by(ann), same)).replayed).toBe(true);
  expect(await desk.engine.find(desk.by(ann), task.id)).toMatchObject({ row_version: 3 });
});

test("the same key with another meaning is a conflict: another action, task, comment or actor", async () => {
  const [task, other] = [await board(), await board()];
  const claim = { task_id: task.id, action: "claim", comment: "mine", client_event_id: "k2" };
  performed(await desk.engine.perform(desk.by(ann), claim));
  for (const [actor, request] of [
    [ann, { ...claim, action: "comment" }],
    [ann, { ...claim, task_id: other.id }],
    [ann, { ...claim, comment: "yours" }],
    [bob, claim],
  ] as const) {
    expect(await desk.engine.perform(desk.by(actor), request)).toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
    });
  }
});

test("a refusal does not use a key up", async () => {
  const task = await board();
  const start = { task_id: task.id, comment: "x", client_event_id: "k3" };
  expect(await desk.engine.perform(desk.by(ann), { ...start, action: "complete" })).toMatchObject({
    code: "INVALID_TRANSITION",
  });
  expect(performed(await desk.engine.perform(desk.by(ann), { ...start, action: "claim" })).replayed).toBe(
    false,
  );
});

test("creations are idempotent too, with all their tasks", async () => {
  const tasks = [
    { lifecycle: "code", title: "a", ref: "a" },
    { lifecycle: "code", title: "b", blocked_by: ["a"] },
  ];
  const first = await desk.engine.create(desk.by(cat), tasks, { client_event_id: "k4" });
  const again = await desk.engine.create(desk.by(cat), tasks, { client_event_id: "k4" });
  expect(again).toEqual({ ...first, replayed: true });
  expect(await desk.engine.create(desk.by(cat), tasks.slice(0, 1), { client_event_id: "k4" })).toMatchObject({
    code: "IDEMPOTENCY_CONFLICT",
  });
  expect((await desk.engine.list(desk.by(cat), { lifecycle: "code" })).tasks).toHaveLength(2);
});

test("a replayed claim returns the same tasks with the same lease tokens", async () => {
  for (const nonce of ["1", "2", "3"]) {
    await desk.make(bob, "delivery", { user_id: "u", file_id: "f", chat_id: "c", request_nonce: nonce });
  }
  const request = { lifecycle: "delivery", limit: 2, client_event_id: "k5" };
  const first = await desk.engine.claim(desk.by(bob), request);
  if (first.kind === "refused") throw new Error(first.detail);
  expect(first.tasks).toHaveLength(2);
  expect(first.tasks[0]?.lease_token).toMatch(/^[0-9a-f-]{36}$/);
  expect(await desk.engine.claim(desk.by(bob), request)).toEqual({ ...first, replayed: true });
  expect(await desk.engine.claim(desk.by(ann), request)).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
  expect(await desk.engine.claim(desk.by(bob), { ...request, limit: 3 })).toMatchObject({
    code: "IDEMPOTENCY_CONFLICT",
  });
});
