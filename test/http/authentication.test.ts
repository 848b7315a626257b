import { expect, test } from "vitest";
import { ROUTES } from "../../src/api/index.ts";
import type { Route } from "../../src/api/index.ts";
import { SYSTEM } from "../../src/core/index.ts";
import { Directory } from "../../src/engine/directory/directory.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer();
const other = await startTestServer({ sameDatabaseAs: server });
const UNKNOWN = `pawl_main_${"0".repeat(48)}`;

const HEADERS: [string, string][] = [
  ["no token", ""],
  ["another scheme", "Basic YWRtaW46YWRtaW4="],
  ["a scheme without a token", "Bearer "],
  ["a token that nobody has", `Bearer ${UNKNOWN}`],
  ["a token of an org that is not", `Bearer pawl_nowhere_${"0".repeat(48)}`],
  ["a token of another form", "Bearer sesame"],
  ["a token with a broken org", `Bearer pawl_%ff_${"0".repeat(48)}`],
  ["a token with a NUL in its org", `Bearer pawl_%00_${"0".repeat(48)}`],
  ["a token as long as a book", `Bearer ${"x".repeat(5_000)}`],
  ["two tokens", `Bearer ${server.admin} ${server.admin}`],
];

test.each(HEADERS)("%s gets 401 INVALID_TOKEN, with the way to send a token", async (_, authorization) => {
  const reply = await server.ask("GET /api/me", { token: null, headers: { authorization } });
  expect(outcomeOf(reply)).toBe("401 INVALID_TOKEN");
  expect(reply.headers.get("www-authenticate")).toBe("Bearer");
  expect(reply.body.next).toContain("Authorization: Bearer");
});

test("without a token only the open routes answer, and unknown paths look like known ones", async () => {
  const open = Object.values<Route>(ROUTES).filter(({ access }) => access === "open");
  // Sign-in has its token in the body, and sign-out needs none.
  const session = ["/api/session", "/api/session/code", "/api/session/back", "/api/session"];
  expect(open.map(({ path }) => path)).toEqual(["/live", "/ready", "/openapi.json", "/docs", ...session]);
  const paths = Object.values<Route>(ROUTES).filter(({ access }) => access !== "open");
  for (const { method, path } of [...paths, { method: "GET", path: "/api/nothing" }])
    expect(outcomeOf(await server.ask(`${method} ${path}`, { token: null }))).toBe("401 INVALID_TOKEN");
  expect(outcomeOf(await server.ask("GET /nothing", { token: null }))).toBe("404 NOT_FOUND");
  expect(outcomeOf(await server.ask("GET /api/nothing"))).toBe("404 NOT_FOUND");
});

test("the scheme may be written in any case", async () => {
  const authorization = `bearer ${server.admin}`;
  expect((await server.ask("GET /api/me", { token: null, headers: { authorization } })).status).toBe(200);
});

test("without a token the body is not read: a huge one gets 401, not 413", async () => {
  const body = JSON.stringify({ x: "y".repeat(2_000_000) });
  expect(outcomeOf(await server.ask("POST /api/tasks", { token: null, body }))).toBe("401 INVALID_TOKEN");
});

test("a revoked token gets 401 on the next request, at every node", async () => {
  for (let round = 0; round < 20; round++) {
    const { body } = await server.ask("POST /api/members/admin/tokens");
    const token = String(body.token);
    const nodes = [server, other];
    for (const node of nodes) expect((await node.ask("GET /api/me", { token })).status).toBe(200);
    const revoked = await nodes[round % 2]!.ask(`DELETE /api/tokens/${String(body.id)}`);
    expect(revoked.status).toBe(204);
    const after = await Promise.all(nodes.map((node) => node.ask("GET /api/me", { token })));
    expect(after.map(outcomeOf)).toEqual(["401 INVALID_TOKEN", "401 INVALID_TOKEN"]);
  }
});

test("a revoked token stays revoked, and revoking it again changes nothing", async () => {
  const { body } = await server.ask("POST /api/members/admin/tokens");
  for (let times = 0; times < 2; times++)
    expect((await server.ask(`DELETE /api/tokens/${String(body.id)}`)).status).toBe(204);
});

