import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineLifecycle, SYSTEM } from "../../src/core/index.ts";
import type { JsonObject } from "../../src/core/index.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { startTestServer } from "./test-server.ts";

const chore = defineLifecycle({
  name: "chore",
  version: 1,
  summary: "A lifecycle of a user's own",
  statuses: { open: {}, done: { final: true, success: true } },
  actions: { finish: {} },
  creation: {
    input: z.object({ title: z.string(), blocked_by: z.array(z.string()).default([]) }),
    to: [{ status: "open" }],
    draft: ({ input }) => ({ title: input.title, data: {}, blocked_by: input.blocked_by }),
  },
  rules: [{ action: "finish", from: "open", to: "done", who: "anyone", guards: ["blockers_done"] }],
});

const ROLES = ["agent", "worker", "executor", "lead", "system"];
const able = { roles: ROLES, skill_level: 9 };
const server = await startTestServer({ lifecycles: [...LIFECYCLES, chore] });
await server.ask("POST /api/projects", { body: { id: "vault" } });
await server.ask("POST /api/projects", { body: { id: "attic" } });
const ann = await server.member({ id: "ann", ...able });
const eve = await server.member({ id: "eve", ...able, project_ids: ["main"] });

const SECRET = "Xyzzy";

/** Fields of a task with a secret title, by lifecycle. */
const hidden: Record<string, () => JsonObject> = {
  board: () => ({ title: `${SECRET} board`, description: "x" }),
  planner: () => ({ title: `${SECRET} planner` }),
  delivery: () => ({ user_id: "u", file_id: SECRET, chat_id: "c", request_nonce: randomUUID() }),
  code: () => ({ title: `${SECRET} code` }),
  "bot-actions": () => ({ chatId: "c", actionId: randomUUID(), actionType: SECRET }),
};

type Waiting = {
  /** The field that lists blockers. */
  field: string;
  fields: JsonObject;
  /** The action that waits for blockers. */
  action: string;
  /** The lifecycle's own routes for creating and reading. */
  batch?: string;
  project?: string;
  own?: string;
};
const waiting: Record<string, Waiting> = {
  board: {
    field: "blocked_by",
    fields: { title: "Write it down", description: "x" },
    action: "claim",
    batch: "/api/board/tasks/batch",
    project: "workspace_id",
    own: "/api/board/tasks",
  },
  planner: {
    field: "depends_on",
    fields: { title: "Weld the frame" },
    action: "unblock",
    own: "/api/planner/tasks",
  },
  code: {
    field: "blocked_by",
    fields: { title: "Write the test" },
    action: "claim",
    batch: "/api/code/tasks/batch",
    project: "project_id",
    own: "/api/code/tasks",
  },
  chore: { field: "blocked_by", fields: { title: "Buy the bread" }, action: "finish" },
};

async function create(token: string, fields: JsonObject): Promise<{ id: string; row_version: number }> {
  const body = { ...fields, client_event_id: randomUUID() };
  const reply = await server.ask("POST /api/tasks", { token, body });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body as { id: string; row_version: number };
}

async function count(): Promise<number> {
  const [row] = await server.sql<{ tasks: number }[]>`select count(*)::int as tasks from pawl.task`;
  return row?.tasks ?? 0;
}

