import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { ROUTES } from "../../src/api/index.ts";
import type { Route } from "../../src/api/index.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { errand } from "../engine/errand.ts";
import { startTestServer } from "./test-server.ts";

const server = await startTestServer({ lifecycles: [...LIFECYCLES, errand] });
const { body: document } = await server.ask("GET /openapi.json", { token: null });

type Operation = {
  operationId: string;
  parameters: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: { anyOf?: { $ref: string }[] } }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
  security: unknown[];
};
const paths = document.paths as Record<string, Record<string, Operation>>;
const schemas = (document.components as { schemas: Record<string, Record<string, unknown>> }).schemas;

test("an independent validator accepts the document as OpenAPI 3.1", async () => {
  const judge = new Validator();
  const { valid, errors } = await judge.validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect([valid, judge.version]).toEqual([true, "3.1"]);
});

test("every reference can be resolved", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
  expect(references.length).toBeGreaterThan(50);
  const lost = references.filter((ref) => {
    const [, name = ""] = /^#\/components\/schemas\/([\w.-]+)$/.exec(ref) ?? [];
    return !(name in schemas);
  });
  expect(lost).toEqual([]);
  const inCircles = Object.entries(schemas).filter(
    ([name, { $ref }]) => $ref === `#/components/schemas/${name}`,
  );
  expect(inCircles).toEqual([]);
});

test("the document has every route with its answers, refusals and access", () => {
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const operation = paths[route.path]?.[route.method.toLowerCase()];
    expect(operation?.operationId).toBe(name);
    const { responses = {}, security } = operation ?? {};
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(Object.keys(route.replies)));
    expect(security).toEqual(route.access === "open" ? [] : [{ token: [] }]);
    if (route.access !== "open") expect(responses["401"]?.content).toHaveProperty("application/problem+json");
  }
});

test("the document has every lifecycle's creation and actions, with inputs and required fields", () => {
  const offered = (path: string) =>
    paths[path]?.post?.requestBody?.content["application/json"]?.schema.anyOf?.map(({ $ref }) =>
      $ref.replace("#/components/schemas/", ""),
    );
  expect(offered("/api/tasks")).toEqual([...LIFECYCLES, errand].map(({ name }) => `${name}.create`));
  expect(offered("/api/tasks/{id}/transitions")).toEqual(
    [...LIFECYCLES, errand].flatMap(({ name, actions }) =>
      Object.keys(actions).map((action) => `${name}.${action}`),
    ),
  );
  expect(schemas["board.create"]).toMatchObject({
    properties: { lifecycle: { const: "board" }, title: { minLength: 5, maxLength: 200 } },
    required: ["lifecycle", "title", "description"],
  });
  expect(schemas["planner.cancel"]).toMatchObject({
    properties: { action: { const: "cancel" }, payload: { required: ["reason"] } },
    required: ["action", "payload"],
  });
  expect(schemas["board.claim"]).toMatchObject({ required: ["action", "comment"] });
});

test("routes that accept a key or a version accept them as headers too", () => {
  const headersOf = (path: string, method: string) =>
    paths[path]?.[method]?.parameters.filter((one) => one.in === "header").map(({ name }) => name);
  expect(headersOf("/api/tasks/{id}/transitions", "post")).toEqual(["Idempotency-Key", "If-Match"]);
  expect(headersOf("/api/claims", "post")).toEqual(["Idempotency-Key"]);
  expect(headersOf("/api/tasks", "get")).toEqual([]);
  expect(headersOf("/api/events", "get")).toEqual(["Last-Event-ID"]);
});

test("the docs are one page without external files, and explain every problem", async () => {
  const { text, headers } = await server.ask("GET /docs", { token: null });
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(text).not.toMatch(/<script|<link|<img|@import|url\(|https?:\/\//);
  for (const { path } of Object.values<Route>(ROUTES)) expect(text).toContain(path);
  const { body } = await server.ask("GET /api/nothing");
  expect(text).toContain(`id="${String(body.type).split("#")[1] ?? ""}"`);
  const { createHash } = await import("node:crypto");
  const [, style = ""] = /<style>([^]*)<\/style>/.exec(text) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  expect(headers.get("content-security-policy")).toContain(`style-src 'sha256-${hash}'`);
});
