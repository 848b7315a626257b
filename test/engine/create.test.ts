import { expect, test } from "vitest";
import { member } from "../support/situation.ts";
import { ann, bob, cat, openTestEngine } from "./test-engine.ts";

const env = await openTestEngine();
const boardTask = { lifecycle: "board", title: "Write it", description: "all of it" };
const create = (tasks: object[], more = {}) => env.engine.create(env.by(cat), tasks as never, more);
const count = async () => (await env.sql<{ n: number }[]>`select count(*)::int as n from pawl.task`)[0]!.n;

test("a task is created with the first row of its journal", async () => {
  const task = await env.make(cat, "board", { title: "Write it", description: "all", priority: "high" });
  expect(task).toMatchObject({
    status: "NEW",
    row_version: 1,
    priority: 1,
    created_by: "cat",
    project_id: "main",
  });
  const [event] = await env.sql`select * from pawl.event where task_id = ${task.id}`;
  expect(event).toMatchObject({
    row_version: "1",
    type: "created",
    actor_id: "cat",
    to_status: "NEW",
    from_status: null,
  });
});

test("several tasks are created in one request, with references between them", async () => {
  const created = await create([
    { lifecycle: "code", title: "a", ref: "a" },
    { lifecycle: "code", title: "b", ref: "b", blocked_by: ["a"] },
    { lifecycle: "code", title: "c", blocked_by: ["a", "b"] },
  ]);
  expect(created).toMatchObject({
    kind: "created",
    tasks: [
      { title: "a", status: "ready", open_blockers: 0 },
      { title: "b", status: "blocked", open_blockers: 1 },
      { title: "c", status: "blocked", open_blockers: 2 },
    ],
  });
});

test("an empty list is refused at once", async () => {
  const expected = { code: "VALIDATION_ERROR", detail: "tasks: must have at least one task." };
  expect(await create([])).toMatchObject(expected);
});

test.each([
  [
    "a cycle of three",
    [
      ["a", "c"],
      ["b", "a"],
      ["c", "b"],
    ],
    /a → c → b → a|b → a → c → b|c → b → a → c/,
  ],
  ["a task that waits for itself", [["a", "a"]], /a → a/],
])("%s is refused with its path, and nothing is created", async (_, edges, path) => {
  const before = await count();
  const created = await create(edges.map(([ref, blocker]) => ({ ...boardTask, ref, blocked_by: [blocker] })));
  expect(created).toMatchObject({
    kind: "refused",
    code: "CYCLIC_DEPENDENCY",
    detail: expect.stringMatching(path) as string,
  });
  expect(await count()).toBe(before);
});

test("a chain of ten thousand references is accepted without a stack overflow", async () => {
  const tasks = Array.from({ length: 10_000 }, (_, n) => ({
    lifecycle: "code",
    title: `t${n}`,
    ref: `r${n}`,
    blocked_by: n === 0 ? [] : [`r${n - 1}`],
  }));
  const created = await create(tasks);
  expect(created.kind === "created" && created.tasks.length).toBe(10_000);
});

test("one invalid task refuses the whole request", async () => {
  const before = await count();
  expect(await create([boardTask, { ...boardTask, title: "no" }])).toMatchObject({
    code: "VALIDATION_ERROR",
  });
  expect(await create([boardTask, { ...boardTask, blocked_by: [crypto.randomUUID()] }])).toMatchObject({
    code: "VALIDATION_ERROR",
  });
  expect(
    await create([
      { ...boardTask, ref: "x" },
      { ...boardTask, ref: "x" },
    ]),
  ).toMatchObject({ code: "VALIDATION_ERROR" });
  expect(await create([boardTask, { ...boardTask, project_id: "nowhere" }])).toMatchObject({
    code: "NOT_FOUND",
  });
  expect(await create([{ ...boardTask, lifecycle: "bored" }])).toMatchObject({ code: "UNKNOWN_LIFECYCLE" });
  expect(await count()).toBe(before);
});

