import { expect, test } from "vitest";
import { ROUTES } from "../../src/api/index.ts";
import type { Route } from "../../src/api/index.ts";
import { LONE, MEMBER_ROWS, NO_UUID, SESSION_ROWS, UNKNOWN } from "./member-rows.ts";
import type { Row } from "./member-rows.ts";
import { startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer();
const tokens: Record<string, string | null> = {
  admin: server.admin,
  ann: await server.member({ id: "ann", roles: ["agent", "worker"] }),
  bob: await server.member({ id: "bob", roles: ["agent", "worker"], project_ids: ["main"] }),
  eve: await server.member({ id: "eve", roles: ["viewer"] }),
  out: await server.member({ id: "out", roles: ["agent", "worker"], project_ids: ["elsewhere"] }),
  other: await server.member({ id: "ann", roles: ["admin", "agent"] }, "other"),
  nobody: null,
};
await server.directory.addProject({ org_id: "main", actor: (await known("admin")).actor }, { id: "shed" });

/** Creates the objects that the rows below refer to, new for each row. */
const MAKE = {
  task: async () => {
    const body = { lifecycle: "board", title: "Paint the shed", description: "Both sides" };
    return String((await server.ask("POST /api/tasks", { token: tokens.ann!, body })).body.id);
  },
  code: async () => {
    const body = { lifecycle: "code", title: "Mend it" };
    return String((await server.ask("POST /api/tasks", { token: tokens.ann!, body })).body.id);
  },
  member: async () => String((await server.ask("POST /api/members", { body: {} })).body.id),
  token: async () => String((await server.ask("POST /api/members/eve/tokens")).body.id),
  request: async () => {
    const [row] = await server.sql<{ id: string }[]>`
      insert into pawl.inbox (org_id, id, lifecycle, input, input_bytes, key, member_id, role_name, created_at, due_at)
      values ('main', gen_random_uuid(), 'board', '{}', 2, 'k', 'ann', 'x', now(), now()) returning id`;
    return String(row?.id);
  },
};

const board = { lifecycle: "board", title: "A new task", description: "Of some kind" };
const claim = { action: "claim", comment: "mine" };
const NUL = "a\u0000b";

const TABLE: Row[] = [
  ["nobody", "GET /live", undefined, "200"],
  ["nobody", "GET /ready", undefined, "200"],
  ["nobody", "GET /openapi.json", undefined, "200"],
  ["nobody", "GET /docs", undefined, "200"],
  ["admin", "GET /metrics", undefined, "200"],
  ["ann", "GET /metrics", undefined, "403 FORBIDDEN"],
  ["other", "GET /metrics", undefined, "403 FORBIDDEN"],
  ["nobody", "GET /metrics", undefined, "401 INVALID_TOKEN"],

  ["admin", "GET /api/inbox", undefined, "200"],
  ["ann", "GET /api/inbox", undefined, "403 FORBIDDEN"],
  ["admin", "GET /api/inbox?state=lost", undefined, "422 VALIDATION_ERROR"],
  ["admin", "POST /api/inbox/{request}/retry", undefined, "200"],
  ["ann", "POST /api/inbox/{request}/retry", undefined, "403 FORBIDDEN"],
  ["other", "POST /api/inbox/{request}/retry", undefined, "404 NOT_FOUND"],
  ["admin", `POST /api/inbox/${NO_UUID}/retry`, undefined, "404 NOT_FOUND"],
  ["admin", "DELETE /api/inbox/{request}", undefined, "204"],
  ["ann", "DELETE /api/inbox/{request}", undefined, "403 FORBIDDEN"],
  ["other", "DELETE /api/inbox/{request}", undefined, "404 NOT_FOUND"],
  ["admin", "GET /api/inbox/bindings", undefined, "200"],
  ["ann", "GET /api/inbox/bindings", undefined, "403 FORBIDDEN"],
  ["admin", "PUT /api/inbox/bindings/pg_monitor/ann", undefined, "200"],
  ["ann", "PUT /api/inbox/bindings/pg_monitor/ann", undefined, "403 FORBIDDEN"],
  ["admin", "PUT /api/inbox/bindings/no_such_role/ann", undefined, "404 NOT_FOUND"],
  ["ann", "DELETE /api/inbox/bindings/pg_monitor/ann", undefined, "403 FORBIDDEN"],
  ["admin", "DELETE /api/inbox/bindings/pg_monitor/ann", undefined, "204"],
  ["admin", "DELETE /api/inbox/bindings/pg_monitor/ann", undefined, "404 NOT_FOUND"],

  ["eve", "GET /api/lifecycles", undefined, "200"],
  ["nobody", "GET /api/lifecycles", undefined, "401 INVALID_TOKEN"],
  ["eve", "GET /api/console/plugins", undefined, "200"],
  ["nobody", "GET /api/console/plugins", undefined, "401 INVALID_TOKEN"],
  ["eve", "GET /api/lifecycles/board", undefined, "200"],
  ["eve", "GET /api/lifecycles/boad", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/lifecycles/planner/diagram", undefined, "200"],
  ["eve", "GET /api/lifecycles/__proto__/diagram", undefined, "404 NOT_FOUND"],

  ["eve", "GET /api/lifecycles/board/check", undefined, "200"],
  ["eve", "GET /api/lifecycles/boad/check", undefined, "404 NOT_FOUND"],

  ["ann", "POST /api/tasks", board, "201"],
  ["nobody", "POST /api/tasks", board, "401 INVALID_TOKEN"],
  ["ann", "POST /api/tasks", { ...board, project_id: null, unheard_of: { of: [1] } }, "201"],
  ["ann", "POST /api/tasks", { ...board, available_at: "2030-01-01T00:00:00+02:00" }, "201"],
  ["ann", "POST /api/tasks", { ...board, available_at: "tomorrow" }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", { ...board, available_at: 5 }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", { ...board, title: "Hm" }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", { ...board, title: NUL.repeat(3) }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", { ...board, description: LONE }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", { ...board, [NUL]: 1 }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", { ...board, lifecycle: "boad" }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", { ...board, lifecycle: 7 }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", { ...board, client_event_id: "" }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", [board], "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", undefined, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", null, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks", { ...board, project_id: "nowhere" }, "404 NOT_FOUND"],
  ["bob", "POST /api/tasks", { ...board, project_id: "shed" }, "404 NOT_FOUND"],
  ["ann", "POST /api/tasks", { ...board, blocked_by: [UNKNOWN] }, "422 VALIDATION_ERROR"],
  // The only task of a request can only wait for itself.
  ["ann", "POST /api/tasks", { ...board, ref: "a", blocked_by: ["a"] }, "409 CYCLIC_DEPENDENCY"],
  ["eve", "POST /api/tasks", board, "403 FORBIDDEN"],
  ["eve", "POST /api/tasks", { ...board, project_id: 7 }, "403 FORBIDDEN"],
  ["ann", "POST /api/tasks", { lifecycle: "planner", title: "Weld", client_event_id: "w" }, "403 FORBIDDEN"],

  [
    "ann",
    "POST /api/tasks/batch",
    {
      tasks: [
        { ...board, ref: "a" },
        { ...board, blocked_by: ["a"] },
      ],
    },
    "201",
  ],
  ["nobody", "POST /api/tasks/batch", { tasks: [board] }, "401 INVALID_TOKEN"],
  ["eve", "POST /api/tasks/batch", { tasks: [board] }, "403 FORBIDDEN"],
  ["eve", "POST /api/tasks/batch", { tasks: [{ ...board, project_id: 7 }] }, "403 FORBIDDEN"],
  ["ann", "POST /api/tasks/batch", { tasks: [board, { ...board, project_id: "nowhere" }] }, "404 NOT_FOUND"],
  [
    "ann",
    "POST /api/tasks/batch",
    {
      tasks: [
        { ...board, ref: "a", blocked_by: ["b"] },
        { ...board, ref: "b", blocked_by: ["a"] },
      ],
    },
    "409 CYCLIC_DEPENDENCY",
  ],
  ["ann", "POST /api/tasks/batch", { tasks: [] }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks/batch", { tasks: [board, { ...board, title: "Hm" }] }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks/batch", { tasks: [{ ...board, lifecycle: "boad" }] }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks/batch", [board], "422 VALIDATION_ERROR"],

  ["eve", "GET /api/tasks", undefined, "200"],
  ["nobody", "GET /api/tasks", undefined, "401 INVALID_TOKEN"],
  ["eve", "GET /api/tasks?lifecycle=board&status=NEW,DONE&assigned_to=me&q=shed&limit=2", undefined, "200"],
  ["eve", "GET /api/tasks?status=NEW&status=DONE&project_id=main", undefined, "200"],
  ["eve", "GET /api/tasks?status=nosuch", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?status=NEW,nosuch", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?lifecycle=board&status=ready", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?lifecycle=bord", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?project_id=nowhere", undefined, "404 NOT_FOUND"],
  ["out", "GET /api/tasks?project_id=main", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/tasks?assigned_to=nosuch", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/tasks?held_by=nosuch", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/tasks?held_by=me&attention=true&total=true", undefined, "200"],
  ["eve", "GET /api/tasks?attention=2", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?total=yes", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?limit=0", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?limit=201", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?limit=ten", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?limit=1&limit=2", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/tasks?q=%00", undefined, "422 VALIDATION_ERROR"],
  ["eve", `GET /api/tasks?cursor=${NO_UUID}`, undefined, "422 VALIDATION_ERROR"],

  ["eve", "GET /api/tasks/{task}", undefined, "200"],
  ["nobody", "GET /api/tasks/{task}", undefined, "401 INVALID_TOKEN"],
  ["out", "GET /api/tasks/{task}", undefined, "404 TASK_NOT_FOUND"],
  ["other", "GET /api/tasks/{task}", undefined, "404 TASK_NOT_FOUND"],
  ["ann", `GET /api/tasks/${NO_UUID}`, undefined, "404 TASK_NOT_FOUND"],
  ["ann", `GET /api/tasks/${UNKNOWN}`, undefined, "404 TASK_NOT_FOUND"],
  ["ann", "GET /api/tasks/%00", undefined, "404 TASK_NOT_FOUND"],

  ["eve", "GET /api/tasks/{task}/events", undefined, "200"],
  ["eve", "GET /api/tasks/{task}/events?after=1&limit=5", undefined, "200"],
  ["eve", "GET /api/tasks/{task}/events?after=-1", undefined, "422 VALIDATION_ERROR"],
  ["out", "GET /api/tasks/{task}/events", undefined, "404 TASK_NOT_FOUND"],
  ["other", "GET /api/tasks/{task}/events", undefined, "404 TASK_NOT_FOUND"],

  ["eve", "GET /api/tasks/{task}/actions", undefined, "200"],
  ["out", "GET /api/tasks/{task}/actions", undefined, "404 TASK_NOT_FOUND"],
  ["ann", `GET /api/tasks/${NO_UUID}/actions`, undefined, "404 TASK_NOT_FOUND"],

  ["eve", "GET /api/tasks/{task}/links", undefined, "200"],
  ["out", "GET /api/tasks/{task}/links", undefined, "404 TASK_NOT_FOUND"],
  ["other", "GET /api/tasks/{task}/links", undefined, "404 TASK_NOT_FOUND"],
  ["ann", `GET /api/tasks/${NO_UUID}/links`, undefined, "404 TASK_NOT_FOUND"],

  ["eve", "GET /api/graph", undefined, "200"],
  ["eve", "GET /api/graph?project_id=main&lifecycle=board&finished=false&limit=500", undefined, "200"],
  ["nobody", "GET /api/graph", undefined, "401 INVALID_TOKEN"],
  ["eve", "GET /api/graph?lifecycle=bord", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/graph?project_id=nowhere", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/graph?limit=501", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/graph?finished=perhaps", undefined, "422 VALIDATION_ERROR"],

  ["bob", "POST /api/tasks/{task}/transitions", claim, "200"],
  ["nobody", "POST /api/tasks/{task}/transitions", claim, "401 INVALID_TOKEN"],
  ["out", "POST /api/tasks/{task}/transitions", claim, "404 TASK_NOT_FOUND"],
  ["other", "POST /api/tasks/{task}/transitions", claim, "404 TASK_NOT_FOUND"],
  ["bob", `POST /api/tasks/${NO_UUID}/transitions`, claim, "404 TASK_NOT_FOUND"],
  ["bob", "POST /api/tasks/{task}/transitions", { action: "claim" }, "422 COMMENT_REQUIRED"],
  ["bob", "POST /api/tasks/{task}/transitions", { ...claim, action: "clam" }, "422 VALIDATION_ERROR"],
  ["bob", "POST /api/tasks/{task}/transitions", { ...claim, action: "toString" }, "422 VALIDATION_ERROR"],
  ["bob", "POST /api/tasks/{task}/transitions", { ...claim, comment: NUL }, "422 VALIDATION_ERROR"],
  ["bob", "POST /api/tasks/{task}/transitions", { ...claim, payload: { x: LONE } }, "422 VALIDATION_ERROR"],
  ["bob", "POST /api/tasks/{task}/transitions", { ...claim, payload: "x" }, "422 VALIDATION_ERROR"],
  ["bob", "POST /api/tasks/{task}/transitions", { comment: "x" }, "422 VALIDATION_ERROR"],
  [
    "bob",
    "POST /api/tasks/{task}/transitions",
    { ...claim, expected_row_version: 1.5 },
    "422 VALIDATION_ERROR",
  ],
  [
    "bob",
    "POST /api/tasks/{task}/transitions",
    { ...claim, expected_row_version: 9 },
    "409 VERSION_CONFLICT",
  ],
  [
    "bob",
    "POST /api/tasks/{task}/transitions",
    { action: "complete", comment: "x" },
    "409 INVALID_TRANSITION",
  ],
  ["eve", "POST /api/tasks/{task}/transitions", claim, "403 FORBIDDEN"],
  ["eve", "POST /api/tasks/{task}/transitions", { action: "claim", comment: 7 }, "403 FORBIDDEN"],
  // An invalid body is refused before a missing task.
  ["bob", `POST /api/tasks/${UNKNOWN}/transitions`, { action: 7 }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/tasks/{code}/transitions", { action: "start" }, "422 LEASE_TOKEN_REQUIRED"],
  [
    "ann",
    "POST /api/tasks/{code}/transitions",
    { action: "start", lease_token: UNKNOWN, payload: { worktree: "/w", branch: "b" } },
    "409 LEASE_LOST",
  ],

  ["ann", "POST /api/transitions", [{ id: "{task}", ...claim }], "200"],
  ["nobody", "POST /api/transitions", [{ id: "{task}", ...claim }], "401 INVALID_TOKEN"],
  ["ann", "POST /api/transitions", [], "422 VALIDATION_ERROR"],
  ["ann", "POST /api/transitions", { id: "{task}", ...claim }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/transitions", [{ id: "{task}" }], "422 VALIDATION_ERROR"],

  ["ann", "POST /api/claims", { lifecycle: "code", limit: 2 }, "200"],
  ["nobody", "POST /api/claims", { lifecycle: "code" }, "401 INVALID_TOKEN"],
  ["ann", "POST /api/claims", { lifecycle: "board" }, "422 COMMENT_REQUIRED"],
  ["ann", "POST /api/claims", { lifecycle: "bot-actions" }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/claims", { lifecycle: "cod" }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/claims", { lifecycle: "code", limit: 0 }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/claims", { lifecycle: "code", wait_seconds: 61 }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/claims", { lifecycle: "code", filter: { priority: 3 } }, "422 VALIDATION_ERROR"],
  ["eve", "POST /api/claims", { lifecycle: "code" }, "403 FORBIDDEN"],
  ["eve", "POST /api/claims", { lifecycle: "code", limit: 0 }, "403 FORBIDDEN"],

  ["ann", "POST /api/heartbeats", { leases: [] }, "200"],
  ["ann", "POST /api/heartbeats", { leases: [{ task_id: "{code}", lease_token: NO_UUID }] }, "200"],
  ["ann", "POST /api/heartbeats", { leases: [{ task_id: 7 }] }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/heartbeats", {}, "422 VALIDATION_ERROR"],

  ["eve", "GET /api/projects", undefined, "200"],
  ["eve", "GET /api/projects?limit=1&cursor=a", undefined, "200"],
  ["eve", "GET /api/projects/main", undefined, "200"],
  ["bob", "GET /api/projects/shed", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/projects/nowhere", undefined, "404 NOT_FOUND"],
  ["admin", "POST /api/projects", {}, "201"],
  [
    "admin",
    "POST /api/projects",
    { id: "yard", settings: { board: { status_deadlines: { NEW: 1 } } } },
    "201",
  ],
  ["admin", "POST /api/projects", { id: "main" }, "409 ALREADY_EXISTS"],
  ["admin", "POST /api/projects", { id: "me" }, "422 VALIDATION_ERROR"],
  ["admin", "POST /api/projects", { name: " " }, "422 VALIDATION_ERROR"],
  ["admin", "POST /api/projects", { settings: { board: { deadlines: 1 } } }, "422 VALIDATION_ERROR"],
  ["admin", "POST /api/projects", { settings: { boad: {} } }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/projects", { id: "hers" }, "403 FORBIDDEN"],
  ["ann", "POST /api/projects", "nonsense", "403 FORBIDDEN"],
  ["admin", "PATCH /api/projects/shed", { name: "The shed" }, "200"],
  ["admin", "PATCH /api/projects/shed", { settings: { board: null } }, "200"],
  [
    "admin",
    "PATCH /api/projects/shed",
    { settings: { planner: { min_skill_to_take: 99 } } },
    "422 VALIDATION_ERROR",
  ],
  ["admin", "PATCH /api/projects/nowhere", { name: "x" }, "404 NOT_FOUND"],
  ["other", "PATCH /api/projects/shed", { name: "x" }, "404 NOT_FOUND"],
  ["ann", "PATCH /api/projects/shed", { name: "x" }, "403 FORBIDDEN"],

  ...MEMBER_ROWS,

  ["eve", "GET /api/overview", undefined, "200"],
  ["eve", "GET /api/overview?window=week&lifecycle=board&project_id=main", undefined, "200"],
  ["out", "GET /api/overview?project_id=main", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/overview?lifecycle=bord", undefined, "422 VALIDATION_ERROR"],
  ["nobody", "GET /api/overview", undefined, "401 INVALID_TOKEN"],
  ["eve", "GET /api/overview?window=year", undefined, "422 VALIDATION_ERROR"],

  ["eve", "GET /api/insights?lifecycle=board", undefined, "200"],
  ["eve", "GET /api/insights?lifecycle=board&window=year&project_id=main&member_id=bob", undefined, "200"],
  ["out", "GET /api/insights?lifecycle=board&project_id=main", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/insights?lifecycle=board&member_id=no-one", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/insights?lifecycle=board&member_id=%00", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/insights?lifecycle=bord", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/insights", undefined, "422 VALIDATION_ERROR"],
  ["eve", "GET /api/insights?lifecycle=board&window=decade", undefined, "422 VALIDATION_ERROR"],
  ["nobody", "GET /api/insights?lifecycle=board", undefined, "401 INVALID_TOKEN"],

  ["nobody", "POST /api/session", { token: server.admin }, "200"],
  ...SESSION_ROWS,

  ["admin", "GET /api/demo", undefined, "200"],
  ["ann", "GET /api/demo", undefined, "403 FORBIDDEN"],
  ["other", "GET /api/demo", undefined, "403 FORBIDDEN"],
  ["nobody", "GET /api/demo", undefined, "401 INVALID_TOKEN"],
  ["admin", "POST /api/demo", undefined, "200"],
  ["admin", "POST /api/demo", { language: "ru" }, "200"],
  ["admin", "POST /api/demo", { language: "de" }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/demo", undefined, "403 FORBIDDEN"],
  ["other", "POST /api/demo", {}, "403 FORBIDDEN"],
  ["admin", "POST /api/demo/stop", undefined, "200"],
  ["eve", "POST /api/demo/stop", undefined, "403 FORBIDDEN"],
  ["other", "POST /api/demo/stop", undefined, "403 FORBIDDEN"],
  ["other", "DELETE /api/demo", undefined, "403 FORBIDDEN"],
  ["ann", "DELETE /api/demo", undefined, "403 FORBIDDEN"],
  ["admin", "DELETE /api/demo", undefined, "204"],
  ["admin", "DELETE /api/demo", undefined, "204"],
];

test.each(TABLE)("%s: %s with %j gets %s", async (who, what, body, answer) => {
  let request = `${what} ${body === undefined ? "" : JSON.stringify(body)}`;
  for (const [kind, make] of Object.entries(MAKE))
    if (request.includes(`{${kind}}`)) request = request.replaceAll(`{${kind}}`, await make());
  const [method = "", path = "", ...rest] = request.split(" ");
  const sent = body === undefined ? {} : { body: rest.join(" ") };
  const reply = await server.ask(`${method} ${path}`, { token: tokens[who] ?? null, ...sent });
  expect(outcomeOf(reply), reply.text).toBe(answer);
  if (reply.status < 400) return;
  expect(reply.body).toMatchObject({
    type: `/docs#${String(reply.body.code)}`,
    title: expect.any(String) as string,
    status: reply.status,
    detail: expect.stringMatching(/\S/) as string,
    instance: `urn:pawl:request:${reply.headers.get("x-request-id") ?? ""}`,
  });
  if (reply.body.code === "VALIDATION_ERROR")
    expect(reply.body.errors).toEqual(
      expect.arrayContaining([{ path: expect.any(String) as string, message: expect.any(String) as string }]),
    );
});

test("the table covers every route, with all its answers and its own refusals", () => {
  const missing = Object.values<Route>(ROUTES).flatMap(({ method, path, access, replies, refusals = [] }) => {
    const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, "[^/? ]+")}(\\?|$)`);
    const seen = TABLE.filter(([, what]) => pattern.test(what)).map(([, , , answer]) => answer);
    const expected = [...Object.keys(replies), ...(access === "admin" ? ["403 FORBIDDEN"] : []), ...refusals];
    return expected
      .filter((want) => !seen.some((answer) => answer.endsWith(want)))
      .map((want) => `${method} ${path}: ${want}`);
  });
  // Tested elsewhere: existing tasks, an unreachable database, a fact without a loader, streams, sessions, and an org with
  // the demo's name.
  expect(missing).toEqual([
    "GET /ready: UNAVAILABLE",
    "POST /api/tasks: 200",
    "GET /api/tasks/{id}/actions: NOT_SET_UP",
    "GET /api/events: 200",
    "POST /api/tokens/{id}/rotate: TOKEN_NOT_ROTATED",
    "POST /api/session: MEMBER_INACTIVE",
    "POST /api/session: TOKEN_CONFINED",
    "POST /api/session: CROSS_SITE_REQUEST",
    "POST /api/session: UNAVAILABLE",
    "POST /api/session/code: 200",
    "POST /api/session/code: MEMBER_INACTIVE",
    "POST /api/session/code: CROSS_SITE_REQUEST",
    "POST /api/session/code: UNAVAILABLE",
    "POST /api/session/back: 200",
    "POST /api/session/back: CROSS_SITE_REQUEST",
    "POST /api/session/back: UNAVAILABLE",
    "DELETE /api/session: CROSS_SITE_REQUEST",
    "DELETE /api/session: UNAVAILABLE",
    "POST /api/demo: ALREADY_EXISTS",
  ]);
});

async function known(id: string) {
  const found = await server.directory.authenticate(tokens[id]!);
  if (found.kind === "refused") throw new Error(found.detail);
  return found;
}
