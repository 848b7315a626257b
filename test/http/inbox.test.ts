import { expect, test } from "vitest";
import { bodyOf, outcomeOf, startTestServer } from "./test-server.ts";

const server = await startTestServer();
const { sql, engine } = server;
const [{ role }] = await sql<[{ role: string }]>`select current_user as role`;
await server.member({ id: "ann", roles: ["agent"] });
await server.member({ id: "vic", roles: ["viewer"] });

type Listed = {
  requests: { id: string; state: string; refusal: object | null }[];
  waiting: number;
  refused: number;
};

async function enqueue(input: object, key: string, member = "ann"): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select pawl.enqueue('main', 'board', ${sql.json(input as never)}, ${key}, ${member}) as id`;
  return row?.id ?? "";
}

async function admit(): Promise<void> {
  for (const group of await engine.inbox.groups()) await engine.inbox.admit(group, 100);
}

test("an admin binds a role, which can then make requests, and unbinds it", async () => {
  const path = `/api/inbox/bindings/${encodeURIComponent(role)}/ann`;
  await expect(enqueue({}, "none")).rejects.toMatchObject({ code: "42501" });
  expect(bodyOf(200, await server.ask(`PUT ${path}`))).toMatchObject({
    role,
    member_id: "ann",
    created_by: "admin",
  });
  expect((await server.ask(`PUT ${path}`)).status).toBe(200);
  expect(bodyOf(200, await server.ask("GET /api/inbox/bindings"))).toMatchObject({
    bindings: [{ role, member_id: "ann" }],
  });
  expect((await server.ask(`DELETE ${path}`)).status).toBe(204);
  expect(outcomeOf(await server.ask(`DELETE ${path}`))).toBe("404 NOT_FOUND");
  await expect(enqueue({}, "none")).rejects.toMatchObject({ code: "42501" });
  expect(outcomeOf(await server.ask("PUT /api/inbox/bindings/no_such_role/ann"))).toBe("404 NOT_FOUND");
  expect(outcomeOf(await server.ask(`PUT /api/inbox/bindings/${encodeURIComponent(role)}/nob`))).toBe(
    "404 NOT_FOUND",
  );
  for (const member of ["ann", "vic"])
    await engine.inbox.bind({ org_id: "main", actor: (await me()).actor }, role, member);
});

async function me() {
  const known = await server.directory.authenticate(server.admin);
  if (known.kind === "refused") throw new Error(known.detail);
  return known;
}

test("a refused request is listed with its problem document, retried and discarded", async () => {
  const input = { title: "Pack it well", description: "x", project_id: "web" };
  const [later, never] = [await enqueue(input, "later"), await enqueue({ title: 7 }, "never")];
  await admit();
  const listed = bodyOf<Listed>(200, await server.ask("GET /api/inbox?state=refused"));
  expect(listed).toMatchObject({
    waiting: 0,
    refused: 2,
    requests: [
      { id: never, state: "refused", due_at: null, refusal: { code: "VALIDATION_ERROR", status: 422 } },
      { id: later, key: "later", member_id: "ann", role, project_id: "web", refusal: { code: "NOT_FOUND" } },
    ],
  });
  const [first] = listed.requests;
  expect(first?.refusal).toMatchObject({
    next: expect.stringMatching(/\w/) as string,
    errors: [{ path: "title" }, {}],
  });
  await server.ask("POST /api/projects", { body: { id: "web" } });
  const retried = bodyOf(200, await server.ask(`POST /api/inbox/${later}/retry`));
  expect(retried).toMatchObject({ outcome: "created", request: null });
  expect((await server.ask(`GET /api/tasks/${String(retried.task_id)}`)).body).toMatchObject({
    title: "Pack it well",
  });
  expect(bodyOf(200, await server.ask(`POST /api/inbox/${never}/retry`))).toMatchObject({
    outcome: "refused",
    task_id: null,
    request: { id: never, refusal: { code: "VALIDATION_ERROR" } },
  });
  expect((await server.ask(`DELETE /api/inbox/${never}`)).status).toBe(204);
  for (const gone of [
    `DELETE /api/inbox/${never}`,
    `POST /api/inbox/${later}/retry`,
    "POST /api/inbox/x/retry",
  ])
    expect(outcomeOf(await server.ask(gone))).toBe("404 NOT_FOUND");
});

test.each(["state=lost", "cursor=x", "limit=0"])("the query %s is invalid", async (query) => {
  expect(outcomeOf(await server.ask(`GET /api/inbox?${query}`))).toBe("422 VALIDATION_ERROR");
});

test("the same key first over HTTP and then in SQL creates one task", async () => {
  const input = { title: "Only once", description: "x" };
  const body = { lifecycle: "board", ...input, client_event_id: "both" };
  const token = await server.directory.issueToken({ org_id: "main", actor: (await me()).actor }, "ann");
  if (token.kind === "refused") throw new Error(token.detail);
  const created = bodyOf(201, await server.ask("POST /api/tasks", { body, token: token.token }));
  await enqueue(input, "both");
  await admit();
  const tasks = await sql`select id from pawl.task where title = 'Only once'`;
  expect(tasks).toEqual([{ id: created.id }]);
  expect(await sql`select from pawl.inbox where key = 'both'`).toHaveLength(0);
});

test("metrics count waiting and refused requests", async () => {
  await enqueue({}, "refused", "vic");
  await admit();
  await enqueue({}, "waits");
  await sql`update pawl.inbox set created_at = now() - interval '1 hour' where key = 'waits'`;
  const { text } = await server.ask("GET /metrics");
  expect(text).toMatch(/^pawl_inbox_waiting 1$/m);
  expect(text).toMatch(/^pawl_inbox_refused 1$/m);
  expect(Number(/^pawl_inbox_oldest_waiting_seconds (\S+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(3_600);
});
