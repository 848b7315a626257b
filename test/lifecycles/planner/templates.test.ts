import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import type { PlannerDeliverable, PlannerTask } from "../../../src/lifecycles/planner/api.ts";
import { bodyOf } from "../../http/test-server.ts";
import { startPlannerServer } from "./planner-server.ts";

const server = await startPlannerServer();
const { send, get, act, free } = server;

type Instance = { deliverable: PlannerDeliverable; tasks: (PlannerTask & { ref: string })[] };
const FRAME = [
  { ref: "paint", title: "Paint", depends_on: ["weld"], required_trade: "painter", priority: 3 },
  { ref: "weld", title: "Weld", depends_on: ["cut", "cut"], required_trade: "welder" },
  { ref: "cut", title: "Cut", description: "By the drawing", estimate_minutes: 45 },
];
const create = (name: string, tasks: readonly JsonObject[] = FRAME, more: JsonObject = {}) =>
  send("lea", "POST /templates", { name, type: "frame", tasks, ...more });
const instantiate = (id: unknown, serial: string, more: JsonObject = {}) =>
  send("lea", `POST /templates/${String(id)}/instances`, { serial, ...more });

test("an instance is a deliverable with the template's tasks and dependencies", async () => {
  const { id } = bodyOf<{ id: string }>(201, await create("Frame"));
  const { deliverable, tasks } = bodyOf<Instance>(201, await instantiate(id, "F-1"));
  expect(deliverable).toMatchObject({ type: "frame", serial: "F-1", status: "open" });
  const byRef = Object.fromEntries(tasks.map((task) => [task.ref, task]));
  expect(byRef.cut).toMatchObject({
    status: "available",
    description: "By the drawing",
    depends_on: [],
    estimate_minutes: 45,
  });
  expect(byRef.weld).toMatchObject({
    status: "blocked",
    depends_on: [byRef.cut!.id],
    required_trade: "welder",
  });
  expect(byRef.paint).toMatchObject({ status: "blocked", depends_on: [byRef.weld!.id], priority: 3 });
  for (const task of tasks) expect(task.deliverable_id).toBe(deliverable.id);
  await free("bob");
  const cut = byRef.cut!.id;
  await act("bob", cut, "self_assign");
  await act("bob", cut, "start");
  await act("bob", cut, "submit");
  expect(await act("lea", cut, "review_approve")).toBe("done");
  expect((await get(byRef.weld!.id)).status).toBe("available");
  expect((await get(byRef.paint!.id)).status).toBe("blocked");
});

test("a repeated request makes nothing new, and a serial is used once", async () => {
  const { id } = bodyOf<{ id: string }>(201, await create("Lid"));
  const key = { client_event_id: "lid F-2" };
  const replies = await Promise.all([1, 2, 3].map(() => instantiate(id, "F-2", key)));
  for (const { body } of replies) expect(body).toEqual(replies[0]!.body);
  const { deliverable } = bodyOf<Instance>(201, replies[0]!);
  const listed = await send("lea", `GET /tasks?deliverable_id=${deliverable.id}`);
  expect(listed.body.tasks).toHaveLength(3);
  expect((await instantiate(id, "F-2")).body).toMatchObject({ code: "ALREADY_EXISTS", serial: "F-2" });
  expect((await send("lea", `GET /tasks?deliverable_id=${deliverable.id}`)).body.tasks).toHaveLength(3);
});

test("a deleted template makes no more instances, and its deliverables stay", async () => {
  const { id } = bodyOf<{ id: string }>(201, await create("Door", FRAME, { type: "door" }));
  const { deliverable } = bodyOf<Instance>(201, await instantiate(id, "D-1"));
  expect((await create("Door")).body.code).toBe("ALREADY_EXISTS");
  expect((await send("lea", `DELETE /templates/${id}`)).status).toBe(200);
  expect((await instantiate(id, "D-2")).body.code).toBe("NOT_FOUND");
  expect((await send("lea", `GET /deliverables/${deliverable.id}`)).status).toBe(200);
  expect((await send("lea", `GET /templates/${id}`)).status).toBe(404);
});

test.each<[string, JsonObject[], string]>([
  [
    "a cycle",
    [
      { ref: "a", title: "A", depends_on: ["b"] },
      { ref: "b", title: "B", depends_on: ["a"] },
    ],
    "tasks.0.depends_on",
  ],
  ["a task that waits for itself", [{ ref: "a", title: "A", depends_on: ["a"] }], "tasks.0.depends_on"],
  ["an unknown ref", [{ ref: "a", title: "A", depends_on: ["z"] }], "tasks.0.depends_on"],
  [
    "two equal refs",
    [
      { ref: "a", title: "A" },
      { ref: "a", title: "B" },
    ],
    "tasks.1.ref",
  ],
  ["no title", [{ ref: "a", title: " " }], "tasks.0.title"],
  ["no tasks", [], "tasks"],
])("%s is refused with the path of the mistake", async (_, tasks, path) => {
  expect((await create("Wrong", tasks)).body).toMatchObject({
    code: "VALIDATION_ERROR",
    errors: expect.arrayContaining([expect.objectContaining({ path })]) as object,
  });
});
