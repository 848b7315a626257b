import { expect, test } from "vitest";
import { bodyOf } from "../../http/test-server.ts";
import { startBoardServer } from "./board-server.ts";

const server = await startBoardServer();
const { admin, ann, cat, ask, act, make } = server;

const setWaiting = async (new_deadline_waits_for_blockers: boolean | null) =>
  bodyOf(
    200,
    await ask("PATCH /api/board/workspaces/main", {
      token: admin,
      body: { new_deadline_waits_for_blockers },
    }),
  );
const deadlineOf = async (id: string) => (await server.getTask(cat, id)).task.status_deadline_at;
const done = async (id: string) => {
  expect(await act(ann, id, "claim")).toBe("IN_PROGRESS");
  expect(await act(ann, id, "complete")).toBe("DONE");
};

test("by default the deadline of a waiting task runs", async () => {
  const blocker = await make(cat);
  const waiting = await make(cat, { blocked_by: [blocker.id] });
  expect(waiting.status_deadline_at).not.toBeNull();
  const { status_deadline_at } = waiting;
  await done(blocker.id);
  expect(await deadlineOf(waiting.id)).toBe(status_deadline_at);
});

test("with the setting on, the deadline starts when the last blocker is done", async () => {
  expect(await setWaiting(true)).toMatchObject({ new_deadline_waits_for_blockers: true });
  const [one, two] = [await make(cat), await make(cat)];
  expect(one.status_deadline_at).not.toBeNull();
  const waiting = await make(cat, { blocked_by: [one.id, two.id] });
  expect(waiting.status_deadline_at).toBeNull();
  await done(one.id);
  expect(await deadlineOf(waiting.id)).toBeNull();
  await done(two.id);
  const finished = (await server.getTask(cat, two.id)).task.updated_at as string;
  expect(Date.parse(String(await deadlineOf(waiting.id)))).toBe(Date.parse(finished) + 120 * 60_000);
});

test("a canceled blocker starts the deadline, because the task would wait forever", async () => {
  await setWaiting(true);
  const blocker = await make(cat);
  const waiting = await make(cat, { blocked_by: [blocker.id] });
  expect(await deadlineOf(waiting.id)).toBeNull();
  expect(await act(cat, blocker.id, "cancel")).toBe("CANCELLED");
  expect(await deadlineOf(waiting.id)).not.toBeNull();
});

test("a waiting task gets its deadline when its blocker is done after the setting was turned off", async () => {
  await setWaiting(true);
  const blocker = await make(cat);
  const waiting = await make(cat, { blocked_by: [blocker.id] });
  expect(await setWaiting(null)).toMatchObject({ new_deadline_waits_for_blockers: false });
  expect(await deadlineOf(waiting.id)).toBeNull();
  await done(blocker.id);
  expect(await deadlineOf(waiting.id)).not.toBeNull();
});
