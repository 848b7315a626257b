import { expect, test } from "vitest";
import { startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer();

test("a new member has all fields with their defaults", async () => {
  const created = await server.ask("POST /api/members", { body: { id: "ann" } });
  expect(created.body).toEqual({
    id: "ann",
    name: "ann",
    kind: "human",
    roles: [],
    project_ids: null,
    skill_level: null,
    specializations: [],
    active: true,
  });
  expect((await server.ask("GET /api/members/ann")).body).toEqual(created.body);
});

test("a change keeps the fields that it does not contain", async () => {
  const given = {
    id: "bob",
    name: "Bob",
    kind: "worker",
    roles: ["worker", "welder's mate"],
    project_ids: ["main", "shed"],
    skill_level: 7,
    specializations: ["welding", 'with "quotes", and commas'],
    active: true,
  };
  expect((await server.ask("POST /api/members", { body: given })).body).toEqual(given);
  const changed = await server.ask("PATCH /api/members/bob", { body: { skill_level: null } });
  expect(changed.body).toEqual({ ...given, skill_level: null });
  expect((await server.ask("PATCH /api/members/bob", { body: {} })).body).toEqual(changed.body);
});

test("pages of members and projects contain each once", async () => {
  const token = await server.member({ id: "admin", roles: ["admin"] }, "many");
  for (const list of ["members", "projects"]) {
    const ids = Array.from({ length: 7 }, (_, n) => `n${n}`);
    for (const id of ids) await server.ask(`POST /api/${list}`, { token, body: { id } });
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body } = await server.ask(`GET /api/${list}?limit=3&cursor=${cursor}`, { token });
      seen.push(...(body[list] as { id: string }[]).map(({ id }) => id));
      cursor = body.cursor as string | null;
    }
    expect(seen).toEqual([list === "members" ? "admin" : "main", ...ids]);
  }
});

test("the last admin cannot be deactivated or lose the role; with two admins, one can", async () => {
  const token = await server.member({ id: "first", roles: ["admin"] }, "small");
  const change = (id: string, body: object) => server.ask(`PATCH /api/members/${id}`, { token, body });
  for (const body of [{ active: false }, { roles: ["agent"] }, { project_ids: ["main"] }])
    expect(outcomeOf(await change("first", body))).toBe("409 LAST_ADMIN");
  expect(outcomeOf(await change("first", { name: "First", roles: ["admin", "lead"] }))).toBe("200");
  await server.member({ id: "half", roles: ["admin"], project_ids: ["main"] }, "small");
  expect(outcomeOf(await change("first", { active: false }))).toBe("409 LAST_ADMIN");
  await server.member({ id: "second", roles: ["admin"] }, "small");
  expect(outcomeOf(await change("first", { active: false }))).toBe("200");
});

test("two admins that deactivate each other at the same moment leave one active", async () => {
  const org = "duel";
  const tokens = {
    a: await server.member({ id: "a", roles: ["admin"] }, org),
    b: await server.member({ id: "b", roles: ["admin"] }, org),
  };
  for (let round = 0; round < 30; round++) {
    const reply = await Promise.all([
      server.ask("PATCH /api/members/b", { token: tokens.a, body: { active: false } }),
      server.ask("PATCH /api/members/a", { token: tokens.b, body: { active: false } }),
    ]);
    const rows = await server.sql`select id from pawl.member where org_id = ${org} and active`;
    expect(rows, reply.map(outcomeOf).join(" ")).toHaveLength(1);
    await server.sql`update pawl.member set active = true where org_id = ${org}`;
  }
});

