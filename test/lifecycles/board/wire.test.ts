import { expect, test } from "vitest";
import { bodyOf } from "../../http/test-server.ts";
import { startBoardServer } from "./board-server.ts";

const server = await startBoardServer();
const { ann, bob, cat, ask, act, make } = server;

const aText = expect.any(String) as unknown;

const list = async (token: string, query = "") => {
  const body = bodyOf(200, await ask(`GET /api/board/tasks?${query}`, { token }));
  return body as { tasks: Record<string, unknown>[]; total: number; limit: number; offset: number };
};
const titles = ({ tasks }: { tasks: Record<string, unknown>[] }) => tasks.map(({ title }) => title);

test("a task has exactly the documented fields", async () => {
  const reply = await ask("POST /api/board/tasks", {
    token: cat,
    body: { title: "  Write it down  ", description: "All", priority: "high", nonsense: 1 },
  });
  expect(reply.status).toBe(201);
  expect(reply.headers.get("etag")).toBe('"1"');
  expect(reply.body).toEqual({
    id: aText,
    workspace_id: "main",
    title: "Write it down",
    description: "All",
    status: "NEW",
    priority: "high",
    visibility: "public",
    labels: [],
    creator_id: "cat",
    assignee_id: null,
    blocked_by: [],
    has_unresolved_blockers: false,
    is_overdue: false,
    status_deadline_at: aText,
    row_version: 1,
    created_at: aText,
    updated_at: aText,
  });
});

test.each([
  [{ title: "four" }, "title"],
  [{ title: "x".repeat(201) }, "title"],
  [{ description: "  " }, "description"],
  [{ priority: "urgent" }, "priority"],
  [{ visibility: "secret" }, "visibility"],
  [{ assignee_id: "nobody" }, "assignee_id"],
  [{ blocked_by: ["no-such-task"] }, "blocked_by"],
] as const)("a task with %o is refused for its %s", async (wrong, field) => {
  const body = { title: "Write it down", description: "All", ...wrong };
  const reply = await ask("POST /api/board/tasks", { token: cat, body });
  expect(reply).toMatchObject({ status: 422, body: { code: "VALIDATION_ERROR" } });
  expect(JSON.stringify(reply.body.errors)).toContain(field);
});

test("an assignee who is inactive or in another workspace is refused, by the generic route too", async () => {
  await server.member({ id: "off", roles: ["agent"], active: false });
  await server.member({ id: "afar", roles: ["agent"], project_ids: [] });
  for (const assignee_id of ["off", "afar"]) {
    const body = { lifecycle: "board", title: "Write it down", description: "All", assignee_id };
    expect((await ask("POST /api/board/tasks", { token: cat, body })).body.code).toBe("VALIDATION_ERROR");
    expect((await ask("POST /api/tasks", { token: cat, body })).body.code).toBe("VALIDATION_ERROR");
  }
});

test("lists filter, sort and page, and leave descriptions out", async () => {
  await ask("POST /api/projects", { body: { id: "lists" } });
  const here = { workspace_id: "lists" };
  const low = await make(ann, { ...here, title: "low one", priority: "low" });
  await make(ann, { ...here, title: "critical one", priority: "critical" });
  const first = await make(ann, { ...here, title: "first normal" });
  await make(ann, { ...here, title: "second normal", assignee_id: "bob", blocked_by: [low.id] });
  await act(cat, first.id, "claim");
  await act(cat, first.id, "complete");
  const inLists = (query: string) => list(ann, `workspace_id=lists&${query}`);

  const all = await inLists("");
  expect(all).toMatchObject({ total: 4, limit: 50, offset: 0 });
  expect(titles(all)).toEqual(["critical one", "first normal", "second normal", "low one"]);
  expect(all.tasks[0]).not.toHaveProperty("description");
  expect(titles(await inLists("sort=priority,-created_at"))).toEqual([
    "low one",
    "second normal",
    "first normal",
    "critical one",
  ]);
  expect(titles(await inLists("status=NEW,STUCK"))).toEqual(["critical one", "second normal", "low one"]);
  expect(titles(await inLists("status=DONE"))).toEqual(["first normal"]);
  expect(titles(await inLists("assignee=bob"))).toEqual(["second normal"]);
  expect(titles(await list(bob, "workspace_id=lists&assignee=me"))).toEqual(["second normal"]);
  expect(titles(await inLists("unassigned=true"))).toEqual(["critical one", "low one"]);
  expect(titles(await inLists("priority=low,critical"))).toEqual(["critical one", "low one"]);
  expect(titles(await inLists("has_unresolved_blockers=true"))).toEqual(["second normal"]);
  expect((await inLists("overdue=true")).total).toBe(0);
  expect(await inLists("limit=1&offset=1")).toMatchObject({ total: 4, tasks: [{ title: "first normal" }] });
  expect(await inLists("limit=1&offset=9")).toMatchObject({ total: 4, tasks: [] });
});