test("a task in another project, or private to another member, is refused as a blocker", async () => {
  await env.sql`insert into pawl.project (org_id, id, name) values ('main', 'other', 'Other')`;
  const elsewhere = await env.make(cat, "board", { ...boardTask, project_id: "other" });
  const secret = await env.make(ann, "board", { ...boardTask, visibility: "private" });
  for (const blocker of [elsewhere, secret]) {
    expect(await create([{ ...boardTask, blocked_by: [blocker.id] }])).toMatchObject({
      code: "VALIDATION_ERROR",
    });
  }
  const byRef = await create([
    { ...boardTask, project_id: "other", ref: "first" },
    { ...boardTask, blocked_by: ["first"] },
  ]);
  expect(byRef).toMatchObject({
    code: "VALIDATION_ERROR",
    params: { errors: [{ path: "blocked_by", message: "there is no task first in project main" }] },
  });
});

test("a member can create only in the member's own projects, and a viewer nowhere", async () => {
  const guest = member("guest", ["agent"], { project_ids: ["other"] });
  expect(await env.engine.create(env.by(guest), [boardTask])).toMatchObject({ code: "NOT_FOUND" });
  const viewer = member("viewer", ["viewer"]);
  expect(await env.engine.create(env.by(viewer), [boardTask])).toMatchObject({ code: "FORBIDDEN" });
});

test("the same dedupe key returns the first task, in one batch, in two, and on two nodes", async () => {
  const job = { lifecycle: "delivery", user_id: "u", file_id: "f", chat_id: "c", request_nonce: "n" };
  const other = env.node();
  const created = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? other : env.engine).create(env.by(bob), [job])),
  );
  const ids = created.map((one) => (one.kind === "created" ? one.tasks[0]?.id : one.code));
  expect(new Set(ids).size).toBe(1);
  expect(created.filter((one) => one.kind === "created" && !one.existing[0])).toHaveLength(1);
});

test("a dedupe hit on a task that the caller cannot see is refused; on a visible one it replaces the reference", async () => {
  const job = { lifecycle: "delivery", user_id: "v", file_id: "f", chat_id: "c", request_nonce: "n" };
  const first = await env.make(bob, "delivery", { ...job, project_id: "other" });
  const guest = member("guest", ["agent"], { project_ids: ["main"] });
  expect(await env.engine.create(env.by(guest), [job])).toEqual({
    kind: "refused",
    code: "IDEMPOTENCY_CONFLICT",
    detail: "This has been created before.",
    params: {},
  });
  const waiting = { lifecycle: "code", title: "after it", blocked_by: ["it"], project_id: "other" };
  const created = await env.engine.create(env.by(bob), [{ ...job, ref: "it", project_id: "other" }, waiting]);
  if (created.kind === "refused") throw new Error(created.detail);
  const [edge] =
    await env.sql`select blocker_id from pawl.dependency where task_id = ${created.tasks[1]!.id}`;
  expect(edge).toEqual({ blocker_id: first.id });
});

test("a delayed task cannot be claimed before its time", async () => {
  const later = Date.now() + 3_600_000;
  const job = {
    lifecycle: "delivery",
    user_id: "u2",
    file_id: "f2",
    chat_id: "c",
    request_nonce: "n",
    available_at: later,
  };
  const task = await env.make(bob, "delivery", job);
  expect(task.available_at).toBe(later);
  expect(await env.act(ann, task, "claim")).toBe("NOT_YET_AVAILABLE");
});

test.each([NaN, Infinity, 1e300, "soon", -1, 1.5, Date.UTC(12_000, 0)])(
  "available_at %s is refused without an internal error",
  async (available_at) => {
    expect(await create([{ ...boardTask, available_at }])).toMatchObject({ code: "VALIDATION_ERROR" });
  },
);

test("NUL and lone surrogates in any text are refused without an internal error", async () => {
  for (const bad of ["a\0b title", "half \ud83d of a pair"]) {
    expect(await create([{ ...boardTask, title: bad }])).toMatchObject({ code: "VALIDATION_ERROR" });
  }
});