test("an admin of some projects cannot grant access to others", async () => {
  await server.ask("POST /api/projects", { body: { id: "yard" } });
  const token = await server.member({ id: "yardmaster", roles: ["admin"], project_ids: ["yard"] });
  const word = async (what: string, body?: object) => outcomeOf(await server.ask(what, { token, body }));
  expect(await word("POST /api/members", { id: "y1", project_ids: ["yard"] })).toBe("201");
  expect(await word("POST /api/members/y1/tokens")).toBe("201");
  expect(await word("PATCH /api/members/y1", { name: "Y" })).toBe("200");
  expect(await word("PATCH /api/projects/yard", { name: "The yard" })).toBe("200");
  for (const [what, body] of [
    ["POST /api/members", { id: "y2" }],
    ["POST /api/members", { id: "y2", project_ids: ["yard", "main"] }],
    ["PATCH /api/members/y1", { project_ids: null }],
    ["PATCH /api/members/yardmaster", { project_ids: null }],
    ["PATCH /api/members/admin", { active: false }],
    ["POST /api/members/admin/tokens", undefined],
    ["POST /api/projects", { id: "his" }],
  ] as const)
    expect(await word(what, body), what).toBe("403 FORBIDDEN");
  const { body } = await server.ask("POST /api/members/admin/tokens");
  expect(await word(`DELETE /api/tokens/${String(body.id)}`)).toBe("403 FORBIDDEN");
  expect((await server.ask("GET /api/me", { token: String(body.token) })).status).toBe(200);
  expect(await word("PATCH /api/projects/main", { name: "Mine" })).toBe("404 NOT_FOUND");
});

test("a member sees its own projects, and others look as if they did not exist", async () => {
  await server.ask("POST /api/projects", { body: { id: "attic" } });
  const token = await server.member({ id: "mole", roles: ["agent"], project_ids: ["attic", "no-more"] });
  const { body } = await server.ask("GET /api/projects", { token });
  expect(body.projects).toMatchObject([{ id: "attic", name: "attic", settings: {} }]);
  expect(outcomeOf(await server.ask("GET /api/projects/main", { token }))).toBe("404 NOT_FOUND");
});

test("the list of members shows a member of one project no other project", async () => {
  await server.ask("POST /api/projects", { body: { id: "cellar" } });
  await server.ask("POST /api/projects", { body: { id: "secret-lab" } });
  const reader = await server.member({ id: "rat", roles: ["viewer"], project_ids: ["cellar"] });
  const admin = await server.member({ id: "host", roles: ["admin"], project_ids: ["cellar"] });
  await server.member({ id: "lab1", roles: ["agent"], project_ids: ["secret-lab"] });
  await server.member({ id: "lab2", roles: ["agent"], project_ids: ["secret-lab", "cellar"] });
  for (const token of [reader, admin]) {
    const list = await server.ask("GET /api/members?limit=200", { token });
    const projects = new Map(
      (list.body.members as { id: string; project_ids: string[] | null }[]).map((one) => [
        one.id,
        one.project_ids,
      ]),
    );
    expect([projects.get("lab1"), projects.get("lab2")]).toEqual([[], ["cellar"]]);
    expect([projects.get("rat"), projects.get("admin")]).toEqual([["cellar"], null]);
    const one = await server.ask("GET /api/members/lab2", { token });
    expect(one.body.project_ids).toEqual(["cellar"]);
    expect(list.text + one.text).not.toContain("secret-lab");
  }
  expect((await server.ask("GET /api/members/lab2")).body.project_ids).toEqual(["secret-lab", "cellar"]);
  // Hidden projects are not lost when the reader writes.
  const refused = await server.ask("PATCH /api/members/lab2", {
    token: admin,
    body: { project_ids: ["cellar"] },
  });
  expect(outcomeOf(refused)).toBe("403 FORBIDDEN");
});

