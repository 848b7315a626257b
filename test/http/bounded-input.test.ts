import { expect, test } from "vitest";
import { nearest } from "../../src/core/index.ts";
import { ALL_ROLES, startTestServer, outcomeOf } from "./test-server.ts";
import type { Schema } from "./values-of-schema.ts";

const HUGE = "x".repeat(900_000);
const MAX_ANSWER_LENGTH = 100_000;

const server = await startTestServer();
const token = await server.member({
  id: "boss",
  roles: ALL_ROLES,
});
const { body: document } = await server.ask("GET /openapi.json", { token: null });
const { schemas } = document.components as { schemas: Record<string, Schema> };

type Operation = {
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
};
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      location: `${method.toUpperCase()} ${path}`,
      operation,
    })),
);

test("every text and every list that a caller sends has a maximum in the document", () => {
  const unbounded = operations.flatMap(({ location, operation }) => [
    ...operation.parameters.flatMap(({ name, schema }) => unboundedIn(schema, `${location} ${name}`)),
    ...unboundedIn(operation.requestBody?.content["application/json"].schema ?? {}, location),
  ]);
  expect(operations.length).toBeGreaterThan(100);
  expect(unbounded).toEqual([]);
});

function unboundedIn(schema: Schema, location: string): string[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace("#/components/schemas/", "");
    return unboundedIn(schemas[name] ?? {}, `${location} (${name})`);
  }
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const types = [schema.type ?? []].flat();
  const isOpenText = types.includes("string") && !schema.enum && schema.const === undefined;
  const hasFormat = ["uuid", "date-time"].includes(schema.format ?? "");
  return [
    ...(isOpenText && !hasFormat && schema.maxLength === undefined ? [location] : []),
    ...(types.includes("array") && schema.maxItems === undefined ? [`${location}[]`] : []),
    ...parts.flatMap((part) => unboundedIn(part, location)),
    ...(schema.items ? unboundedIn(schema.items, `${location}[]`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
      unboundedIn(part, `${location}.${name}`),
    ),
  ];
}

const task = { lifecycle: "board", title: "A title", description: "x" };
const { body: createdTask } = await server.ask("POST /api/tasks", { token, body: task });
const move = `POST /api/tasks/${String(createdTask.id)}/transitions`;
const huge = "a".repeat(15_000);

