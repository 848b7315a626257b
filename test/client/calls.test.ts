import { expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { EVENT_ROUTES, TASK_ROUTES } from "../../src/api/index.ts";
import { board } from "../../src/lifecycles/board/lifecycle.ts";
import { startTestServer } from "../http/test-server.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent", "worker"] });
const client = createClient({ url: `${server.url}/`, token: ann });
const admin = createClient({ url: server.url, token: server.admin });
const tasks = client.lifecycle(board);

test("public routes need no token, and text responses are returned as text", async () => {
  const anonymous = createClient({ url: server.url });
  expect(await anonymous.getLive()).toEqual({ status: "live" });
  expect(await anonymous.getDocs()).toContain("<!doctype html>");
  expect(await client.drawLifecycle({ name: "board" })).toContain("stateDiagram-v2");
  await expect(anonymous.getMe()).rejects.toMatchObject({ code: "INVALID_TOKEN", status: 401 });
});

test("a response without a body is undefined, and a revoked token is refused", async () => {
  const { id, token } = await admin.createToken({ id: "ann" });
  const other = createClient({ url: server.url, token });
  expect((await other.getMe()).id).toBe("ann");
  await expect(admin.revokeToken({ id })).resolves.toBeUndefined();
  await expect(other.getMe()).rejects.toMatchObject({ code: "INVALID_TOKEN" });
});

test("the lifecycle client creates, explains, claims, completes and lists a task", async () => {
  const created = await tasks.create({ title: "Paint the shed", description: "Red", priority: "high" });
  expect(created).toMatchObject({
    lifecycle: "board",
    status: "NEW",
    priority: 1,
    data: { description: "Red" },
  });
  const explained = await tasks.explain(created.id);
  expect(explained.find(({ action }) => action === "claim")).toMatchObject({ allowed: true, refusals: [] });
  const { tasks: claimed } = await tasks.claim({ comment: "mine" });
  expect(claimed).toMatchObject([{ id: created.id, status: "IN_PROGRESS", lease_token: null }]);
  const { task, outcome } = await tasks.act(created.id, "complete", {
    comment: "red it is",
    expected_row_version: 2,
  });
  expect([task.status, outcome]).toEqual(["DONE", "moved"]);
  expect((await tasks.journal(created.id, { after: 1 })).map(({ to_status }) => to_status)).toEqual([
    "IN_PROGRESS",
    "DONE",
  ]);
  expect((await tasks.list({ status: ["DONE", "CANCELLED"] })).tasks.map(({ id }) => id)).toEqual([
    created.id,
  ]);
  expect(await tasks.get(created.id)).toEqual(task);
});

test("`each` iterates over all pages", async () => {
  for (const name of ["one", "two", "three", "four", "five"])
    await tasks.create({ title: `Page ${name}`, description: "x" });
  const titles: string[] = [];
  for await (const { title } of tasks.each({ q: "Page", limit: 2 })) titles.push(title);
  expect(titles).toEqual(["Page one", "Page two", "Page three", "Page four", "Page five"]);
});

test("`calls` serves another table of routes in the same way", async () => {
  const { id } = await tasks.create({ title: "By another table", description: "x" });
  const own = client.calls({ ...TASK_ROUTES, ...EVENT_ROUTES });
  expect(await own.getTask({ id })).toMatchObject({ id, title: "By another table" });
  expect((await own.moveTask({ id, action: "claim", comment: "mine" })).task.status).toBe("IN_PROGRESS");
  for await (const event of own.streamEvents({ after: 0, task_id: id })) {
    expect(event).toMatchObject({ task_id: id, type: "created" });
    break;
  }
});

test("`actAll` of no moves sends no request", async () => {
  expect(await createClient({ url: "http://127.0.0.1:9" }).lifecycle("board").actAll([])).toEqual([]);
});
