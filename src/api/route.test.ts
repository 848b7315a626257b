import { expect, expectTypeOf, test } from "vitest";
import { ROUTES } from "./index.ts";
import type { BodySent, ParamsOf, QueryRead, QuerySent, ReplyOf, Route, TaskOnWire } from "./index.ts";

test("clients and servers get their types from the table", () => {
  expectTypeOf<ParamsOf<typeof ROUTES.getTask>>().toEqualTypeOf<{ id: string }>();
  expectTypeOf<ReplyOf<typeof ROUTES.getTask>>().toEqualTypeOf<TaskOnWire>();
  expectTypeOf<ReplyOf<typeof ROUTES.drawLifecycle>>().toEqualTypeOf<string>();
  expectTypeOf<ReplyOf<typeof ROUTES.revokeToken>>().toEqualTypeOf<undefined>();
  expectTypeOf<QuerySent<typeof ROUTES.listTaskEvents>>().toEqualTypeOf<{
    after?: number | undefined;
    limit?: number | undefined;
  }>();
  expectTypeOf<QueryRead<typeof ROUTES.listTaskEvents>>().toEqualTypeOf<{ after: number; limit: number }>();
  expectTypeOf<BodySent<typeof ROUTES.moveTask>["action"]>().toEqualTypeOf<string>();
  expectTypeOf<BodySent<typeof ROUTES.getTask>>().toEqualTypeOf<undefined>();
});

test("no two rows have the same method and path, and no GET has a body", () => {
  const rows = Object.values<Route>(ROUTES);
  const requests = rows.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
  expect(new Set(requests).size).toBe(requests.length);
  expect(rows.filter(({ method, body }) => method === "GET" && body)).toEqual([]);
});
