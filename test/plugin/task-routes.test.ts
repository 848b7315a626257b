import { afterAll, expect, expectTypeOf, inject, test } from "vitest";
import { z } from "zod";
import { defineRoutes } from "../../src/api/index.ts";
import { defineLifecycle } from "../../src/core/index.ts";
import { board } from "../../src/lifecycles/board/index.ts";
import { startTestServer } from "../../src/main/testing.ts";
import { answer, definePlugin, serve, serveTaskRoutes, taskRoutes } from "../../src/plugin/index.ts";
import { sendRaw, rawOutcomeOf } from "../http/raw-socket.ts";
import { testDatabases } from "../support/postgres.ts";

const repair = defineLifecycle({
  name: "bike-repair",
  version: 1,
  summary: "Repairs of a bicycle workshop",
  data: z.object({ bike: z.string() }),
  statuses: { waiting: {}, "on-the-stand": { lease: true }, ready: { final: true, success: true } },
  lease: { lasts: { minutes: 10 } },
  actions: { take: {}, finish: { input: z.object({ price: z.number().min(0) }) }, praise: {} },
  permissions: { "task.create": ["clerk"], "task.take": ["mechanic"], "till.open": ["clerk"] },
  creation: {
    input: z.object({ bike: z.string().trim().min(1), blocked_by: z.array(z.string()).default([]) }),
    to: [{ status: "waiting" }],
    draft: ({ input }) => ({ title: input.bike, data: { bike: input.bike }, blocked_by: input.blocked_by }),
  },
  rules: [
    { action: "take", from: "waiting", to: "on-the-stand", who: "anyone", guards: ["blockers_done"] },
    { action: "finish", from: "on-the-stand", to: "ready", who: "lease_holder" },
    { action: "praise", from: ["waiting", "ready"], who: "anyone" },
  ],
  pool: { action: "take", from: "waiting" },
});

const repairs = taskRoutes({
  prefix: "/api/repairs",
  lifecycle: repair,
  task: z.object({ id: z.uuid(), bike: z.string(), state: z.enum(["waiting", "on-the-stand", "ready"]) }),
});
const TILL_ROUTES = defineRoutes({
  openTill: {
    method: "POST",
    path: "/api/repairs/till",
    group: "bike-repair",
    permission: "till.open",
    summary: "Open the till",
    body: z.object({ why: z.string() }),
    replies: { 200: z.object({ opened: z.boolean() }) },
  },
});
const plugin = definePlugin({
  lifecycle: repair,
  routes: (host) => [
    serveTaskRoutes(repairs, host, {
      present: (tasks) => tasks.map(({ id, data, status }) => ({ id, bike: data.bike, state: status })),
    }),
    serve(TILL_ROUTES, { openTill: () => answer(200, { opened: true }) }),
  ],
});

const databases = testDatabases(inject("postgresUrl"));
const database = await databases.createDatabase();
const server = await startTestServer({ url: database.url, plugins: [plugin, board] });
const clerk = await server.member({ id: "carla", roles: ["clerk"] });
const mechanic = await server.member({ id: "mike", roles: ["mechanic"] });
const testServer = clerk.client.calls(repairs.table);
const stand = mechanic.client.calls(repairs.table);
afterAll(async () => {
  await server.stop();
  await database.drop();
  await databases.close();
});

test("the rows have names, paths and permissions derived from the lifecycle", () => {
  const rows = Object.entries(repairs.table).map(([name, { method, path, ...row }]) => [
    name,
    `${method} ${path}`,
    "permission" in row ? row.permission : null,
  ]);
  expect(rows).toEqual([
    ["listBikeRepairTasks", "GET /api/repairs/tasks", null],
    ["createBikeRepairTask", "POST /api/repairs/tasks", "task.create"],
    ["createBikeRepairTasks", "POST /api/repairs/tasks/batch", "task.create"],
    ["getBikeRepairTask", "GET /api/repairs/tasks/{id}", null],
    ["moveBikeRepairTask", "POST /api/repairs/tasks/{id}/transitions", { named_in: "body" }],
    ["claimBikeRepairTasks", "POST /api/repairs/claims", "task.take"],
  ]);
  expectTypeOf(testServer.moveBikeRepairTask)
    .parameter(0)
    .toMatchObjectType<{ action: "take" | "finish" | "praise" }>();
  expectTypeOf(testServer.createBikeRepairTask).parameter(0).toMatchObjectType<{ bike: string }>();
});

test("a task is created, found, listed, claimed and moved, in the plugin's shape", async () => {
  const created = await testServer.createBikeRepairTask({ bike: " Tandem " });
  expect(created).toEqual({ id: expect.any(String) as string, bike: "Tandem", state: "waiting" });
  expect(await testServer.getBikeRepairTask({ id: created.id })).toEqual(created);
  expect(await testServer.listBikeRepairTasks({ status: ["waiting"], q: "tand" })).toEqual({
    tasks: [created],
    cursor: null,
  });
  expect(await testServer.listBikeRepairTasks({ status: ["ready"] })).toMatchObject({ tasks: [] });

  const { tasks } = await stand.claimBikeRepairTasks({});
  expect(tasks).toEqual([{ ...created, state: "on-the-stand", lease_token: expect.any(String) as string }]);
  const [{ lease_token } = { lease_token: null }] = tasks;
  const finish = { id: created.id, action: "finish", payload: { price: 20 }, lease_token } as const;
  const key = { ...finish, client_event_id: "finished" };
  const finished = await stand.moveBikeRepairTask(key);
  expect(finished).toMatchObject({ task: { ...created, state: "ready" }, event: { to_status: "ready" } });
  expect(await stand.moveBikeRepairTask(key)).toEqual(finished);
  expect(await stand.claimBikeRepairTasks({})).toEqual({ tasks: [] });
});