test("an admin who lost a project is not shown it by an earlier answer or a token for a chat", async () => {
  await server.ask("POST /api/projects", { body: { id: "roof" } });
  await server.ask("POST /api/projects", { body: { id: "hidden-den" } });
  const token = await server.member({ id: "waning", roles: ["admin"] });
  const lodger = await server.member({ id: "lodger", roles: ["agent"], project_ids: ["hidden-den"] });
  const created = await server.ask("POST /api/chats/c/callback-tokens", {
    token: lodger,
    body: { workspaceId: "hidden-den" },
  });
  expect(created.status).toBe(201);
  const body = { project_ids: ["roof", "hidden-den"], client_event_id: "move the lodger" };
  const change = () => server.ask("PATCH /api/members/lodger", { token, body });
  expect((await change()).text).toContain("hidden-den");
  await server.ask("PATCH /api/members/waning", { body: { project_ids: ["roof"] } });
  expect((await change()).body.project_ids).toEqual(["roof"]);
  await server.ask("PATCH /api/members/lodger", { body: { project_ids: ["roof"] } });
  const tokens = await server.ask("GET /api/members/lodger/tokens", { token });
  expect(tokens.text).not.toContain("hidden-den");
  expect((tokens.body.tokens as { confined_to: unknown }[])[0]?.confined_to).toEqual({ kind: "chat" });
  expect((await server.ask("GET /api/members/lodger/tokens")).text).toContain("hidden-den");
});

test("settings are merged and validated by their lifecycle, and null restores the default", async () => {
  const id = String((await server.ask("POST /api/projects", { body: {} })).body.id);
  const set = async (settings: object) => server.ask(`PATCH /api/projects/${id}`, { body: { settings } });
  expect((await set({ board: { status_deadlines: { NEW: 1 } } })).body.settings).toEqual({
    board: { status_deadlines: { NEW: 1 } },
  });
  const merged = await set({ board: { status_deadlines: { BLOCKED: 0.5 } }, code: {} });
  expect(merged.body.settings).toEqual({ board: { status_deadlines: { NEW: 1, BLOCKED: 0.5 } }, code: {} });
  const mistakes: [object, { path: string; message: string }][] = [
    [
      { board: { status_deadlines: { NEW: "soon" } } },
      {
        path: "settings.board.status_deadlines.NEW",
        message: "Invalid input: expected number, received string",
      },
    ],
    [
      { board: { status_deadlines: { NWE: 5 } } },
      {
        path: "settings.board.status_deadlines",
        message: 'there is no setting "NWE"; did you mean "NEW"?',
      },
    ],
    [
      { board: { status_deadlines: { NEW: 1e300 } } },
      { path: "settings.board.status_deadlines.NEW", message: "must be at most 52560000 (100 years)" },
    ],
    [
      { code: { lease_seconds: 4e9 } },
      { path: "settings.code.lease_seconds", message: "must be at most 3153600000 (100 years)" },
    ],
    [{ bord: {} }, { path: "settings", message: 'there is no lifecycle "bord"; did you mean "board"?' }],
    [{ board: "x" }, { path: "settings.board", message: "Invalid input: expected object, received string" }],
  ];
  for (const [settings, error] of mistakes) {
    const reply = await set(settings);
    expect(outcomeOf(reply)).toBe("422 VALIDATION_ERROR");
    expect(reply.body.errors).toEqual([error]);
  }
  expect((await set({ board: { status_deadlines: { NEW: null } }, code: null })).body.settings).toEqual({
    board: { status_deadlines: { BLOCKED: 0.5 } },
    code: {},
  });
});

test("settings nested a hundred thousand levels deep are refused without recursion", async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const body = `{"settings":{"board":${deep}}}`;
  expect(outcomeOf(await server.ask("POST /api/projects", { body }))).toBe("422 VALIDATION_ERROR");
});

test("a new deadline applies from the next status change on", async () => {
  const ann = await server.member({ id: "anne", roles: ["agent"] });
  const id = String((await server.ask("POST /api/projects", { body: {} })).body.id);
  const body = { lifecycle: "board", title: "Paint the shed", description: "x", project_id: id };
  const { body: task } = await server.ask("POST /api/tasks", { token: ann, body });
  await server.ask(`PATCH /api/projects/${id}`, {
    body: { settings: { board: { status_deadlines: { IN_PROGRESS: 5 } } } },
  });
  const move = { action: "claim", comment: "mine" };
  const moved = await server.ask(`POST /api/tasks/${String(task.id)}/transitions`, {
    token: ann,
    body: move,
  });
  const { due_at, entered_at } = moved.body.task as { due_at: string; entered_at: string };
  expect(Date.parse(due_at) - Date.parse(entered_at)).toBe(5 * 60_000);
});
