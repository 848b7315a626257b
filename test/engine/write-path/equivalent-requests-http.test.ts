// Over HTTP, equivalent requests with one key are one request, whatever their route and the form of their body.
import { describe, expect, test } from "vitest";
import { ALL_ROLES, startTestServer, outcomeOf } from "../../http/test-server.ts";
import type { Reply } from "../../http/test-server.ts";

const server = await startTestServer();
const token = await server.member({ id: "boss", roles: ALL_ROLES, skill_level: 9 });
const stranger = await server.member({ id: "other", roles: ALL_ROLES, skill_level: 9 });
let keys = 0;
const newKey = () => `wire ${keys++}`;

const send = (what: string, body: object, who = token) => server.ask(what, { token: who, body });

async function create(body: object): Promise<string> {
  const created = await send("POST /api/tasks", { client_event_id: newKey(), ...body });
  expect([200, 201]).toContain(created.status);
  return String(created.body.id);
}

async function move(id: string, action: string, more: object = {}): Promise<Reply> {
  const { body } = await server.ask(`GET /api/tasks/${id}`, { token });
  const versioned = { expected_row_version: body.row_version, client_event_id: newKey(), comment: "so" };
  const moved = await send(`POST /api/tasks/${id}/transitions`, { action, ...versioned, ...more });
  expect(outcomeOf(moved)).toBe("200");
  return moved;
}

const board = () => create({ lifecycle: "board", title: "Paint the shed", description: "Green" });
const code = () => create({ lifecycle: "code", title: "Paint the shed" });
const planner = () => create({ lifecycle: "planner", title: "Paint the shed" });
let nonce = 0;
const tap = () => ({ user_id: "u", file_id: "f", chat_id: "c", request_nonce: `n${nonce++}` });
const delivery = () => create({ lifecycle: "delivery", title: "A file", ...tap() });

/** Returns the id and version of the task in a response, whatever field the route uses for it. */
function taskOf({ body }: Reply): { id: unknown; row_version: unknown } {
  type Shown = { id?: unknown; row_version?: unknown };
  const { task, job, tasks } = body as { task?: Shown; job?: Shown; tasks?: Shown[] };
  const { id, row_version } = task ?? job ?? tasks?.[0] ?? body;
  return { id, row_version };
}

type Way = [what: string, body: object];
type Case = { ways: (id: string) => Way[]; make?: () => Promise<string> };

const once = { expected_row_version: 1 };

const CASES: Record<string, Case> = {
  "claiming a board task": {
    make: board,
    ways: (id) => [
      [`POST /api/board/tasks/${id}/claim`, { comment: "mine" }],
      [`POST /api/board/tasks/${id}/transitions`, { action: "claim", comment: "mine" }],
      [`POST /api/tasks/${id}/transitions`, { action: "claim", comment: "mine" }],
      [`POST /api/tasks/${id}/transitions`, { action: "claim", comment: "mine", payload: {}, more: 1 }],
    ],
  },
  "creating a board task": {
    ways: () => [
      ["POST /api/board/tasks", { title: "Paint the fence", description: "Blue" }],
      [
        "POST /api/board/tasks",
        { title: "Paint the fence", description: "Blue", priority: "normal", workspace_id: "main" },
      ],
      ["POST /api/tasks", { lifecycle: "board", title: "Paint the fence", description: "Blue" }],
      [
        "POST /api/tasks",
        { lifecycle: "board", title: "Paint the fence", description: "Blue", project_id: "main", more: 1 },
      ],
    ],
  },
  "claiming from the board's pool": {
    make: board,
    ways: () => [
      ["POST /api/board/claim-next", { comment: "mine" }],
      ["POST /api/board/claim-next", { comment: "mine", limit: 1, workspace_id: "main", more: 1 }],
      ["POST /api/claims", { lifecycle: "board", comment: "mine", project_id: "main" }],
      [
        "POST /api/claims",
        { lifecycle: "board", comment: "mine", project_id: "main", limit: 1, filter: {}, wait_seconds: 0 },
      ],
    ],
  },
  "moving a code task": {
    make: code,
    ways: (id) => [
      [`POST /api/code/tasks/${id}/transitions`, { action: "claim" }],
      [`POST /api/tasks/${id}/transitions`, { action: "claim", payload: {} }],
      [`POST /api/tasks/${id}/transitions`, { action: "claim", comment: "", payload: null }],
    ],
  },
  "creating a code task": {
    ways: () => [
      ["POST /api/code/tasks", { title: "Fix it" }],
      ["POST /api/tasks", { lifecycle: "code", title: "Fix it", priority: 0, auto_unblock: true }],
      ["POST /api/tasks", { lifecycle: "code", title: "Fix it", on_failure: "wait", blocked_by: [] }],
    ],
  },
  "claiming code tasks": {
    make: code,
    ways: () => [
      ["POST /api/code/claims", {}],
      ["POST /api/code/claims", { project_id: "main", limit: 1 }],
      ["POST /api/claims", { lifecycle: "code", project_id: "main" }],
    ],
  },
  "moving a planner task": {
    make: planner,
    ways: (id) => [
      [
        `POST /api/planner/tasks/${id}/transitions`,
        { action: "cancel", payload: { reason: "gone" }, ...once },
      ],
      [
        `POST /api/planner/tasks/${id}/transitions`,
        { action: "cancel", payload: { reason: " gone", more: 1 }, ...once },
      ],
      [`POST /api/tasks/${id}/transitions`, { action: "cancel", payload: { reason: "gone" }, ...once }],
    ],
  },
  "creating a planner task": {
    ways: () => [
      ["POST /api/planner/tasks", { title: "Weld it" }],
      ["POST /api/tasks", { lifecycle: "planner", title: "Weld it", project_id: "main", depends_on: [] }],
    ],
  },
  "creating a delivery job": {
    ways: () => {
      const fields = { title: "A file", ...tap() };
      return [
        ["POST /api/delivery/jobs", fields],
        ["POST /api/delivery/jobs", { ...fields, project_id: "main", more: 1 }],
        ["POST /api/tasks", { lifecycle: "delivery", ...fields }],
      ];
    },
  },
  "moving a delivery job": {
    make: delivery,
    ways: (id) => [
      [`POST /api/delivery/jobs/${id}/transitions`, { action: "claim" }],
      [`POST /api/delivery/jobs/${id}/transitions`, { action: "claim", payload: {} }],
      [`POST /api/tasks/${id}/transitions`, { action: "claim" }],
    ],
  },
};

