import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle } from "../../../src/core/index.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { connect } from "../../../src/postgres/connect.ts";
import { ann, SYSTEM } from "../test-engine.ts";
import { BOARD_INPUT, enqueue, openInboxWorld } from "./inbox-world.ts";

/** A lifecycle whose draft fails on request, as a mistake in a plugin would. */
const fragile = defineLifecycle({
  name: "fragile",
  version: 1,
  summary: "",
  statuses: { open: {}, done: { final: true, success: true } },
  actions: { finish: {} },
  creation: {
    input: z.object({ title: z.string(), fails: z.boolean().default(false) }),
    to: [{ status: "open" }],
    draft: ({ input }) => {
      if (input.fails) throw new Error("this draft always fails");
      return { title: input.title, data: {} };
    },
  },
  rules: [{ action: "finish", from: "open", to: "done", who: "anyone" }],
});

const world = await openInboxWorld({ lifecycles: [...PLUGINS, fragile] });
const { sql, engine } = world;
const app = await world.createRole("app");
for (const member of ["ann", "vic"]) await world.bind(app, member);
const client = world.as(app);
const caller = { org_id: "main", actor: { ...ann, roles: ["agent"] } };

beforeEach(async () => {
  await sql`delete from pawl.inbox`;
});

function kept() {
  return sql<
    { id: string; key: string; attempts: number; failure: string | null; refusal: { code: string } | null }[]
  >`
    select i.id, i.key, i.attempts, i.failure, i.refusal from pawl.inbox i order by i.id`;
}

function tasksOf(key: string) {
  return sql<
    { id: string; title: string; created_by: string; project_id: string; available_at: number | null }[]
  >`
    select t.id, t.title, t.created_by, t.project_id, t.available_at from pawl.task t
    join pawl.event e on e.org_id = t.org_id and e.task_id = t.id
    where e.row_version = 1 and e.client_event_id = ${key}`;
}

test("a request becomes a task of its member, with its key in the journal, and is removed", async () => {
  const id = await enqueue(client, { key: "order-1" });
  expect(await world.admitAll()).toBe(1);
  expect(await kept()).toEqual([]);
  expect(await tasksOf("order-1")).toMatchObject([{ title: "Pack the order", created_by: "ann" }]);
  const unnamed = await enqueue(client);
  await world.admitAll();
  expect(await tasksOf(unnamed)).toHaveLength(1);
  expect(id).not.toBe(unnamed);
  expect((await engine.verify("main")).differences).toEqual([]);
});

test("project_id and available_at mean the same as over HTTP", async () => {
  await sql`insert into pawl.project (org_id, id, name) values ('main', 'web', 'web') on conflict do nothing`;
  const available_at = "2030-01-05T12:00:00+02:00";
  await enqueue(client, {
    key: "timed",
    input: { ...BOARD_INPUT, project_id: "web", available_at },
  });
  await world.admitAll();
  expect(await kept()).toEqual([]);
  expect(await tasksOf("timed")).toMatchObject([
    { project_id: "web", available_at: Date.parse(available_at) },
  ]);
});

