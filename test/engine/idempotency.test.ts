import { expect, test } from "vitest";
import { ann, bob, cat, openTestEngine, performed } from "./test-engine.ts";

const env = await openTestEngine();
const board = () => env.make(cat, "board", { title: "Write it", description: "all" });

test("the same key with the same request returns the first answer, also after later changes", async () => {
  const task = await board();
  const claim = {
    task_id: task.id,
    action: "claim",
    comment: "mine",
    client_event_id: "k1",
    expected_row_version: 1,
  };
  const first = performed(await env.engine.perform(env.by(ann), claim));
  await env.act(ann, task, "complete");
  const again = performed(await env.engine.perform(env.by(ann), claim));
  expect(again).toEqual({ ...first, replayed: true });
  // Requests are compared after normalization: without the expected version, and with trimmed texts.
  const same = { ...claim, expected_row_version: 77, comment: "  mine ", payload: undefined };
  expect(performed(await env.engine.perform(env.by(ann), same)).replayed).toBe(true);
  expect(await env.engine.find(env.by(ann), task.id)).toMatchObject({ row_version: 3 });
});

test("the same key with another action, task, comment or actor is a conflict", async () => {
  const [task, other] = [await board(), await board()];
  const claim = { task_id: task.id, action: "claim", comment: "mine", client_event_id: "k2" };
  performed(await env.engine.perform(env.by(ann), claim));
  for (const [actor, request] of [
    [ann, { ...claim, action: "comment" }],
    [ann, { ...claim, task_id: other.id }],
    [ann, { ...claim, comment: "yours" }],
    [bob, claim],
  ] as const) {
    expect(await env.engine.perform(env.by(actor), request)).toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
    });
  }
});

test("a refused request leaves its key free for another request", async () => {
  const task = await board();
  const start = { task_id: task.id, comment: "x", client_event_id: "k3" };
  expect(await env.engine.perform(env.by(ann), { ...start, action: "complete" })).toMatchObject({
    code: "INVALID_TRANSITION",
  });
  expect(performed(await env.engine.perform(env.by(ann), { ...start, action: "claim" })).replayed).toBe(
    false,
  );
});

test("a repeated creation returns all its tasks", async () => {
  const tasks = [
    { lifecycle: "code", title: "a", ref: "a" },
    { lifecycle: "code", title: "b", blocked_by: ["a"] },
  ];
  const first = await env.engine.create(env.by(cat), tasks, { client_event_id: "k4" });
  const again = await env.engine.create(env.by(cat), tasks, { client_event_id: "k4" });
  expect(again).toEqual({ ...first, replayed: true });
  expect(await env.engine.create(env.by(cat), tasks.slice(0, 1), { client_event_id: "k4" })).toMatchObject({
    code: "IDEMPOTENCY_CONFLICT",
  });
  expect((await env.engine.list(env.by(cat), { lifecycle: "code" })).tasks).toHaveLength(2);
});

test("a replayed claim returns the same tasks with the same lease tokens", async () => {
  for (const nonce of ["1", "2", "3"]) {
    await env.make(bob, "delivery", { user_id: "u", file_id: "f", chat_id: "c", request_nonce: nonce });
  }
  const request = { lifecycle: "delivery", limit: 2, client_event_id: "k5" };
  const first = await env.engine.claim(env.by(bob), request);
  if (first.kind === "refused") throw new Error(first.detail);
  expect(first.tasks).toHaveLength(2);
  expect(first.tasks[0]?.lease_token).toMatch(/^[0-9a-f-]{36}$/);
  expect(await env.engine.claim(env.by(bob), request)).toEqual({ ...first, replayed: true });
  expect(await env.engine.claim(env.by(ann), request)).toMatchObject({ code: "IDEMPOTENCY_CONFLICT" });
  expect(await env.engine.claim(env.by(bob), { ...request, limit: 3 })).toMatchObject({
    code: "IDEMPOTENCY_CONFLICT",
  });
});
