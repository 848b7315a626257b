import { expect, test } from "vitest";
import { ROUTES } from "../api/index.ts";
import { requestOf, routeMeta } from "./request.ts";
import { ROWS } from "./route-meta.ts";

test("path parameters go into the path, other fields into the query", () => {
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

test("a request that changes data has its other fields in the body, and a key of its own", () => {
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

test("a given key stays in its place, and routes without idempotency get no key", () => {
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

test.each([undefined, null, "", ".", "..", 7])("%j is refused as a path parameter", (id) => {
  expect(() => requestOf(ROWS.getTask, { id })).toThrow(TypeError);
});

test("the client's generated rows match the route table", () => {
  expect(ROWS).toEqual(
    Object.fromEntries(Object.entries(ROUTES).map(([name, row]) => [name, routeMeta(row)])),
  );
});