const ROWS: [name: string, what: string, body: unknown, answer: string][] = [
  ["a lifecycle", "POST /api/claims", { lifecycle: HUGE }, "422 VALIDATION_ERROR"],
  ["a new task's lifecycle", "POST /api/tasks", { ...task, lifecycle: HUGE }, "422 VALIDATION_ERROR"],
  ["a project", "POST /api/tasks", { ...task, project_id: HUGE }, "422 VALIDATION_ERROR"],
  ["a description", "POST /api/tasks", { ...task, description: HUGE }, "422 VALIDATION_ERROR"],
  ["a blocker", "POST /api/tasks", { ...task, blocked_by: [HUGE] }, "422 VALIDATION_ERROR"],
  ["an unknown field's name", "POST /api/tasks", { ...task, [HUGE]: 1 }, "422 VALIDATION_ERROR"],
  ["a ref", "POST /api/tasks/batch", { tasks: [{ ...task, ref: HUGE }] }, "422 VALIDATION_ERROR"],
  ["an action", move, { action: HUGE }, "422 VALIDATION_ERROR"],
  ["a comment", move, { action: "comment", comment: HUGE }, "422 VALIDATION_ERROR"],
  ["a lease token", move, { action: "comment", comment: "x", lease_token: HUGE }, "422 VALIDATION_ERROR"],
  [
    "a payload's key",
    move,
    { action: "comment", comment: "x", payload: { [HUGE]: 1 } },
    "422 VALIDATION_ERROR",
  ],
  ["a key", move, { action: "comment", comment: "x", client_event_id: HUGE }, "422 VALIDATION_ERROR"],
  ["a task's id", "POST /api/transitions", [{ id: HUGE, action: "claim" }], "422 VALIDATION_ERROR"],
  [
    "an action of many",
    "POST /api/transitions",
    [{ id: createdTask.id, action: HUGE }],
    "422 VALIDATION_ERROR",
  ],
  [
    "a lease",
    "POST /api/heartbeats",
    { leases: [{ task_id: HUGE, lease_token: "x" }] },
    "422 VALIDATION_ERROR",
  ],
  [
    "a filter's name",
    "POST /api/claims",
    { lifecycle: "board", filter: { [HUGE]: 1 } },
    "422 VALIDATION_ERROR",
  ],
  ["a member's role", "POST /api/members", { roles: [HUGE] }, "422 VALIDATION_ERROR"],
  ["a member's id", "POST /api/members", { id: HUGE }, "422 VALIDATION_ERROR"],
  ["a setting's name", "POST /api/projects", { settings: { [HUGE]: {} } }, "422 VALIDATION_ERROR"],
  ["a session's token", "POST /api/session", { token: HUGE }, "422 VALIDATION_ERROR"],
  ["a token's name", "POST /api/members/admin/tokens", { name: HUGE }, "422 VALIDATION_ERROR"],
  ["a link's code", "POST /api/session/code", { code: HUGE }, "422 VALIDATION_ERROR"],
  [
    "a board's action",
    `POST /api/board/tasks/${String(createdTask.id)}/transitions`,
    { action: HUGE },
    "422 VALIDATION_ERROR",
  ],
  ["a code task's action", "POST /api/code/tasks/x/transitions", { action: HUGE }, "422 VALIDATION_ERROR"],
  [
    "a planner task's action",
    "POST /api/planner/tasks/x/transitions",
    { action: HUGE },
    "422 VALIDATION_ERROR",
  ],
  ["a job's action", "POST /api/delivery/jobs/x/transitions", { action: HUGE }, "422 VALIDATION_ERROR"],
  ["a status in a query", `GET /api/tasks?status=${huge}`, undefined, "422 VALIDATION_ERROR"],
  [
    "many statuses in a query",
    `GET /api/tasks?status=${"a,".repeat(7_000)}`,
    undefined,
    "422 VALIDATION_ERROR",
  ],
  ["a lifecycle in a query", `GET /api/overview?lifecycle=${huge}`, undefined, "422 VALIDATION_ERROR"],
  [
    "a member in a query",
    `GET /api/insights?lifecycle=board&member_id=${huge}`,
    undefined,
    "422 VALIDATION_ERROR",
  ],
  ["a cursor", `GET /api/tasks?cursor=${huge}`, undefined, "422 VALIDATION_ERROR"],
  [
    "half a million wrong items",
    "POST /api/tasks",
    { ...task, blocked_by: Array.from({ length: 400_000 }, () => 1) },
    "422 VALIDATION_ERROR",
  ],
  [
    "thousands of wrong fields",
    "POST /api/transitions",
    Array.from({ length: 500 }, () => ({ id: 1, action: 1, comment: 1, lease_token: 1 })),
    "422 VALIDATION_ERROR",
  ],
];

test.each(ROWS)("%s that is too long is refused, and the answer is short", async (_, what, body, answer) => {
  const reply = await server.ask(what, { token, ...(body === undefined ? {} : { body }) });
  expect(outcomeOf(reply), reply.text.slice(0, 300)).toBe(answer);
  expect(reply.text.length).toBeLessThan(MAX_ANSWER_LENGTH);
});

test("the library refuses names that are too long, and its answers are short", async () => {
  const by = await server.directory.authenticate(token);
  if (by.kind === "refused") throw new Error(by.detail);
  const refusals = [
    await server.engine.create(by, [{ lifecycle: HUGE }]),
    await server.engine.create(by, [{ ...task, project_id: HUGE }]),
    await server.engine.claim(by, { lifecycle: HUGE }),
    await server.engine.perform(by, { task_id: String(createdTask.id), action: HUGE, comment: "x" }),
    await server.engine.perform(by, { task_id: String(createdTask.id), action: "comment", comment: HUGE }),
    await server.engine.perform(by, { task_id: HUGE, action: "comment", comment: "x" }),
  ];
  for (const refusal of refusals) {
    expect(refusal.kind).toBe("refused");
    expect(JSON.stringify(refusal).length).toBeLessThan(2_000);
  }
});

test("a short misspelling gets a suggestion, a long word gets none", () => {
  expect(nearest("bord", ["code", "board"])).toBe("board");
  expect(nearest(HUGE, ["code", HUGE.slice(1)])).toBeNull();
  expect(nearest("board", [HUGE, "boards"])).toBe("boards");
});
