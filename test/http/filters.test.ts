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