test("requests that arrive in one turn share one statement, and each gets the answer for its own token", async () => {
  const tokens = await Promise.all(["ida", "ian"].map((id) => server.member({ id, roles: ["agent"] })));
  const statements: unknown[] = [];
  const sql = new Proxy(server.sql, {
    get: (real, name) => {
      if (name !== "unsafe") return Reflect.get(real, name) as unknown;
      return (...sent: Parameters<typeof real.unsafe>) => {
        statements.push(sent);
        return real.unsafe(...sent);
      };
    },
  });
  const directory = new Directory(sql, LIFECYCLES);
  const asked = [...tokens, UNKNOWN, ...tokens, UNKNOWN, tokens[0]!];
  // Separate callbacks, like those of several sockets that become readable at once.
  const answers = await Promise.all(
    asked.map(
      (token) =>
        new Promise<Awaited<ReturnType<typeof directory.authenticate>>>((resolve, reject) => {
          setImmediate(() => {
            directory.authenticate(token).then(resolve, reject);
          });
        }),
    ),
  );
  expect(statements).toHaveLength(1);
  expect(answers.map((one) => (one.kind === "refused" ? one.code : one.member.id))).toEqual([
    "ida",
    "ian",
    "INVALID_TOKEN",
    "ida",
    "ian",
    "INVALID_TOKEN",
    "ida",
  ]);
});

test("an inactive member gets 401 MEMBER_INACTIVE from the next request on, until activated again", async () => {
  const token = await server.member({ id: "sam", roles: ["agent"] });
  const replies = async () => [
    outcomeOf(await server.ask("GET /api/me", { token })),
    outcomeOf(await other.ask("GET /api/me", { token })),
  ];
  expect(await replies()).toEqual(["200", "200"]);
  await server.ask("PATCH /api/members/sam", { body: { active: false } });
  expect(await replies()).toEqual(["401 MEMBER_INACTIVE", "401 MEMBER_INACTIVE"]);
  await other.ask("PATCH /api/members/sam", { body: { active: true } });
  expect(await replies()).toEqual(["200", "200"]);
});

test("removing a role takes effect at once", async () => {
  const token = await server.member({ id: "pat", roles: ["admin"] });
  expect((await server.ask("POST /api/projects", { token, body: {} })).status).toBe(201);
  await server.ask("PATCH /api/members/pat", { body: { roles: ["agent"] } });
  expect(outcomeOf(await other.ask("POST /api/projects", { token, body: {} }))).toBe("403 FORBIDDEN");
});

test("a token is shown once and stored only as a hash", async () => {
  const { body } = await server.ask("POST /api/members/admin/tokens");
  const rows = await server.sql<{ row: string }[]>`select t::text as row from pawl.token t`;
  const secret = String(body.token).split("_").at(-1)!;
  expect(rows.some(({ row }) => row.includes(String(body.id)))).toBe(true);
  expect(rows.some(({ row }) => row.includes(secret))).toBe(false);
});

test("a token is valid in its own org only, even if ids are the same in another", async () => {
  const token = await server.member({ id: "admin", roles: ["admin"] }, "twin");
  const me = await server.ask("GET /api/me", { token });
  expect(me.body).toMatchObject({ org_id: "twin", id: "admin" });
  const { members } = (await server.ask("GET /api/members", { token })).body as { members: { id: string }[] };
  expect(members.map(({ id }) => id)).toEqual(["admin"]);
});

test("tokens work in an org whose name has no letters", async () => {
  const token = await server.member({ id: "admin", roles: ["admin"] }, "цех № 5_a/b");
  expect((await server.ask("GET /api/me", { token })).body.org_id).toBe("цех № 5_a/b");
});

test("a confined token is refused by routes that do not accept its kind, and expires", async () => {
  const caller = { org_id: "main", actor: SYSTEM };
  const confined_to = { kind: "task" as const, task_id: "0196f0a0-0000-7000-8000-000000000000" };
  const { token } = await server.directory.issueConfinedToken(caller, { member_id: "admin", confined_to });
  const shut = Object.values<Route>(ROUTES).filter(
    ({ access, confined }) => access !== "open" && !confined?.includes("task"),
  );
  for (const { method, path } of shut)
    expect(outcomeOf(await server.ask(`${method} ${path}`, { token }))).toBe("403 TOKEN_CONFINED");
  const over = await server.directory.issueConfinedToken(caller, {
    member_id: "admin",
    confined_to,
    expires_in_ms: -1,
  });
  expect(outcomeOf(await server.ask("GET /api/me", { token: over.token }))).toBe("401 INVALID_TOKEN");
});