test.each(["limit=0", "limit=201", "limit=x", "offset=-1", "status=OLD", "sort=title", "unassigned=maybe"])(
  "a list with %s is refused",
  async (query) => {
    const reply = await ask(`GET /api/board/tasks?${query}`, { token: ann });
    expect(reply).toMatchObject({ status: 422, body: { code: "VALIDATION_ERROR" } });
  },
);

test("a workspace that the caller may not see is not found", async () => {
  await ask("POST /api/projects", { body: { id: "closed" } });
  const eve = await server.member({ id: "eve", roles: ["agent"], project_ids: ["main"] });
  const hidden = await make(ann, { workspace_id: "closed" });
  for (const what of [
    "GET /api/board/tasks?workspace_id=closed",
    "GET /api/board/stats?workspace_id=closed",
    "GET /api/board/workspaces/closed",
  ]) {
    expect(await ask(what, { token: eve })).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  }
  const body = { workspace_id: "closed", title: "Write it down", description: "All", comment: "so" };
  expect((await ask("POST /api/board/tasks", { token: eve, body })).status).toBe(404);
  expect((await ask("POST /api/board/claim-next", { token: eve, body })).status).toBe(404);
  expect(await act(eve, hidden.id, "claim")).toBe("TASK_NOT_FOUND");
});

test("an admin changes the deadlines; they apply from the next status change", async () => {
  await ask("POST /api/projects", { body: { id: "hasty" } });
  const { id, status_deadline_at } = await make(ann, { workspace_id: "hasty" });
  const change = { name: "Hasty", status_deadlines: { NEW: 0.5, IN_PROGRESS: 2.5 } };
  const asAgent = await ask("PATCH /api/board/workspaces/hasty", { token: ann, body: change });
  expect(asAgent).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  expect(await ask("PATCH /api/board/workspaces/hasty", { body: change })).toMatchObject({
    status: 200,
    body: {
      id: "hasty",
      name: "Hasty",
      status_deadlines: { NEW: 0.5, IN_PROGRESS: 2.5, BLOCKED: 2880 },
    },
  });
  expect((await server.getTask(ann, id)).task.status_deadline_at).toBe(status_deadline_at);
  await act(ann, id, "claim");
  const { task } = await server.getTask(ann, id);
  expect(Date.parse(String(task.status_deadline_at)) - Date.parse(String(task.updated_at))).toBe(150_000);
  for (const wrong of [{ NEW: 0 }, { NEW: -1 }, { STUCK: 5 }, { NEW: "soon" }]) {
    const body = { status_deadlines: wrong };
    expect((await ask("PATCH /api/board/workspaces/hasty", { body })).status).toBe(422);
  }
});

test("the board's routes find no task of another lifecycle", async () => {
  const body = { lifecycle: "code", title: "Not for the board" };
  const { id } = (await ask("POST /api/tasks", { token: ann, body })).body as { id: string };
  expect((await ask(`GET /api/board/tasks/${id}`, { token: ann })).body.code).toBe("TASK_NOT_FOUND");
  expect(await act(ann, id, "claim")).toBe("TASK_NOT_FOUND");
  const patch = { status: "DONE", comment: "so" };
  const set = await ask(`PATCH /api/board/tasks/${id}/status`, { token: ann, body: patch });
  expect(set.body.code).toBe("TASK_NOT_FOUND");
});

test("a stale version is refused, and a repeated key gets the first answer", async () => {
  const { id } = await make(cat);
  const claim = (more: object) =>
    ask(`POST /api/board/tasks/${id}/claim`, { token: ann, body: { comment: "mine", ...more } });
  expect((await claim({ expected_row_version: 9 })).body).toMatchObject({
    code: "VERSION_CONFLICT",
    row_version: 1,
  });
  const first = await claim({ client_event_id: "k", expected_row_version: 1 });
  const second = await claim({ client_event_id: "k", expected_row_version: 1 });
  expect(second.body).toEqual(first.body);
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect((await claim({ client_event_id: "k", comment: "other" })).body.code).toBe("IDEMPOTENCY_CONFLICT");
});
