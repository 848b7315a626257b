import { expect, test } from "vitest";
import { openFrontDesk, wordOf } from "./front-desk.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", roles: ["agent"] });

async function newTask() {
  const body = { lifecycle: "board", title: "Paint the shed", description: "x" };
  const made = await desk.ask("POST /api/tasks", { token: ann, body });
  return { id: String(made.body.id), etag: made.headers.get("etag") };
}

test("the ETag of a task is its row_version, wherever it is told", async () => {
  const { id, etag } = await newTask();
  expect(etag).toBe('"1"');
  const body = { action: "claim", comment: "mine" };
  const moved = await desk.ask(`POST /api/tasks/${id}/transitions`, { token: ann, body });
  expect(moved.headers.get("etag")).toBe('"2"');
  expect((await desk.ask(`GET /api/tasks/${id}`)).headers.get("etag")).toBe('"2"');
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

test.each(WAYS)("a move with %s (If-Match %s, body %j) is %s", async (_, ifMatch, expected, answer) => {
  const { id } = await newTask();
  const heard = await desk.ask(`POST /api/tasks/${id}/transitions`, {
    token: ann,
    body: { action: "claim", comment: "mine", expected_row_version: expected },
    headers: ifMatch === null ? {} : { "if-match": ifMatch },
  });
  expect(wordOf(heard)).toBe(answer);
  if (answer.endsWith("VERSION_CONFLICT")) expect(heard.body).toMatchObject({ row_version: 1 });
});

test("of many who move a task from the version they all saw one does", async () => {
  const { id } = await newTask();
  const heard = await Promise.all(
    Array.from({ length: 10 }, () =>
      desk.ask(`POST /api/tasks/${id}/transitions`, {
        token: ann,
        body: { action: "comment", comment: "me first" },
        headers: { "if-match": '"1"' },
      }),
    ),
  );
  expect(heard.map(wordOf).sort()).toEqual(["200", ...Array<string>(9).fill("409 VERSION_CONFLICT")]);
});

test("where an action demands a version the header is enough", async () => {
  const lead = await desk.member({ id: "lea", roles: ["lead"] });
  const body = { lifecycle: "planner", title: "Weld", client_event_id: "weld" };
  const { body: task } = await desk.ask("POST /api/tasks", { token: lead, body });
  const what = `POST /api/tasks/${String(task.id)}/transitions`;
  const cancel = { action: "cancel", payload: { reason: "rain" }, client_event_id: "cancel" };
  const without = await desk.ask(what, { token: lead, body: cancel });
  expect(wordOf(without)).toBe("422 VALIDATION_ERROR");
  expect(without.body.errors).toEqual([{ path: "expected_row_version", message: "required" }]);
  const headers = { "if-match": '"1"' };
  expect(wordOf(await desk.ask(what, { token: lead, body: cancel, headers }))).toBe("200");
});
