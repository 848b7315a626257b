import { expect, test } from "vitest";
import { member } from "../../support/situation.ts";
import { startBoardServer } from "./board-server.ts";

const server = await startBoardServer();
const { ann, bob, cat, ask, act, make } = server;
const SECRET = "The surprise party";

test("every route hides a private task from all but its creator and assignee", async () => {
  const { id } = await make(cat, { title: SECRET, visibility: "private", assignee_id: "ann" });
  const requests = [
    `GET /api/board/tasks/${id}`,
    `GET /api/tasks/${id}`,
    `GET /api/tasks/${id}/events`,
    `GET /api/tasks/${id}/actions`,
  ];
  for (const request of requests) {
    expect((await ask(request, { token: cat })).status, request).toBe(200);
    expect((await ask(request, { token: ann })).status, request).toBe(200);
    expect(await ask(request, { token: bob }), request).toMatchObject({
      status: 404,
      body: { code: "TASK_NOT_FOUND" },
    });
    // Hidden from admins, too.
    expect((await ask(request, {})).status, request).toBe(404);
  }
  for (const action of ["claim", "cancel", "comment", "nonsense"])
    expect(await act(bob, id, action)).toBe("TASK_NOT_FOUND");
  const body = { status: "CANCELLED", comment: "no longer needed" };
  expect((await ask(`PATCH /api/board/tasks/${id}/status`, { token: bob, body })).status).toBe(404);
});

test("lists and totals include a private task only for its creator and assignee", async () => {
  const total = async (token: string, path: string) => (await ask(path, { token })).body.total as number;
  const before = {
    bob: await total(bob, "GET /api/board/tasks"),
    cat: await total(cat, "GET /api/board/tasks"),
  };
  await make(cat, { title: SECRET, visibility: "private" });
  expect(await total(bob, "GET /api/board/tasks")).toBe(before.bob);
  expect(await total(cat, "GET /api/board/tasks")).toBe(before.cat + 1);
  const generic = await ask("GET /api/tasks?lifecycle=board&limit=200", { token: bob });
  expect(generic.text).not.toContain(SECRET);
  expect((await ask("GET /api/board/tasks?visibility=private", { token: bob })).body.total).toBe(0);
});

test("a private task cannot be claimed, and claim-next skips it", async () => {
  await ask("POST /api/projects", { body: { id: "quiet" } });
  const { id } = await make(cat, { title: SECRET, visibility: "private", workspace_id: "quiet" });
  const next = { workspace_id: "quiet", comment: "anything" };
  for (const token of [bob, cat])
    expect((await ask("POST /api/board/claim-next", { token, body: next })).body.tasks).toEqual([]);
  expect(await act(cat, id, "claim")).toBe("NOT_PUBLIC");
});

test("a refusal names a private blocker by its id only", async () => {
  const blocker = await make(cat, { title: SECRET, visibility: "private" });
  const { id } = await make(cat, { blocked_by: [blocker.id] });
  const reply = await ask(`POST /api/board/tasks/${id}/claim`, { token: bob, body: { comment: "me" } });
  expect(reply.body).toMatchObject({
    code: "UNRESOLVED_BLOCKERS",
    blockers: [{ id: blocker.id, status: "private" }],
  });
  expect(reply.text).not.toContain(SECRET);
  await act(cat, blocker.id, "cancel");
  const again = await ask(`POST /api/board/tasks/${id}/claim`, { token: bob, body: { comment: "me" } });
  expect(again.text).not.toContain("CANCELLED");
  expect(again.text).not.toContain("never");
  const forCreator = await ask(`GET /api/tasks/${id}/actions`, { token: cat });
  expect(forCreator.text).toContain("CANCELLED");
});

test("a blocker that the caller cannot see is refused like one that does not exist", async () => {
  const secret = await make(cat, { visibility: "private" });
  const createBlockedBy = (id: string) =>
    ask("POST /api/board/tasks", {
      token: bob,
      body: { title: "Write the minutes", description: "All decisions", blocked_by: [id] },
    });
  const [hidden, missing] = [
    await createBlockedBy(secret.id),
    await createBlockedBy("00000000-0000-7000-8000-000000000000"),
  ];
  expect(hidden.status).toBe(422);
  const withoutIds = (text: string, id: string) =>
    text.replaceAll(id, "ID").replaceAll(/urn:pawl:request:[\w-]+/g, "");
  expect(withoutIds(hidden.text, secret.id)).toBe(
    withoutIds(missing.text, "00000000-0000-7000-8000-000000000000"),
  );
});

test("statistics count a private task only for its creator and assignee", async () => {
  await ask("POST /api/projects", { body: { id: "counted" } });
  const { id } = await make(cat, { visibility: "private", assignee_id: "ann", workspace_id: "counted" });
  await act(ann, id, "start");
  const stats = async (token: string) =>
    (await ask("GET /api/board/stats?workspace_id=counted&period=all", { token })).body as {
      agents: unknown[];
      workspace: { total_tasks_created: number };
    };
  expect(await stats(ann)).toMatchObject({
    agents: [{ agent_id: "ann", tasks_in_progress: 1 }],
    workspace: { total_tasks_created: 1 },
  });
  expect(await stats(bob)).toMatchObject({ agents: [], workspace: { total_tasks_created: 0 } });
});

test("the feed shows a private task only to its creator and assignee", async () => {
  const { id } = await make(cat, { visibility: "private", assignee_id: "ann" });
  const sees = async (who: string) => {
    const feed = await server.testEngine.engine.feed(server.testEngine.by(member(who, ["agent"])), {
      limit: 200,
    });
    return feed.some(({ task_id }) => task_id === id);
  };
  expect([await sees("cat"), await sees("ann"), await sees("bob")]).toEqual([true, true, false]);
});