describe("the same key", () => {
  test("creates one task for any number of equal requests in SQL", async () => {
    for (let n = 0; n < 5; n++) await enqueue(client, { key: "same" });
    expect(await world.admitAll()).toBe(5);
    expect(await tasksOf("same")).toHaveLength(1);
    expect(await kept()).toEqual([]);
  });

  test("creates one task if the create call comes first, or last", async () => {
    const task = [{ lifecycle: "board", ...BOARD_INPUT }];
    const first = await engine.create(caller, task, { client_event_id: "call first" });
    await enqueue(client, { key: "call first" });
    await world.admitAll();
    expect((await tasksOf("call first")).map(({ id }) => id)).toEqual([
      first.kind === "created" ? first.tasks[0]?.id : null,
    ]);
    await enqueue(client, { key: "sql first" });
    await world.admitAll();
    const last = await engine.create(caller, task, { client_event_id: "sql first" });
    expect(last).toMatchObject({
      kind: "created",
      replayed: true,
      tasks: [{ id: (await tasksOf("sql first"))[0]?.id }],
    });
    expect(await kept()).toEqual([]);
  });

  test("creates one task for requests and calls at the same time", async () => {
    const task = [{ lifecycle: "board", ...BOARD_INPUT }];
    const keys = Array.from({ length: 30 }, (_, n) => `at once ${n}`);
    for (const key of keys) await enqueue(client, { key });
    const calls = keys.map((client_event_id) => engine.create(caller, task, { client_event_id }));
    const [decided, ...answers] = await Promise.all([world.admitAll(), ...calls]);
    expect(decided).toBe(30);
    expect(answers).toMatchObject(keys.map(() => ({ kind: "created" })));
    for (const key of keys) expect(await tasksOf(key)).toHaveLength(1);
    expect(await kept()).toEqual([]);
  });

  test("with another meaning is refused, also in the same batch", async () => {
    await enqueue(client, { key: "reused" });
    await enqueue(client, { key: "reused", input: { ...BOARD_INPUT, title: "Another" } });
    await world.admitAll();
    expect(await kept()).toMatchObject([{ key: "reused", refusal: { code: "IDEMPOTENCY_CONFLICT" } }]);
    expect(await tasksOf("reused")).toMatchObject([{ title: "Pack the order" }]);
  });
});