describe("a blocker in another project is refused by ref as it is by id, and nothing is created", () => {
  const ways = Object.entries(waiting).flatMap(([lifecycle, { batch, project }]) => [
    { lifecycle, route: "/api/tasks/batch", project: "project_id" },
    ...(batch === undefined ? [] : [{ lifecycle, route: batch, project: project! }]),
  ]);

  test.each(ways)("$lifecycle by $route", async ({ lifecycle, route, project }) => {
    const { field, fields } = waiting[lifecycle]!;
    const named = (projectId: string, more: JsonObject) => ({
      ...fields,
      lifecycle,
      [project]: projectId,
      ...more,
    });
    const there = await create(ann, { ...fields, lifecycle, project_id: "vault" });
    const before = await count();
    const ask = (tasks: JsonObject[]) =>
      server.ask(`POST ${route}`, { token: ann, body: { tasks, client_event_id: randomUUID() } });
    const byId = await ask([named("main", { [field]: [there.id] })]);
    const byRef = await ask([named("vault", { ref: "first" }), named("main", { [field]: ["first"] })]);
    const ahead = await ask([named("main", { [field]: ["first"] }), named("vault", { ref: "first" })]);
    expect(byId).toMatchObject({ status: 422, body: { code: "VALIDATION_ERROR" } });
    expect(byId.body.errors).toEqual([
      { path: field, message: `there is no task ${there.id} in project main` },
    ]);
    const plain = (text: string) =>
      text
        .replaceAll(there.id, "NAME")
        .replaceAll("first", "NAME")
        .replaceAll(/urn:pawl:request:[\w-]+/g, "");
    expect(plain(byRef.text)).toBe(plain(byId.text));
    expect(plain(ahead.text)).toBe(plain(byId.text));
    expect(await count()).toBe(before);
  });

  test.each(Object.keys(hidden))("a blocker of %s", async (lifecycle) => {
    const before = await count();
    const tasks = [
      { lifecycle, ...hidden[lifecycle]!(), project_id: "vault", ref: "first" },
      { lifecycle: "code", title: "Write the test", blocked_by: ["first"] },
    ];
    const reply = await server.ask("POST /api/tasks/batch", {
      token: ann,
      body: { tasks, client_event_id: randomUUID() },
    });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [{ path: "blocked_by", message: "there is no task first in project main" }],
    ]);
    expect(await count()).toBe(before);
  });

  test("a blocker that was created before, by its dedupe key", async () => {
    const job = { lifecycle: "delivery", ...hidden.delivery!(), project_id: "vault" };
    await create(ann, job);
    const before = await count();
    const tasks = [
      { lifecycle: "code", title: "Write the test", blocked_by: ["first"] },
      { ...job, ref: "first" },
    ];
    const reply = await server.ask("POST /api/tasks/batch", { token: ann, body: { tasks } });
    expect(reply.body.errors).toEqual([
      { path: "blocked_by", message: "there is no task first in project main" },
    ]);
    expect(await count()).toBe(before);
  });

  test("a ref in the same project is a blocker, also outside main", async () => {
    const tasks = [
      { lifecycle: "board", title: `${SECRET} one`, description: "x", project_id: "vault", ref: "one" },
      { lifecycle: "code", title: `${SECRET} two`, project_id: "vault", blocked_by: ["one"] },
    ];
    const reply = await server.ask("POST /api/tasks/batch", { token: ann, body: { tasks } });
    expect(reply.status).toBe(201);
  });
});

/** Adds a dependency directly in the database, as an older version allowed it. */
async function tie(task_id: string, blocker_id: string): Promise<void> {
  await server.sql.begin(async (tx) => {
    // Turns the triggers of this transaction off, which refuse it today.
    await tx`set local session_replication_role = replica`;
    await tx`insert into pawl.dependency (org_id, task_id, blocker_id, on_failure, resolved)
      values ('main', ${task_id}, ${blocker_id}, 'wait', false)`;
  });
  await server.sql`update pawl.task set open_blockers = open_blockers + 1 where id = ${task_id}`;
}

/** Creates a waiting task in main; in planner and code only a task created with a blocker is blocked. */
async function createWaiting(lifecycle: string): Promise<{ id: string; row_version: number }> {
  const { field, fields } = waiting[lifecycle]!;
  const first = await create(ann, { ...fields, lifecycle });
  return create(ann, { ...fields, lifecycle, [field]: [first.id] });
}

describe("a task that waits for a hidden one shows its id and nothing else", () => {
  const pairs = Object.keys(waiting).flatMap((lifecycle) =>
    [...Object.keys(hidden), "private board"].map((blocker) => ({ lifecycle, blocker })),
  );

  test.each(pairs)("$lifecycle behind $blocker", async ({ lifecycle, blocker }) => {
    const { action, own } = waiting[lifecycle]!;
    const secret =
      blocker === "private board"
        ? await create(ann, { lifecycle: "board", ...hidden.board!(), visibility: "private" })
        : await create(ann, { lifecycle: blocker, ...hidden[blocker]!(), project_id: "vault" });
    const { id, row_version } = await createWaiting(lifecycle);
    await tie(id, secret.id);

    const move = (token: string) =>
      server.ask(`POST /api/tasks/${id}/transitions`, {
        token,
        body: {
          action,
          comment: "mine",
          client_event_id: randomUUID(),
          expected_row_version: row_version,
        },
      });
    const ways = [
      `GET /api/tasks/${id}`,
      `GET /api/tasks/${id}/actions`,
      `GET /api/tasks/${id}/events`,
      `GET /api/tasks/${id}/links`,
      `GET /api/tasks?limit=200`,
      `GET /api/graph`,
      `GET /api/overview`,
      ...(own === undefined ? [] : [`GET ${own}/${id}`, `GET ${own}`]),
      ...(lifecycle === "planner" ? [`GET /api/planner/pool`, `GET ${own!}/${id}/transitions`] : []),
      ...(lifecycle === "code" ? [`GET /api/code/graph`] : []),
    ];
    const reply = await Promise.all(ways.map((way) => server.ask(way, { token: eve })));
    for (const [index, { status, text }] of reply.entries()) {
      expect(status, ways[index]).toBe(200);
      expect(text, ways[index]).not.toContain(SECRET);
    }
    const refused = await move(eve);
    expect(refused.text).not.toContain(SECRET);
    if (lifecycle !== "code") {
      expect(refused.body.code).toBe("UNRESOLVED_BLOCKERS");
      const shown = (refused.body.blockers as JsonObject[]).find((one) => one.id === secret.id);
      expect(shown).toEqual({ id: secret.id, status: "private" });
      expect((await move(ann)).text).toContain(SECRET);
    } else {
      const { blocked_by } = (await server.ask(`GET ${own!}/${id}`, { token: eve })).body;
      expect((blocked_by as JsonObject[]).find((one) => one.task_id === secret.id)).toMatchObject({
        title: null,
        status: "private",
      });
      expect((await server.ask(`GET ${own!}/${id}`, { token: ann })).text).toContain(SECRET);
    }
  });
});

