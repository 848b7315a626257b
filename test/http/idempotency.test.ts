import { expect, test } from "vitest";
import { startTestServer, outcomeOf } from "./test-server.ts";
import type { RequestOptions, Reply } from "./test-server.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent", "worker"] });
const bob = await server.member({ id: "bob", roles: ["agent", "worker"] });

let keys = 0;
const freshKey = () => `key-${keys++}`;
const board = () => ({ lifecycle: "board", title: `Task ${keys++} of many`, description: "x" });
const createTask = async (body: object = board()) =>
  String((await server.ask("POST /api/tasks", { token: ann, body })).body.id);

/** Every request that accepts an idempotency key; each call returns a new one. */
const REQUESTS: Record<string, () => Promise<{ what: string; body: object }>> = {
  "creating a task": () => Promise.resolve({ what: "POST /api/tasks", body: board() }),
  "moving a task": async () => ({
    what: `POST /api/tasks/${await createTask()}/transitions`,
    body: { action: "claim", comment: "mine" },
  }),
  "claiming tasks": async () => {
    await createTask({ lifecycle: "code", title: "Mend it" });
    return { what: "POST /api/claims", body: { lifecycle: "code" } };
  },
};
const BY_ADMIN: typeof REQUESTS = {
  "adding a member": () => Promise.resolve({ what: "POST /api/members", body: { name: `m${keys++}` } }),
  "changing a member": () =>
    Promise.resolve({ what: "PATCH /api/members/bob", body: { name: `bob ${keys++}` } }),
  "adding a project": () => Promise.resolve({ what: "POST /api/projects", body: { name: `p${keys++}` } }),
  "changing a project": () =>
    Promise.resolve({ what: "PATCH /api/projects/main", body: { name: `main ${keys++}` } }),
};
const ALL = [
  ...Object.entries(REQUESTS).map(([name, make]) => [name, make, ann] as const),
  ...Object.entries(BY_ADMIN).map(([name, make]) => [name, make, server.admin] as const),
];

test.each(ALL)(
  "%s with the same key again gives the first answer and changes nothing",
  async (_, make, token) => {
    const { what, body } = await make();
    const client_event_id = freshKey();
    const ways: RequestOptions[] = [
      { token, body: { ...body, client_event_id } },
      { token, body: { ...body, client_event_id } },
      { token, body, headers: { "idempotency-key": client_event_id } },
      { token, body, headers: { "idempotency-key": `"${client_event_id}"` } },
      { token, body: { ...body, client_event_id }, headers: { "idempotency-key": client_event_id } },
    ];
    const reply: Reply[] = [];
    for (const way of ways) reply.push(await server.ask(what, way));
    expect(reply.map(({ status }) => status)).toEqual(ways.map(() => reply[0]!.status));
    expect(reply[0]!.status).toBeLessThan(300);
    expect(reply.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([
      null,
      "true",
      "true",
      "true",
      "true",
    ]);
    for (const one of reply.slice(1)) expect(one.body).toEqual(reply[0]!.body);
  },
);

test.each(ALL)(
  "%s with a key that was used for another request gets 409 IDEMPOTENCY_CONFLICT",
  async (_, make, token) => {
    const { what, body } = await make();
    const client_event_id = freshKey();
    expect((await server.ask(what, { token, body: { ...body, client_event_id } })).status).toBeLessThan(300);
    const otherwise = await server.ask(what, {
      token,
      body: { ...body, name: "another", title: "Another one", comment: "no", client_event_id },
    });
    expect(outcomeOf(otherwise)).toBe("409 IDEMPOTENCY_CONFLICT");
  },
);

test.each(ALL)("%s with two different keys gets 422, and does nothing", async (_, make, token) => {
  const { what, body } = await make();
  const client_event_id = freshKey();
  const reply = await server.ask(what, {
    token,
    body: { ...body, client_event_id },
    headers: { "idempotency-key": "another" },
  });
  expect(outcomeOf(reply)).toBe("422 VALIDATION_ERROR");
  expect(reply.body.errors).toEqual([
    { path: "client_event_id", message: "differs from the header Idempotency-Key" },
  ]);
  expect((await server.ask(what, { token, body: { ...body, client_event_id } })).status).toBeLessThan(300);
});

test("a key used by another member is a conflict that does not reveal that member", async () => {
  const body = { ...board(), client_event_id: freshKey() };
  await server.ask("POST /api/tasks", { token: ann, body });
  const reply = await server.ask("POST /api/tasks", { token: bob, body });
  expect(outcomeOf(reply)).toBe("409 IDEMPOTENCY_CONFLICT");
  expect(reply.text).not.toContain("ann");
});

test("a refused request does not use up its key", async () => {
  const id = await createTask();
  const what = `POST /api/tasks/${id}/transitions`;
  const client_event_id = freshKey();
  const complete = { action: "complete", comment: "done", client_event_id };
  expect(outcomeOf(await server.ask(what, { token: ann, body: complete }))).toBe("409 INVALID_TRANSITION");
  await server.ask(what, { token: ann, body: { action: "claim", comment: "mine" } });
  expect(outcomeOf(await server.ask(what, { token: ann, body: complete }))).toBe("200");
});

test("one of many concurrent requests with the same key takes effect, and all get its answer", async () => {
  for (let round = 0; round < 20; round++) {
    const body = { ...board(), client_event_id: freshKey() };
    const reply = await Promise.all(
      Array.from({ length: 8 }, () => server.ask("POST /api/tasks", { token: ann, body })),
    );
    expect(new Set(reply.map(({ body: task }) => task.id)).size).toBe(1);
    expect(reply.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
  }
});

test("a repeated request is answered before its version is checked, so a lost answer can be fetched again", async () => {
  const id = await createTask();
  const what = `POST /api/tasks/${id}/transitions`;
  const body = { action: "claim", comment: "mine", client_event_id: freshKey(), expected_row_version: 1 };
  const first = await server.ask(what, { token: ann, body });
  const again = await server.ask(what, { token: ann, body });
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("etag")).toBe('"2"');
});

test("a batch with a key is replayed action by action", async () => {
  const ids = [await createTask(), await createTask()];
  const body = ids.map((id) => ({ id, action: "claim", comment: "mine" }));
  const headers = { "idempotency-key": freshKey() };
  const first = await server.ask("POST /api/transitions", { token: ann, body, headers });
  const again = await server.ask("POST /api/transitions", { token: ann, body, headers });
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.body).toEqual(first.body);
  const turned = await server.ask("POST /api/transitions", { token: ann, body: body.reverse(), headers });
  expect(turned.body).toMatchObject([{ code: "IDEMPOTENCY_CONFLICT" }, { code: "IDEMPOTENCY_CONFLICT" }]);
});

test("a task that its dedupe key finds gets 200, not 201", async () => {
  const body = { lifecycle: "delivery", user_id: "u", file_id: "f", chat_id: "c", request_nonce: "n" };
  const first = await server.ask("POST /api/tasks", { token: ann, body });
  const again = await server.ask("POST /api/tasks", { token: ann, body });
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.body.id).toBe(first.body.id);
  expect(again.headers.get("idempotent-replayed")).toBeNull();
});
