import { expect, test } from "vitest";
import { startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent"] });

async function newTask() {
  const body = { lifecycle: "board", title: "Paint the shed", description: "x" };
  const created = await server.ask("POST /api/tasks", { token: ann, body });
  return { id: String(created.body.id), etag: created.headers.get("etag") };
}

test("the ETag of a task is its row_version in every answer", async () => {
  const { id, etag } = await newTask();
  expect(etag).toBe('"1"');
  const body = { action: "claim", comment: "mine" };
  const moved = await server.ask(`POST /api/tasks/${id}/transitions`, { token: ann, body });
  expect(moved.headers.get("etag")).toBe('"2"');
  expect((await server.ask(`GET /api/tasks/${id}`)).headers.get("etag")).toBe('"2"');
});

const WAYS: [name: string, ifMatch: string | null, expected: unknown, answer: string][] = [
  ["the version that is", '"1"', undefined, "200"],
  ["the version that is, bare", "1", undefined, "200"],
  ["the version that is, weakened by a proxy", 'W/"1"', undefined, "200"],
  ["the version that is, in the body", null, 1, "200"],
  ["the version that is, twice", '"1"', 1, "200"],
  ["any version", "*", undefined, "200"],
  ["a version of null", null, null, "200"],
  ["a version that was", '"0"', undefined, "409 VERSION_CONFLICT"],
  ["a version to come, in the body", null, 2, "409 VERSION_CONFLICT"],
  ["two versions", '"1"', 2, "422 VALIDATION_ERROR"],
  ["somebody else's ETag", '"abc"', undefined, "422 VALIDATION_ERROR"],
  ["several ETags", '"1", "2"', undefined, "422 VALIDATION_ERROR"],
  ["a number beyond all numbers", `"${"9".repeat(40)}"`, undefined, "422 VALIDATION_ERROR"],
];

test.each(WAYS)("a move with %s (If-Match %s, body %j) gets %s", async (_, ifMatch, expected, answer) => {
  const { id } = await newTask();
  const reply = await server.ask(`POST /api/tasks/${id}/transitions`, {
    token: ann,
    body: { action: "claim", comment: "mine", expected_row_version: expected },
    headers: ifMatch === null ? {} : { "if-match": ifMatch },
  });
  expect(outcomeOf(reply)).toBe(answer);
  if (answer.endsWith("VERSION_CONFLICT")) expect(reply.body).toMatchObject({ row_version: 1 });
});

test("one of many moves with the same expected version succeeds", async () => {
  const { id } = await newTask();
  const reply = await Promise.all(
    Array.from({ length: 10 }, () =>
      server.ask(`POST /api/tasks/${id}/transitions`, {
        token: ann,
        body: { action: "comment", comment: "me first" },
        headers: { "if-match": '"1"' },
      }),
    ),
  );
  expect(reply.map(outcomeOf).sort()).toEqual(["200", ...Array<string>(9).fill("409 VERSION_CONFLICT")]);
});

test("the header is enough for an action that requires a version", async () => {
  const lead = await server.member({ id: "lea", roles: ["lead"] });
  const body = { lifecycle: "planner", title: "Weld", client_event_id: "weld" };
  const { body: task } = await server.ask("POST /api/tasks", { token: lead, body });
  const what = `POST /api/tasks/${String(task.id)}/transitions`;
  const cancel = { action: "cancel", payload: { reason: "rain" }, client_event_id: "cancel" };
  const without = await server.ask(what, { token: lead, body: cancel });
  expect(outcomeOf(without)).toBe("422 VALIDATION_ERROR");
  expect(without.body.errors).toEqual([{ path: "expected_row_version", message: "required" }]);
  const headers = { "if-match": '"1"' };
  expect(outcomeOf(await server.ask(what, { token: lead, body: cancel, headers }))).toBe("200");
});
