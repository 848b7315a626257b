import { expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { EVENT_ROUTES, TASK_ROUTES } from "../../src/api/index.ts";
import { board } from "../../src/lifecycles/board/lifecycle.ts";
import { openFrontDesk } from "../http/front-desk.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", roles: ["agent", "worker"] });
const client = createClient({ url: `${desk.url}/`, token: ann });
const admin = createClient({ url: desk.url, token: desk.admin });
const tasks = client.lifecycle(board);

test("what is open to all needs no token, and texts come as they are", async () => {
  const nobody = createClient({ url: desk.url });
  expect(await nobody.getLive()).toEqual({ status: "live" });
  expect(await nobody.getDocs()).toContain("<!doctype html>");
  expect(await client.drawLifecycle({ name: "board" })).toContain("stateDiagram-v2");
  await expect(nobody.getMe()).rejects.toMatchObject({ code: "INVALID_TOKEN", status: 401 });
});

test("who has no body gets undefined, and what is revoked is revoked", async () => {
  const { id, token } = await admin.createToken({ id: "ann" });
  const other = createClient({ url: desk.url, token });
  expect((await other.getMe()).id).toBe("ann");
  await expect(admin.revokeToken({ id })).resolves.toBeUndefined();
  await expect(other.getMe()).rejects.toMatchObject({ code: "INVALID_TOKEN" });
});

test("a task goes its way by the verbs of its lifecycle", async () => {
  const made = await tasks.create({ title: "Paint the shed", description: "Red", priority: "high" });
  expect(made).toMatchObject({
    lifecycle: "board",
    status: "NEW",
    priority: 1,
    data: { description: "Red" },
  });
  const explained = await tasks.explain(made.id);
  expect(explained.find(({ action }) => action === "claim")).toMatchObject({ allowed: true, refusals: [] });
  const { tasks: claimed } = await tasks.claim({ comment: "mine" });
  expect(claimed).toMatchObject([{ id: made.id, status: "IN_PROGRESS", lease_token: null }]);
  const { task, outcome } = await tasks.act(made.id, "complete", {
    comment: "red it is",
    expected_row_version: 2,
  });
  expect([task.status, outcome]).toEqual(["DONE", "moved"]);
  expect((await tasks.journal(made.id, { after: 1 })).map(({ to_status }) => to_status)).toEqual([
    "IN_PROGRESS",
    "DONE",
  ]);
  expect((await tasks.list({ status: ["DONE", "CANCELLED"] })).tasks.map(({ id }) => id)).toEqual([made.id]);
  expect(await tasks.get(made.id)).toEqual(task);
});

test("pages follow each other until there is none", async () => {
  for (const name of ["one", "two", "three", "four", "five"])
    await tasks.create({ title: `Page ${name}`, description: "x" });
  const titles: string[] = [];
  for await (const { title } of tasks.each({ q: "Page", limit: 2 })) titles.push(title);
  expect(titles).toEqual(["Page one", "Page two", "Page three", "Page four", "Page five"]);
});

test("a table that is not the shared one is called the same way", async () => {
  const { id } = await tasks.create({ title: "By another table", description: "x" });
  const own = client.calls({ ...TASK_ROUTES, ...EVENT_ROUTES });
  expect(await own.getTask({ id })).toMatchObject({ id, title: "By another table" });
  expect((await own.moveTask({ id, action: "claim", comment: "mine" })).task.status).toBe("IN_PROGRESS");
  for await (const event of own.streamEvents({ after: 0, task_id: id })) {
    expect(event).toMatchObject({ task_id: id, type: "created" });
    break;
  }
});

test("no moves at all are no request", async () => {
  expect(await createClient({ url: "http://127.0.0.1:9" }).lifecycle("board").actAll([])).toEqual([]);
});
