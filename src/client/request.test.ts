import { expect, test } from "vitest";
import { ROUTES } from "../api/index.ts";
import { requestOf, rowOf } from "./request.ts";
import { ROWS } from "./rows.ts";

test("what the path names goes there, the rest becomes the query", () => {
  expect(requestOf(ROWS.listTaskEvents, { id: "a/b ?", after: 3, limit: undefined })).toEqual({
    method: "GET",
    path: "/api/tasks/a%2Fb%20%3F/events?after=3",
    headers: {},
  });
  expect(requestOf(ROWS.listTasks, { status: ["NEW", "DONE"], q: "a&b" }).path).toBe(
    "/api/tasks?status=NEW%2CDONE&q=a%26b",
  );
  expect(requestOf(ROWS.getMe, undefined).path).toBe("/api/me");
});

test("the rest of what changes something is its body, and it has a key of its own", () => {
  const sent = { id: "1", action: "claim", comment: null };
  expect(requestOf(ROWS.moveTask, sent, () => "key")).toEqual({
    method: "POST",
    path: "/api/tasks/1/transitions",
    headers: { "content-type": "application/json", "idempotency-key": "key" },
    body: '{"action":"claim","comment":null}',
  });
  expect(sent).toEqual({ id: "1", action: "claim", comment: null });
  expect(requestOf(ROWS.moveTasks, [sent], () => "key")).toMatchObject({
    headers: { "idempotency-key": "key" },
    body: JSON.stringify([sent]),
  });
  const keys = [requestOf(ROWS.moveTask, sent), requestOf(ROWS.moveTask, sent)].map(
    ({ headers }) => headers["idempotency-key"],
  );
  expect(new Set(keys).size).toBe(2);
});

test("a key that was given is left where it is, and what takes none gets none", () => {
  expect(requestOf(ROWS.moveTask, { id: "1", action: "x", client_event_id: "mine" }).headers).toEqual({
    "content-type": "application/json",
  });
  expect(requestOf(ROWS.createToken, { id: "1" }).headers).toEqual({ "content-type": "application/json" });
  expect(requestOf(ROWS.revokeToken, { id: "1" })).toEqual({
    method: "DELETE",
    path: "/api/tokens/1",
    headers: {},
  });
  const removal = { method: "DELETE", path: "/api/letters/{id}", idempotent: true } as const;
  expect(requestOf(removal, { id: "1" }, () => "key").headers).toEqual({ "idempotency-key": "key" });
});

test.each([undefined, null, "", ".", "..", 7])("%j cannot stand in a path", (id) => {
  expect(() => requestOf(ROWS.getTask, { id })).toThrow(TypeError);
});

test("the rows that the client carries are those of the table", () => {
  expect(ROWS).toEqual(Object.fromEntries(Object.entries(ROUTES).map(([name, row]) => [name, rowOf(row)])));
});
