import { expect, test } from "vitest";
import { openFrontDesk, wordOf } from "./front-desk.ts";
import type { Ask, Heard } from "./front-desk.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", roles: ["agent", "worker"] });
const bob = await desk.member({ id: "bob", roles: ["agent", "worker"] });

let keys = 0;
const freshKey = () => `key-${keys++}`;
const board = () => ({ lifecycle: "board", title: `Task ${keys++} of many`, description: "x" });
const made = async (body: object = board()) =>
  String((await desk.ask("POST /api/tasks", { token: ann, body })).body.id);

/** Everything that takes a key: a request, made for a key of its own each time. */
const REQUESTS: Record<string, () => Promise<{ what: string; body: object }>> = {
  "creating a task": () => Promise.resolve({ what: "POST /api/tasks", body: board() }),
  "moving a task": async () => ({
    what: `POST /api/tasks/${await made()}/transitions`,
    body: { action: "claim", comment: "mine" },
  }),
  "claiming tasks": async () => {
    await made({ lifecycle: "code", title: "Mend it" });
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
  ...Object.entries(BY_ADMIN).map(([name, make]) => [name, make, desk.admin] as const),
];

test.each(ALL)(
  "%s with the same key again gives the first answer and changes nothing",
  async (_, make, token) => {
    const { what, body } = await make();
    const client_event_id = freshKey();
    const ways: Ask[] = [
      { token, body: { ...body, client_event_id } },
      { token, body: { ...body, client_event_id } },
      { token, body, headers: { "idempotency-key": client_event_id } },
      { token, body, headers: { "idempotency-key": `"${client_event_id}"` } },
      { token, body: { ...body, client_event_id }, headers: { "idempotency-key": client_event_id } },
    ];
    const heard: Heard[] = [];
    for (const way of ways) heard.push(await desk.ask(what, way));
    expect(heard.map(({ status }) => status)).toEqual(ways.map(() => heard[0]!.status));
    expect(heard[0]!.status).toBeLessThan(300);
    expect(heard.map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([
      null,
      "true",
      "true",
      "true",
      "true",
    ]);
    for (const one of heard.slice(1)) expect(one.body).toEqual(heard[0]!.body);
  },
);

test.each(ALL)(
  "%s with a key that meant something else is 409 IDEMPOTENCY_CONFLICT",
  async (_, make, token) => {
    const { what, body } = await make();
    const client_event_id = freshKey();
    expect((await desk.ask(what, { token, body: { ...body, client_event_id } })).status).toBeLessThan(300);
    const otherwise = await desk.ask(what, {
      token,
      body: { ...body, name: "another", title: "Another one", comment: "no", client_event_id },
    });
    expect(wordOf(otherwise)).toBe("409 IDEMPOTENCY_CONFLICT");
  },
);

test.each(ALL)("%s with two keys that differ is 422, and does nothing", async (_, make, token) => {
  const { what, body } = await make();
  const client_event_id = freshKey();
  const heard = await desk.ask(what, {
    token,
    body: { ...body, client_event_id },
    headers: { "idempotency-key": "another" },
  });
  expect(wordOf(heard)).toBe("422 VALIDATION_ERROR");
  expect(heard.body.errors).toEqual([
    { path: "client_event_id", message: "is not what the header Idempotency-Key says" },
  ]);
  expect((await desk.ask(what, { token, body: { ...body, client_event_id } })).status).toBeLessThan(300);
});

test("another member's use of the key is not told to him who tries it", async () => {
  const body = { ...board(), client_event_id: freshKey() };
  await desk.ask("POST /api/tasks", { token: ann, body });
  const heard = await desk.ask("POST /api/tasks", { token: bob, body });
  expect(wordOf(heard)).toBe("409 IDEMPOTENCY_CONFLICT");
  expect(heard.text).not.toContain("ann");
});

test("a refusal does not use a key up", async () => {
  const id = await made();
  const what = `POST /api/tasks/${id}/transitions`;
  const client_event_id = freshKey();
  const complete = { action: "complete", comment: "done", client_event_id };
  expect(wordOf(await desk.ask(what, { token: ann, body: complete }))).toBe("409 INVALID_TRANSITION");
  await desk.ask(what, { token: ann, body: { action: "claim", comment: "mine" } });
  expect(wordOf(await desk.ask(what, { token: ann, body: complete }))).toBe("200");
});

test("of many who come at once with one key one is first, and all hear the same", async () => {
  for (let round = 0; round < 20; round++) {
    const body = { ...board(), client_event_id: freshKey() };
    const heard = await Promise.all(
      Array.from({ length: 8 }, () => desk.ask("POST /api/tasks", { token: ann, body })),
    );
    expect(new Set(heard.map(({ body: task }) => task.id)).size).toBe(1);
    expect(heard.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1);
  }
});

test("a replay comes before the version: an answer that was lost can be had again", async () => {
  const id = await made();
  const what = `POST /api/tasks/${id}/transitions`;
  const body = { action: "claim", comment: "mine", client_event_id: freshKey(), expected_row_version: 1 };
  const first = await desk.ask(what, { token: ann, body });
  const again = await desk.ask(what, { token: ann, body });
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("etag")).toBe('"2"');
});

test("a batch with a key is replayed action by action", async () => {
  const ids = [await made(), await made()];
  const body = ids.map((id) => ({ id, action: "claim", comment: "mine" }));
  const headers = { "idempotency-key": freshKey() };
  const first = await desk.ask("POST /api/transitions", { token: ann, body, headers });
  const again = await desk.ask("POST /api/transitions", { token: ann, body, headers });
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.body).toEqual(first.body);
  const turned = await desk.ask("POST /api/transitions", { token: ann, body: body.reverse(), headers });
  expect(turned.body).toMatchObject([{ code: "IDEMPOTENCY_CONFLICT" }, { code: "IDEMPOTENCY_CONFLICT" }]);
});

test("a task that was there already by its own key is 200, not 201", async () => {
  const body = { lifecycle: "delivery", user_id: "u", file_id: "f", chat_id: "c", request_nonce: "n" };
  const first = await desk.ask("POST /api/tasks", { token: ann, body });
  const again = await desk.ask("POST /api/tasks", { token: ann, body });
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.body.id).toBe(first.body.id);
  expect(again.headers.get("idempotent-replayed")).toBeNull();
});