test("a batch is created completely or not at all, and its refs work", async () => {
  const project_id = "yard";
  await server.client.createProject({ id: project_id });
  const { tasks } = await testServer.createBikeRepairTasks({
    project_id,
    tasks: [
      { bike: "Frame", ref: "frame" },
      { bike: "Wheel", blocked_by: ["frame"] },
    ],
  });
  expect(tasks.map(({ bike }) => bike)).toEqual(["Frame", "Wheel"]);
  await expect(
    testServer.createBikeRepairTasks({
      project_id,
      tasks: [{ bike: "Bell" }, { bike: "x", blocked_by: ["nobody"] }],
    }),
  ).rejects.toMatchObject({ status: 422 });
  const { tasks: there } = await testServer.listBikeRepairTasks({ project_id });
  expect(there.map(({ bike }) => bike)).toEqual(["Frame", "Wheel"]);
  const { tasks: taken } = await stand.claimBikeRepairTasks({ project_id, limit: 5 });
  expect(taken.map(({ bike }) => bike)).toEqual(["Frame"]);
});

test("the rules refuse, and tasks of other lifecycles are not found", async () => {
  const { id } = await testServer.createBikeRepairTask({ bike: "Tricycle" });
  await expect(stand.createBikeRepairTask({ bike: "Mine" })).rejects.toMatchObject({
    code: "FORBIDDEN",
    params: { permission: "task.create" },
  });
  await expect(testServer.claimBikeRepairTasks({})).rejects.toMatchObject({
    code: "FORBIDDEN",
    params: { permission: "task.take" },
  });
  await expect(testServer.createBikeRepairTask({ bike: "" })).rejects.toMatchObject({
    code: "VALIDATION_ERROR",
  });
  await expect(testServer.claimBikeRepairTasks({ project_id: "moon" })).rejects.toMatchObject({
    status: 403,
  });
  await expect(stand.claimBikeRepairTasks({ project_id: "moon" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  const move = { id, action: "finish", payload: { price: 1 }, lease_token: id } as const;
  await expect(stand.moveBikeRepairTask(move)).rejects.toMatchObject({ code: "LEASE_LOST" });
  await expect(
    stand.moveBikeRepairTask({ id, action: "praise", expected_row_version: 7 }),
  ).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
  // The role is checked before the body and before the task.
  const nowhere = "0197a000-0000-7000-8000-000000000001";
  await expect(
    testServer.moveBikeRepairTask({ id: nowhere, action: "take", comment: 7 as never }),
  ).rejects.toMatchObject({ code: "FORBIDDEN", params: { permission: "task.take" } });
  const other = await clerk.client.lifecycle("board").create({ title: "Sweep up", description: "all" });
  for (const missing of [nowhere, other.id, "x"]) {
    await expect(testServer.getBikeRepairTask({ id: missing })).rejects.toMatchObject({
      code: "TASK_NOT_FOUND",
    });
    await expect(testServer.moveBikeRepairTask({ id: missing, action: "praise" })).rejects.toMatchObject({
      code: "TASK_NOT_FOUND",
    });
  }
});

test("the permission of a plugin's own route is checked before the body", async () => {
  const head = (token: string) =>
    `POST /api/repairs/till HTTP/1.1\r\nHost: pawl\r\nAuthorization: Bearer ${token}\r\nContent-Length: 9\r\nConnection: close\r\n\r\n`;
  expect(rawOutcomeOf(await sendRaw(server.url, head(mechanic.token)))).toBe("403 FORBIDDEN");
  const till = clerk.client.calls(TILL_ROUTES);
  expect(await till.openTill({ why: "change" })).toEqual({ opened: true });
});

test("mistakes are reported when the routes are described or served", async () => {
  const poolless = defineLifecycle({
    name: "note",
    version: 1,
    summary: "",
    statuses: { open: {}, kept: { final: true } },
    actions: { keep: {} },
    creation: { input: z.object({}), to: [{ status: "open" }], draft: () => ({ title: "", data: {} }) },
    rules: [{ action: "keep", from: "open", to: "kept", who: "anyone" }],
  });
  expect(() => taskRoutes({ prefix: "/api/notes", lifecycle: poolless })).toThrow(
    'note has no pool. Remove the route "claim".',
  );
  const reshaped = taskRoutes({
    prefix: "/api/notes",
    lifecycle: poolless,
    routes: { get: { replies: { 200: z.string() } } },
  });
  expect(() => serveTaskRoutes(reshaped, {} as never, {})).toThrow(
    "getNoteTask has an answer of its own shape",
  );
  const misspelt = definePlugin({
    lifecycle: poolless,
    routes: () => [
      serve(defineRoutes({ openTill: { ...TILL_ROUTES.openTill, permission: "task.crate" } }), {
        openTill: () => answer(200, { opened: true }),
      }),
    ],
  });
  await expect(startTestServer({ url: database.url, plugins: [misspelt] })).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message:
      'Plugin "note": its routes cannot be served: POST /api/repairs/till: there is no permission "task.crate"; did you mean "task.create"?',
  });
});
