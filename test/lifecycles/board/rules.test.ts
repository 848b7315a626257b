import { describe, expect, test } from "vitest";
import { bodyOf } from "../../http/test-server.ts";
import { startBoardServer } from "./board-server.ts";

const server = await startBoardServer();
const { ann, bob, cat, vic, act, make } = server;
const WHO = { ann, bob, cat };
type Who = keyof typeof WHO;

/** The moves to each status: cat creates the task, ann holds it. */
const PATHS: Record<string, [Who, string][]> = {
  NEW: [],
  IN_PROGRESS: [["ann", "claim"]],
  BLOCKED: [
    ["ann", "claim"],
    ["ann", "block"],
  ],
  DONE: [
    ["ann", "claim"],
    ["ann", "complete"],
  ],
  CANCELLED: [["cat", "cancel"]],
};

async function taskIn(status: string): Promise<string> {
  const { id } = await make(cat, {});
  const steps = status === "STUCK" ? PATHS.IN_PROGRESS : PATHS[status];
  for (const [who, action] of steps ?? []) await act(WHO[who], id, action);
  if (status === "STUCK") await server.testEngine.engine.sweep({ now: Date.now() + 2 * 86_400_000 });
  return id;
}

// from, action, actor (ann holds the task, cat created it, bob neither), outcome
const TABLE: [string, string, Who, string][] = [
  ["NEW", "claim", "bob", "IN_PROGRESS"],
  ["NEW", "start", "bob", "FORBIDDEN"],
  ["NEW", "cancel", "cat", "CANCELLED"],
  ["NEW", "cancel", "bob", "FORBIDDEN"],
  ["NEW", "complete", "bob", "INVALID_TRANSITION"],
  ["NEW", "take_over", "bob", "INVALID_TRANSITION"],
  ["NEW", "expire", "bob", "FORBIDDEN"],
  ["IN_PROGRESS", "complete", "ann", "DONE"],
  ["IN_PROGRESS", "complete", "bob", "FORBIDDEN"],
  ["IN_PROGRESS", "block", "ann", "BLOCKED"],
  ["IN_PROGRESS", "block", "bob", "FORBIDDEN"],
  ["IN_PROGRESS", "escalate", "bob", "BLOCKED"],
  ["IN_PROGRESS", "escalate", "cat", "BLOCKED"],
  ["IN_PROGRESS", "escalate", "ann", "CANNOT_ESCALATE_OWN"],
  ["IN_PROGRESS", "release", "ann", "NEW"],
  ["IN_PROGRESS", "release", "cat", "FORBIDDEN"],
  ["IN_PROGRESS", "cancel", "cat", "CANCELLED"],
  ["IN_PROGRESS", "cancel", "ann", "CANCELLED"],
  ["IN_PROGRESS", "cancel", "bob", "FORBIDDEN"],
  ["IN_PROGRESS", "claim", "bob", "TASK_ALREADY_CLAIMED"],
  ["IN_PROGRESS", "resume", "ann", "INVALID_TRANSITION"],
  ["BLOCKED", "resume", "ann", "IN_PROGRESS"],
  ["BLOCKED", "resume", "bob", "FORBIDDEN"],
  ["BLOCKED", "release", "ann", "NEW"],
  ["BLOCKED", "release", "cat", "NEW"],
  ["BLOCKED", "release", "bob", "FORBIDDEN"],
  ["BLOCKED", "cancel", "cat", "CANCELLED"],
  ["BLOCKED", "cancel", "ann", "FORBIDDEN"],
  ["BLOCKED", "take_over", "bob", "INVALID_TRANSITION"],
  ["STUCK", "resume", "ann", "IN_PROGRESS"],
  ["STUCK", "resume", "bob", "FORBIDDEN"],
  ["STUCK", "take_over", "bob", "IN_PROGRESS"],
  ["STUCK", "take_over", "ann", "CANNOT_TAKE_OVER"],
  ["STUCK", "release", "cat", "NEW"],
  ["STUCK", "release", "ann", "FORBIDDEN"],
  ["STUCK", "cancel", "cat", "CANCELLED"],
  ["STUCK", "cancel", "ann", "FORBIDDEN"],
  ["STUCK", "complete", "ann", "INVALID_TRANSITION"],
  ["DONE", "cancel", "cat", "INVALID_TRANSITION"],
  ["DONE", "claim", "bob", "TASK_ALREADY_CLAIMED"],
  ["CANCELLED", "release", "cat", "INVALID_TRANSITION"],
  ["CANCELLED", "claim", "bob", "INVALID_TRANSITION"],
];