describe.each(Object.entries(CASES))("%s with one key", (_, { make, ways }) => {
  test("by the same route gets the same answer, also after later changes of the task", async () => {
    const id = await make?.();
    const [[what, body]] = ways(id ?? "") as [Way];
    const keyed = { ...body, client_event_id: newKey() };
    const first = await send(what, keyed);
    expect(first.status).toBeLessThan(300);
    const moved = String(taskOf(first).id);
    await moveOn(moved);
    const again = await send(what, keyed);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([first.status, "true"]);
    expect(again.body).toEqual(first.body);
  });

  test("by every route and in every form gets the first answer", async () => {
    const id = await make?.();
    const client_event_id = newKey();
    const responses: Reply[] = [];
    for (const [what, body] of ways(id ?? "")) responses.push(await send(what, { ...body, client_event_id }));
    expect(responses.map(outcomeOf)).toEqual(responses.map(() => String(responses[0]!.status)));
    expect(responses[0]!.status).toBeLessThan(300);
    for (const replay of responses.slice(1)) {
      expect(replay.headers.get("idempotent-replayed")).toBe("true");
      expect(taskOf(replay)).toEqual(taskOf(responses[0]!));
    }
    const events = await server.sql`select from pawl.event where client_event_id = ${client_event_id}`;
    expect(events).toHaveLength(1);
  });

  test("is a conflict for another member", async () => {
    const id = await make?.();
    const [[what, body]] = ways(id ?? "") as [Way];
    const keyed = { ...body, client_event_id: newKey() };
    expect((await send(what, keyed)).status).toBeLessThan(300);
    expect(outcomeOf(await send(what, keyed, stranger))).toBe("409 IDEMPOTENCY_CONFLICT");
  });
});

/** Performs an action that the task allows, so that its version grows. */
async function moveOn(id: string): Promise<void> {
  const [task] = await server.sql<{ lifecycle: string }[]>`select lifecycle from pawl.task where id = ${id}`;
  if (task?.lifecycle === "board") await move(id, "comment");
  else await server.engine.sweep({ now: Date.now() + 30 * 86_400_000 });
}

describe("a board status set with a key", () => {
  const status = (id: string, to: string, client_event_id: string) =>
    server.ask(`PATCH /api/board/tasks/${id}/status`, {
      token,
      body: { status: to, comment: "so", client_event_id },
    });

  test("gets its first answer again after other actions on the task", async () => {
    const assigned = { lifecycle: "board", title: "Paint the shed", description: "x", assignee_id: "boss" };
    const id = await create(assigned);
    const key = newKey();
    const first = await status(id, "IN_PROGRESS", key);
    expect(outcomeOf(first)).toBe("200");
    for (const action of ["block", "resume", "complete"]) {
      await move(id, action);
      const again = await status(id, "IN_PROGRESS", key);
      expect([outcomeOf(again), again.headers.get("idempotent-replayed")], action).toEqual(["200", "true"]);
      expect(again.body).toEqual(first.body);
    }
  });

  test("is the same request as the action that leads there", async () => {
    const id = await board();
    await move(id, "claim");
    const key = newKey();
    const first = await status(id, "DONE", key);
    const complete = { action: "complete", comment: "so", client_event_id: key };
    const again = await send(`POST /api/board/tasks/${id}/transitions`, complete);
    expect(outcomeOf(again)).toBe("200");
    expect(again.body).toEqual(first.body);
  });

  test("is a conflict with another status", async () => {
    const id = await board();
    await move(id, "claim");
    const key = newKey();
    expect(outcomeOf(await status(id, "BLOCKED", key))).toBe("200");
    expect(outcomeOf(await status(id, "IN_PROGRESS", key))).toBe("409 IDEMPOTENCY_CONFLICT");
  });

  test("is a conflict with another comment", async () => {
    const id = await board();
    await move(id, "claim");
    const key = newKey();
    expect(outcomeOf(await status(id, "BLOCKED", key))).toBe("200");
    const body = { status: "BLOCKED", comment: "not so", client_event_id: key };
    const other = await server.ask(`PATCH /api/board/tasks/${id}/status`, { token, body });
    expect(outcomeOf(other)).toBe("409 IDEMPOTENCY_CONFLICT");
  });
});