describe("a refused request is kept with its refusal", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(150)}1${"}".repeat(150)}`) as object;
  test.each<[name: string, request: Parameters<typeof enqueue>[1], code: string]>([
    ["breaks the schema", { input: { title: 7 } }, "VALIDATION_ERROR"],
    ["lacks a permission", { member: "vic" }, "FORBIDDEN"],
    ["names an unknown lifecycle", { lifecycle: "nosuch" }, "UNKNOWN_LIFECYCLE"],
    ["names an unknown project", { input: { ...BOARD_INPUT, project_id: "nosuch" } }, "NOT_FOUND"],
    ["names a project that is no text", { input: { ...BOARD_INPUT, project_id: 7 } }, "VALIDATION_ERROR"],
    [
      "names an unknown blocker",
      { input: { ...BOARD_INPUT, blocked_by: [crypto.randomUUID()] } },
      "VALIDATION_ERROR",
    ],
    ["has an invalid time", { input: { ...BOARD_INPUT, available_at: "soon" } }, "VALIDATION_ERROR"],
    ["is nested too deep", { input: { ...BOARD_INPUT, deep } }, "VALIDATION_ERROR"],
    [
      "has the key __proto__",
      { input: JSON.parse('{"title":"x","a":{"__proto__":{"b":1}}}') as object },
      "VALIDATION_ERROR",
    ],
  ])("if it %s", async (_, request, code) => {
    const id = await enqueue(client, request);
    await enqueue(client, { key: `after ${id}` });
    await world.admitAll();
    expect(await kept()).toMatchObject([{ id, refusal: { code } }]);
    expect(await tasksOf(`after ${id}`)).toHaveLength(1);
    // A refused request is not tried again.
    expect(await engine.inbox.groups()).toEqual([]);
  });

  test("if its member is deactivated before a node decides", async () => {
    await enqueue(client);
    await sql`update pawl.member set active = false where org_id = 'main' and id = 'ann'`;
    await world.admitAll();
    await sql`update pawl.member set active = true where org_id = 'main' and id = 'ann'`;
    expect(await kept()).toMatchObject([{ refusal: { code: "MEMBER_INACTIVE" } }]);
  });
});

test("a lifecycle that another node serves is left to that node", async () => {
  await enqueue(client, { lifecycle: "fragile", input: { title: "x" }, key: "elsewhere" });
  const { lifecycle } = PLUGINS.find((plugin) => plugin.lifecycle.name === "board")!;
  const { Engine } = await import("../../../src/engine/engine.ts");
  const boardOnly = new Engine(sql, [{ lifecycle }]);
  expect(await world.admitAll(boardOnly)).toBe(0);
  expect(await kept()).toMatchObject([{ key: "elsewhere", refusal: null }]);
  expect(await world.admitAll()).toBe(1);
});

test("a request that makes a node fail is put off alone, ever longer, and the others are created", async () => {
  const requests = Array.from({ length: 20 }, (_, n) => ({ title: `n ${n}`, fails: n % 7 === 3 }));
  for (const input of requests) await enqueue(client, { lifecycle: "fragile", input });
  expect(await world.admitAll()).toBe(17);
  const failed = await kept();
  expect(failed).toMatchObject([3, 10, 17].map(() => ({ attempts: 1, refusal: null })));
  expect(failed[0]?.failure).toBe("Error: this draft always fails");
  expect(await engine.inbox.groups()).toEqual([]);
  await sql`update pawl.inbox set due_at = now()`;
  expect(await world.admitAll()).toBe(0);
  const [row] = await sql<{ seconds: number }[]>`
    select min(extract(epoch from due_at - now()))::float8 as seconds from pawl.inbox where attempts = 2`;
  expect(row?.seconds).toBeGreaterThan(1);
});

test("a blocker that another transaction has locked delays only its request", async () => {
  const blocker = await world.make(ann, "board", BOARD_INPUT);
  const other = connect(world.url, { maxConnections: 1 });
  await enqueue(client, { key: "blocked", input: { ...BOARD_INPUT, blocked_by: [blocker.id] } });
  await enqueue(client, { key: "free" });
  await other.begin(async (tx) => {
    await tx`select from pawl.task where id = ${blocker.id} for update`;
    await world.admitAll();
    expect(await tasksOf("free")).toHaveLength(1);
    expect(await kept()).toMatchObject([{ key: "blocked", attempts: 0, refusal: null }]);
  });
  await sql`update pawl.inbox set due_at = now()`;
  await world.admitAll();
  expect(await tasksOf("blocked")).toHaveLength(1);
  await other.end({ timeout: 5 });
});

test("requests with large inputs are read in several batches", async () => {
  const description = "x".repeat(90_000);
  for (let n = 0; n < 60; n++) await enqueue(client, { input: { ...BOARD_INPUT, description } });
  const [group] = await engine.inbox.groups();
  const first = await engine.inbox.admit(group!, 200);
  expect(first.length).toBeGreaterThan(30);
  expect(first.length).toBeLessThan(60);
  expect(first.length + (await world.admitAll())).toBe(60);
});

describe("an operator", () => {
  const admin = { org_id: "main", actor: SYSTEM };
  const page = async () => {
    const listed = await engine.inbox.list(admin);
    if (listed.kind === "refused") throw new Error(listed.detail);
    return listed;
  };

  test("retries a request when the cause is gone, or sees the new refusal", async () => {
    const id = await enqueue(client, { input: { ...BOARD_INPUT, project_id: "later" } });
    await world.admitAll();
    expect(await engine.inbox.retry(admin, id)).toMatchObject({ outcome: "refused", entry: { id } });
    await sql`insert into pawl.project (org_id, id, name) values ('main', 'later', 'later')`;
    const retried = await engine.inbox.retry(admin, id);
    expect(retried).toMatchObject({ outcome: "created", entry: null });
    expect(await tasksOf(id)).toMatchObject([{ id: "task_id" in retried ? retried.task_id : "" }]);
    expect(await engine.inbox.retry(admin, id)).toMatchObject({ code: "NOT_FOUND" });
  });

  test("lists waiting and refused requests with their counts, without their inputs", async () => {
    const refused = await enqueue(client, { member: "vic" });
    await world.admitAll();
    const waiting = await enqueue(client);
    expect(await page()).toMatchObject({
      waiting: 1,
      refused: 1,
      entries: [{ id: waiting }, { id: refused }],
    });
    expect(JSON.stringify(await page())).not.toContain("Two boxes");
    expect(await engine.inbox.list(admin, { state: "refused" })).toMatchObject({
      entries: [{ id: refused }],
    });
    expect(await engine.inbox.list(admin, { limit: 1 })).toMatchObject({
      entries: [{ id: waiting }],
      cursor: waiting,
    });
    expect(await engine.inbox.list(admin, { limit: 1, cursor: waiting })).toMatchObject({
      entries: [{ id: refused }],
      cursor: null,
    });
  });

  test("discards a request", async () => {
    const id = await enqueue(client, { member: "vic" });
    expect(await engine.inbox.discard({ org_id: "other", actor: SYSTEM }, id)).toMatchObject({
      code: "NOT_FOUND",
    });
    expect(await engine.inbox.discard(admin, id)).toEqual({ kind: "discarded" });
    expect(await kept()).toEqual([]);
  });

  test("sees only the requests for its own projects", async () => {
    await enqueue(client, { input: { ...BOARD_INPUT, project_id: "web" } });
    const main = await enqueue(client);
    const confined = { org_id: "main", actor: { ...ann, roles: ["admin"], project_ids: ["main"] } };
    expect(await engine.inbox.list(confined)).toMatchObject({ waiting: 1, entries: [{ id: main }] });
    const [hidden] = (await page()).entries.filter(({ id }) => id !== main);
    expect(await engine.inbox.retry(confined, hidden!.id)).toMatchObject({ code: "NOT_FOUND" });
    expect(await engine.inbox.discard(confined, hidden!.id)).toMatchObject({ code: "NOT_FOUND" });
    // The member `ann` reaches every project, so this admin may not hand it out.
    expect(await engine.inbox.bind(confined, app, "ann")).toMatchObject({ code: "FORBIDDEN" });
  });

  test("needs the role admin", async () => {
    const id = await enqueue(client);
    for (const answer of [
      await engine.inbox.list(caller),
      await engine.inbox.retry(caller, id),
      await engine.inbox.discard(caller, id),
      await engine.inbox.bindings(caller),
      await engine.inbox.bind(caller, app, "ann"),
      await engine.inbox.unbind(caller, app, "ann"),
    ])
      expect(answer).toMatchObject({ code: "FORBIDDEN" });
  });

  test("binds only roles and members that exist, any number of times", async () => {
    expect(await engine.inbox.bind(admin, "no_such_role", "ann")).toMatchObject({ code: "NOT_FOUND" });
    expect(await engine.inbox.bind(admin, app, "nob")).toMatchObject({ code: "NOT_FOUND" });
    expect(await engine.inbox.bind(admin, app, "ann")).toMatchObject({
      kind: "bound",
      binding: { role_name: app, member_id: "ann" },
    });
    expect(await engine.inbox.unbind(admin, app, "off")).toMatchObject({ code: "NOT_FOUND" });
    expect(await engine.inbox.bindings(admin)).toMatchObject({
      bindings: [{ member_id: "ann" }, { member_id: "vic" }],
    });
  });
});

test("retention deletes requests that were refused long ago, and keeps waiting ones", async () => {
  await enqueue(client, { member: "vic", key: "old" });
  await world.admitAll();
  await sql`update pawl.inbox set refused_at = now() - interval '10 days'`;
  await enqueue(client, { member: "vic", key: "new" });
  await world.admitAll();
  await enqueue(client, { key: "waiting" });
  await sql`update pawl.inbox set created_at = now() - interval '10 days' where key = 'waiting'`;
  await engine.prune({ org_id: "main", olderThanMs: 5 * 86_400_000 });
  expect((await kept()).map(({ key }) => key)).toEqual(["new", "waiting"]);
});