test.each(TABLE)("%s --%s--> by %s is %s", async (from, action, who, outcome) => {
  expect(await act(WHO[who], await taskIn(from), action)).toBe(outcome);
});

test("every action needs a comment, and a viewer may perform none", async () => {
  const { id } = await make(cat);
  expect(await act(bob, id, "claim", { comment: null })).toBe("COMMENT_REQUIRED");
  expect(await act(bob, id, "claim", { comment: "   " })).toBe("COMMENT_REQUIRED");
  expect(await act(vic, id, "claim")).toBe("FORBIDDEN");
  expect((await server.getTask(cat, id)).events).toHaveLength(1);
});

test("a deadline runs in the three statuses that have one, by the workspace's minutes", async () => {
  const { id, ...created } = await make(cat);
  const minutes = (task: Record<string, unknown>) =>
    (Date.parse(String(task.status_deadline_at)) - Date.parse(String(task.updated_at))) / 60_000;
  expect(minutes(created)).toBe(120);
  await act(ann, id, "claim");
  expect(minutes((await server.getTask(ann, id)).task)).toBe(1440);
  await act(ann, id, "block");
  expect(minutes((await server.getTask(ann, id)).task)).toBe(2880);
  await act(cat, id, "cancel");
  expect((await server.getTask(ann, id)).task.status_deadline_at).toBeNull();
});

test("an expired deadline is commented with its duration, keeps the assignee, and a second sweep writes nothing", async () => {
  const { id } = await make(cat);
  await act(ann, id, "claim");
  const entered = Date.parse(String((await server.getTask(ann, id)).task.updated_at));
  const later = entered + (1440 + 17) * 60_000 + 30_000;
  await server.testEngine.engine.sweep({ now: later });
  await server.testEngine.engine.sweep({ now: later });
  const { task, events } = await server.getTask(ann, id);
  expect(task).toMatchObject({ status: "STUCK", assignee_id: "ann", status_deadline_at: null });
  expect(events.filter(({ type }) => type === "deadline_expired")).toMatchObject([
    {
      actor_id: null,
      comment: "Status deadline expired. Was in IN_PROGRESS for 1457 minutes.",
      old_status: "IN_PROGRESS",
      new_status: "STUCK",
    },
  ]);
});