test("a planner task is not deleted while a hidden task waits for it, and the hidden title is not shown", async () => {
  const { id, row_version } = await create(ann, { lifecycle: "planner", title: "Weld the frame" });
  await create(ann, {
    lifecycle: "board",
    ...hidden.board!(),
    visibility: "private",
    blocked_by: [id],
  });
  const remove = (token: string) =>
    server.ask(`DELETE /api/planner/tasks/${id}`, {
      token,
      headers: { "idempotency-key": randomUUID(), "if-match": `"${row_version}"` },
    });
  const reply = await remove(eve);
  expect(reply.body.code).toBe("DELETE_NOT_ALLOWED");
  expect(reply.text).not.toContain(SECRET);
  expect((await remove(ann)).text).toContain(SECRET);
});

describe("a member who lost a project", () => {
  const projects = (ids: string[] | null) =>
    server.ask("PATCH /api/members/zoe", { body: { project_ids: ids } });

  test("is not shown the title or status of a task still assigned to them there", async () => {
    const zoe = await server.member({ id: "zoe", ...able });
    const held = await create(ann, { lifecycle: "planner", title: `${SECRET} held`, project_id: "attic" });
    const body = { client_event_id: randomUUID(), project_id: "attic" };
    const claim = () => server.ask("POST /api/planner/claims", { token: zoe, body });
    expect((await claim()).text).toContain(SECRET);
    await projects(["main"]);
    await create(ann, { lifecycle: "planner", title: "Weld the frame" });
    const refused = await server.ask("POST /api/planner/claims", {
      token: zoe,
      body: { client_event_id: randomUUID() },
    });
    expect(refused.body).toMatchObject({ code: "WIP_LIMIT", tasks: [{ id: held.id, status: "private" }] });
    const pool = await server.ask("GET /api/planner/pool", { token: zoe });
    expect(pool.text).toContain("WIP_LIMIT");
    expect([refused.text, pool.text, (await claim()).text].join()).not.toContain(SECRET);
  });

  test("does not get the answer to an earlier creation or claim there again", async () => {
    const zoe = await server.directory.issueToken({ org_id: "main", actor: SYSTEM }, "zoe");
    if (zoe.kind === "refused") throw new Error(zoe.detail);
    const { token } = zoe;
    await projects(null);
    const body = {
      lifecycle: "code",
      title: `${SECRET} made`,
      project_id: "attic",
      client_event_id: randomUUID(),
    };
    const make = () => server.ask("POST /api/tasks", { token, body });
    const claimed = { lifecycle: "code", project_id: "attic", client_event_id: randomUUID() };
    const claim = () => server.ask("POST /api/claims", { token, body: claimed });
    for (const ask of [make, make, claim, claim]) expect((await ask()).text).toContain(SECRET);
    await projects(["main"]);
    expect(await make()).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    expect((await claim()).text).not.toContain(SECRET);
  });
});

test("the overview counts overdue timers of visible tasks only", async () => {
  const due = async (token: string) =>
    ((await server.ask("GET /api/overview", { token })).body.sweep as { due: number }).due;
  const before = { ann: await due(ann), eve: await due(eve) };
  const { id } = await create(ann, { lifecycle: "board", ...hidden.board!(), project_id: "vault" });
  await server.sql`update pawl.task set due_at = now() - interval '1 hour' where id = ${id}`;
  expect({ ann: await due(ann), eve: await due(eve) }).toEqual({ ann: before.ann + 1, eve: before.eve });
});
