import { expect, test } from "vitest";
import { startTestServer } from "./test-server.ts";

const server = await startTestServer();
const token = await server.member({ id: "ann", roles: ["agent"] });

const detailOf = async (query: string) => {
  const { status, body } = await server.ask(`GET /api/tasks?${query}`, { token });
  return status === 200 ? "200" : `${status} ${body.detail as string}`;
};

test.each([
  ["status=IN_PROGRES", '422 No lifecycle has a status "IN_PROGRES"; did you mean "IN_PROGRESS"?'],
  ["lifecycle=board&status=DON", '422 The lifecycle "board" has no status "DON"; did you mean "DONE"?'],
  ["lifecycle=bord", '422 There is no lifecycle "bord"; did you mean "board"?'],
  ["project_id=nowhere", '404 There is no project "nowhere".'],
  ["assigned_to=nosuch", '404 There is no member "nosuch".'],
  ["held_by=nosuch", '404 There is no member "nosuch".'],
  ["status=DONE", "200"],
  ["lifecycle=code&status=completed&project_id=main&assigned_to=ann", "200"],
])("a list of tasks by %s is answered with %s", async (query, expected) => {
  expect(await detailOf(query)).toBe(expected);
});

test("a stream of events of an unknown lifecycle is refused, because it would stay silent", async () => {
  const { status, body } = await server.ask("GET /api/events?lifecycle=bord", { token });
  expect([status, body.detail]).toEqual([422, 'There is no lifecycle "bord"; did you mean "board"?']);
});

test("a lifecycle that only another node or an earlier version declares can be named, because its tasks may exist", async () => {
  expect(await detailOf("lifecycle=parcels&status=lost")).toMatch(/^422 There is no lifecycle "parcels"/);
  const definition = { statuses: [{ name: "lost" }, { name: "found" }] };
  await server.sql`insert into pawl.lifecycle (name, version, definition)
    values ('parcels', 1, ${JSON.stringify(definition)}::text::jsonb)`;
  expect(await detailOf("lifecycle=parcels&status=lost")).toBe("200");
  expect(await detailOf("status=lost,DONE")).toBe("200");
  expect(await detailOf("lifecycle=board&status=lost")).toMatch(
    /^422 The lifecycle "board" has no status "lost"/,
  );
});

test("the list of tasks that a member has contains assigned and leased ones, and no finished ones", async () => {
  const worker = await server.member({ id: "wim", roles: ["agent", "worker", "lead"] });
  const create = async (body: object) => {
    const made = await server.ask("POST /api/tasks", { token: worker, body });
    expect(made.status, made.text).toBe(201);
    return String(made.body.id);
  };
  const board = (title: string) => create({ lifecycle: "board", title, description: "So" });
  const [mine, done] = [await board("Mine to do"), await board("Done already")];
  await board("Free for all");
  const leased = await create({ lifecycle: "code", title: "Held by a lease" });
  const move = (id: string, action: string) =>
    server.ask(`POST /api/tasks/${id}/transitions`, { token: worker, body: { action, comment: "so" } });
  await move(mine, "claim");
  for (const action of ["claim", "complete"]) await move(done, action);
  expect((await server.ask("POST /api/claims", { token: worker, body: { lifecycle: "code" } })).status).toBe(
    200,
  );
  const listed = async (query: string) => {
    const { body } = await server.ask(`GET /api/tasks?${query}`, { token: worker });
    return (body.tasks as { id: string }[]).map(({ id }) => id);
  };
  expect(await listed("held_by=me")).toEqual([mine, leased]);
  expect(await listed("held_by=wim&lifecycle=board&sort=priority")).toEqual([mine]);
});

test("the list of tasks that need attention is that of the overview, with their total", async () => {
  const create = async (title: string) =>
    String(
      (await server.ask("POST /api/tasks", { token, body: { lifecycle: "board", title, description: "So" } }))
        .body.id,
    );
  const late = [await create("Late one"), await create("Late two")];
  await create("In time");
  await server.sql`update pawl.task set due_at = now() - interval '1 minute' where id = any(${late})`;
  const { body } = await server.ask("GET /api/tasks?attention=true&total=true&limit=1", { token });
  expect([(body.tasks as unknown[]).length, body.total]).toEqual([1, 2]);
  const all = await server.ask("GET /api/tasks?attention=true", { token });
  expect((all.body.tasks as { id: string }[]).map(({ id }) => id)).toEqual(late);
  expect(all.body.total).toBeUndefined();
  const overview = await server.ask("GET /api/overview", { token });
  expect((overview.body.attention as { task_id: string }[]).map(({ task_id }) => task_id)).toEqual(late);
  // The filter and the total are those of the status too.
  const none = await server.ask("GET /api/tasks?attention=true&total=true&lifecycle=board&status=DONE", {
    token,
  });
  expect([none.body.tasks, none.body.total]).toEqual([[], 0]);
});