describe("changing the status", () => {
  const set = async (token: string, id: string, status: string, more = {}) => {
    const body = { status, comment: "so", ...more };
    const reply = await server.ask(`PATCH /api/board/tasks/${id}/status`, { token, body });
    return reply.status === 200 ? (reply.body.task as { status: string }).status : reply.body.code;
  };

  test.each([
    ["NEW", "ann", "CANCELLED", "FORBIDDEN"],
    ["NEW", "cat", "CANCELLED", "CANCELLED"],
    ["NEW", "bob", "IN_PROGRESS", "FORBIDDEN"],
    ["NEW", "cat", "DONE", "INVALID_TRANSITION"],
    ["IN_PROGRESS", "ann", "DONE", "DONE"],
    ["IN_PROGRESS", "ann", "BLOCKED", "BLOCKED"],
    ["IN_PROGRESS", "bob", "BLOCKED", "FORBIDDEN"],
    ["IN_PROGRESS", "ann", "NEW", "NEW"],
    ["IN_PROGRESS", "ann", "STUCK", "INVALID_TRANSITION"],
    ["BLOCKED", "ann", "IN_PROGRESS", "IN_PROGRESS"],
    ["STUCK", "ann", "IN_PROGRESS", "IN_PROGRESS"],
    ["STUCK", "bob", "IN_PROGRESS", "FORBIDDEN"],
    ["STUCK", "cat", "NEW", "NEW"],
    ["DONE", "ann", "IN_PROGRESS", "INVALID_TRANSITION"],
    ["IN_PROGRESS", "ann", "IN_PROGRESS", "INVALID_TRANSITION"],
  ] as const)("from %s by %s to %s is %s", async (from, who, to, outcome) => {
    expect(await set(WHO[who], await taskIn(from), to)).toBe(outcome);
  });

  test("the same request twice is answered twice and changes the task once", async () => {
    const id = await taskIn("IN_PROGRESS");
    const key = { client_event_id: "done once" };
    expect(await set(ann, id, "DONE", key)).toBe("DONE");
    expect(await set(ann, id, "DONE", key)).toBe("DONE");
    expect((await server.getTask(ann, id)).task.row_version).toBe(3);
    expect(await set(ann, id, "DONE")).toBe("INVALID_TRANSITION");
  });

  test("an assignee named at creation starts the task; others cannot claim it", async () => {
    const { id, status } = await make(cat, { assignee_id: "ann" });
    expect(status).toBe("NEW");
    expect(await act(bob, id, "claim")).toBe("TASK_ALREADY_CLAIMED");
    expect(await set(ann, id, "IN_PROGRESS")).toBe("IN_PROGRESS");
  });
});

test("claim, escalate, takeover and comments have their own routes and event types", async () => {
  const { id } = await make(cat);
  const send = (path: string, token: string) =>
    server.ask(`POST /api/board/tasks/${id}/${path}`, { token, body: { comment: `to ${path}` } });
  expect((await send("claim", ann)).body.event).toMatchObject({ type: "claimed", actor_name: "Agent ann" });
  expect((await send("escalate", ann)).body.code).toBe("CANNOT_ESCALATE_OWN");
  expect((await send("escalate", bob)).body.event).toMatchObject({
    type: "escalated",
    new_status: "BLOCKED",
  });
  await server.testEngine.engine.sweep({ now: Date.now() + 3 * 86_400_000 });
  expect((await send("takeover", ann)).body.code).toBe("CANNOT_TAKE_OVER");
  expect((await send("takeover", bob)).body.event).toMatchObject({ type: "taken_over", old_status: "STUCK" });
  expect(await act(bob, id, "complete")).toBe("DONE");
  expect(await send("comments", cat)).toMatchObject({ status: 201, body: { event: { type: "commented" } } });
  const { events } = await server.getTask(cat, id);
  expect(events.map(({ type }) => type)).toEqual([
    "created",
    "claimed",
    "escalated",
    "deadline_expired",
    "taken_over",
    "status_changed",
    "commented",
  ]);
});

test("a task that is not available yet cannot be claimed, by its id or from the pool", async () => {
  const available_at = new Date(Date.now() + 3_600_000).toISOString();
  const body = { lifecycle: "board", title: "Later on", description: "Not today", available_at };
  const created = await server.ask("POST /api/tasks", { token: cat, body });
  const { id } = bodyOf<{ id: string }>(201, created);
  expect(await act(ann, id, "claim")).toBe("NOT_YET_AVAILABLE");
  expect((await server.getTask(ann, id)).task.status).toBe("NEW");
  await server.sql`update pawl.task set available_at = now() - interval '1 second' where id = ${id}`;
  expect(await act(ann, id, "claim")).toBe("IN_PROGRESS");
});

test("a viewer cannot be the assignee of a task", async () => {
  const body = { title: "Look at it", description: "Closely", assignee_id: "vic" };
  const reply = await server.ask("POST /api/board/tasks", { token: cat, body });
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ path: "assignee_id" }] } });
});
