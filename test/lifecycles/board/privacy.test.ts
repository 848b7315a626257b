import { expect, test } from "vitest";
import { member } from "../../support/situation.ts";
import { openBoardRoom } from "./board-room.ts";

const room = await openBoardRoom();
const { ann, bob, cat, ask, act, make } = room;
const SECRET = "The surprise party";

test("a private task is there for its creator and its assignee, and for nobody else, by any door", async () => {
  const { id } = await make(cat, { title: SECRET, visibility: "private", assignee_id: "ann" });
  const ways = [
    `GET /api/board/tasks/${id}`,
    `GET /api/tasks/${id}`,
    `GET /api/tasks/${id}/events`,
    `GET /api/tasks/${id}/actions`,
  ];
  for (const way of ways) {
    expect((await ask(way, { token: cat })).status, way).toBe(200);
    expect((await ask(way, { token: ann })).status, way).toBe(200);
    expect(await ask(way, { token: bob }), way).toMatchObject({
      status: 404,
      body: { code: "TASK_NOT_FOUND" },
    });
    // Not even an admin's: he has no part in it.
    expect((await ask(way, {})).status, way).toBe(404);
  }
  for (const action of ["claim", "cancel", "comment", "nonsense"])
    expect(await act(bob, id, action)).toBe("TASK_NOT_FOUND");
  const body = { status: "CANCELLED", comment: "so" };
  expect((await ask(`PATCH /api/board/tasks/${id}/status`, { token: bob, body })).status).toBe(404);
});

test("lists and totals count it for those two alone", async () => {
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

test("it is claimed by nobody, and claim-next passes it by", async () => {
  await ask("POST /api/projects", { body: { id: "quiet" } });
  const { id } = await make(cat, { title: SECRET, visibility: "private", workspace_id: "quiet" });
  const next = { workspace_id: "quiet", comment: "anything" };
  for (const token of [bob, cat])
    expect((await ask("POST /api/board/claim-next", { token, body: next })).body.tasks).toEqual([]);
  expect(await act(cat, id, "claim")).toBe("NOT_PUBLIC");
});

test("a refusal does not tell of a private blocker more than that it is there", async () => {
  const blocker = await make(cat, { title: SECRET, visibility: "private" });
  const { id } = await make(cat, { blocked_by: [blocker.id] });
  const heard = await ask(`POST /api/board/tasks/${id}/claim`, { token: bob, body: { comment: "me" } });
  expect(heard.body).toMatchObject({
    code: "UNRESOLVED_BLOCKERS",
    blockers: [{ id: blocker.id, status: "private" }],
  });
  expect(heard.text).not.toContain(SECRET);
  await act(cat, blocker.id, "cancel");
  const again = await ask(`POST /api/board/tasks/${id}/claim`, { token: bob, body: { comment: "me" } });
  expect(again.text).not.toContain("CANCELLED");
  expect(again.text).not.toContain("never");
  const hers = await ask(`GET /api/tasks/${id}/actions`, { token: cat });
  expect(hers.text).toContain("CANCELLED");
});

test("a blocker that one cannot see is one that does not exist", async () => {
  const secret = await make(cat, { visibility: "private" });
  const waitFor = (id: string) =>
    ask("POST /api/board/tasks", {
      token: bob,
      body: { title: "Write it down", description: "All", blocked_by: [id] },
    });
  const [hidden, missing] = [await waitFor(secret.id), await waitFor("00000000-0000-7000-8000-000000000000")];
  expect(hidden.status).toBe(422);
  const plain = (text: string, id: string) =>
    text.replaceAll(id, "ID").replaceAll(/urn:pawl:request:[\w-]+/g, "");
  expect(plain(hidden.text, secret.id)).toBe(plain(missing.text, "00000000-0000-7000-8000-000000000000"));
});

test("statistics count it for those two alone", async () => {
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

test("the feed tells of it to those two alone", async () => {
  const { id } = await make(cat, { visibility: "private", assignee_id: "ann" });
  const sees = async (who: string) => {
    const feed = await room.desk.engine.feed(room.desk.by(member(who, ["agent"])), { limit: 200 });
    return feed.some(({ task_id }) => task_id === id);
  };
  expect([await sees("cat"), await sees("ann"), await sees("bob")]).toEqual([true, true, false]);
});
