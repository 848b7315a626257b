import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { ROUTES } from "../../src/api/index.ts";
import type { Route } from "../../src/api/index.ts";
import { findTooDeep } from "../../src/core/index.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";
import { startTestServer } from "./test-server.ts";
import { DEEPLY_NESTED, fitting, spoilt } from "./values-of-schema.ts";
import type { Schema } from "./values-of-schema.ts";

const RUNS = 60;
const REQUESTS_A_RUN = 25;

type Operation = {
  operationId: string;
  parameters: { name: string; in: "path" | "query" | "header"; schema: Schema }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<string, { description: string; content?: Record<string, unknown> }>;
};
type CreatedTask = { id: string; lifecycle: string };
type Endpoint = { method: string; path: string; operation: Operation };

// Client and server share a process: while it compiles schemas, requests wait longer than the server would allow.
const server = await startTestServer({ server: { requestTimeoutMs: 2 * WAIT_LIMIT_MS } });
const { body: document } = await server.ask("GET /openapi.json", { token: null });
const paths = document.paths as Record<string, Record<string, Operation>>;
const { schemas } = document.components as { schemas: Record<string, Schema> };

// Streams have tests of their own.
const ENDPOINTS: Endpoint[] = Object.entries(paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  .filter(({ operation }) => !JSON.stringify(operation.responses).includes("text/event-stream"));

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

/** Callers: one for each set of roles, one without projects, one of another org, and none. */
const ROLES = [
  ["admin", "system", "agent", "worker", "executor", "lead", "supervisor"],
  ["agent"],
  ["worker", "executor"],
  ["lead"],
  ["viewer"],
];
const everyone = await Promise.all(
  ROLES.map((roles, index) => server.member({ id: `m${index}`, roles, skill_level: 5 })),
);
const others = [
  await server.member({ id: "out", roles: ["agent", "lead"], project_ids: [] }),
  await server.member({ id: "m0", roles: ["admin", "agent"] }, "other"),
];
const tokens = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...everyone, server.admin) },
  { weight: 1, arbitrary: fc.constantFrom<string | null>(...others, "nonsense", null) },
);

/** Fields that are valid only if other things exist, or do not exist yet. */
const DEPENDENT_FIELDS = [
  ...["blocked_by", "depends_on", "ref", "available_at"],
  ...["fix_of_task_id", "defect", "defect_id", "deliverable_id", "parent_task_id"],
];

const created = await tasksOfAllLifecycles();
const ids = fc.constantFrom(...created.map(({ id }) => id), "0197a000-0000-7000-8000-000000000001");
const KNOWN = {
  // Claims must not wait here.
  wait_seconds: fc.constant(0),
  lifecycle: fc.constantFrom(...LIFECYCLES.map(({ name }) => name)),
  project_id: fc.constantFrom("main", "main", "nowhere"),
  id: ids,
  task_id: ids,
  name: fc.constantFrom(...LIFECYCLES.map(({ name }) => name)),
  assigned_to: fc.constantFrom("m1", "m2", "me"),
  held_by: fc.constantFrom("m1", "m2", "me"),
  project_ids: fc.constantFrom(null, ["main"]),
  active: fc.constant(true),
  token: fc.constantFrom(...everyone),
};

type Sent = {
  endpoint: Endpoint;
  path: string;
  token: string | null;
  headers: Record<string, string>;
  body: string | undefined;
};

const requests = fc.array(fc.constantFrom(...ENDPOINTS).chain(requestTo), {
  minLength: REQUESTS_A_RUN,
  maxLength: REQUESTS_A_RUN,
});
const seen = new Map<string, number>();

test("every request, valid or invalid, gets an answer of the document, and never an internal error", async () => {
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      await Promise.all(sent.map(expectPromisedAnswer));
      asked += sent.length;
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(asked).toBe(RUNS * REQUESTS_A_RUN);
  expect([...new Set(created.map(({ lifecycle }) => lifecycle))]).toEqual(LIFECYCLES.map(({ name }) => name));
  // Not only refusals: each operation without lifecycle rules has also accepted a valid request, except going back, which
  // needs the cookie of a session, and a sign-in by a link, which needs an unused code.
  const freely = new Set(
    Object.entries<Route>(ROUTES)
      .filter(([, { ruled }]) => !ruled)
      .map(([name]) => name),
  );
  const needsMore = ["goBack", "signInWithCode"];
  const free = ENDPOINTS.filter(
    ({ operation: { operationId } }) => freely.has(operationId) && !needsMore.includes(operationId),
  );
  // Try operations that no random request has reached so far.
  for (const endpoint of free)
    for (const sent of fc.sample(requestTo(endpoint), 200)) {
      if (seen.has(endpoint.operation.operationId)) break;
      await expectPromisedAnswer({ ...sent, token: server.admin });
    }
  const neverAccepted = free
    .map(({ operation }) => operation.operationId)
    .filter((operation) => !seen.has(operation));
  expect(neverAccepted).toEqual([]);
});

test.for(["\0", "a/b", "é", "__proto__", "x".repeat(1_001)])("no route fails on the id %j", async (odd) => {
  const named = ENDPOINTS.filter(({ path }) => path.includes("{"));
  expect(named.length).toBeGreaterThan(50);
  for (const endpoint of named)
    for (const sent of fc.sample(requestTo(endpoint), { numRuns: 2, seed: 7 })) {
      const [, query = ""] = sent.path.split("?");
      const path = endpoint.path.replaceAll(/\{\w+\}/g, encodeURIComponent(odd));
      await expectPromisedAnswer({ ...sent, token: server.admin, path: `${path}?${query}` });
    }
});

test("a request sent twice at once, with one key or with two, never causes an internal error", async () => {
  const changing = ENDPOINTS.filter(({ method }) => method !== "GET");
  expect(changing.length).toBeGreaterThan(60);
  for (const [index, endpoint] of changing.entries())
    for (const [run, sent] of fc.sample(requestTo(endpoint), { numRuns: 4, seed: 11 }).entries()) {
      const body = withoutKey(sent.body);
      const key = `twice-${index}-${run}`;
      const twins = run % 2 === 0 ? [key, key] : [`${key}-a`, `${key}-b`];
      await Promise.all(
        twins.map((twin) => {
          const headers = { ...sent.headers, "idempotency-key": twin };
          return expectPromisedAnswer({ ...sent, body, headers, token: everyone[0]! });
        }),
      );
    }
});

/** The key comes in the header; another one in the body would be refused. */
function withoutKey(body: string | undefined): string | undefined {
  if (!body?.includes('"client_event_id"')) return body;
  const { client_event_id: _, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return findTooDeep(rest) ? body : JSON.stringify(rest);
}

async function expectPromisedAnswer({ endpoint, path, token, headers, body }: Sent): Promise<void> {
  const { method, operation } = endpoint;
  const response = await fetch(server.url + path, {
    method,
    headers: { ...headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const { status } = response;
  const summary = `${method} ${path} ${body ?? ""} → ${status} ${text}`;
  if (status < 300) seen.set(operation.operationId, (seen.get(operation.operationId) ?? 0) + 1);
  const row = String(status) in operation.responses ? String(status) : `${String(status)[0] ?? ""}XX`;
  const promised = operation.responses[row];
  if (status === 500 || !promised) throw new Error(`not documented: ${summary}`);
  const [media = ""] = (response.headers.get("content-type") ?? "").split(";");
  if (!promised.content) {
    if (text !== "") throw new Error(`a body that is not documented: ${summary}`);
    return;
  }
  if (!(media in promised.content)) throw new Error(`${media} is not documented: ${summary}`);
  const value: unknown = media.endsWith("json") ? JSON.parse(text) : text;
  const judge = judgeOf(promised.content[media] as { schema: object });
  if (!judge(value)) throw new Error(`${ajv.errorsText(judge.errors)}: ${summary}`);
  if (status < 400) return;
  const { code, status: statusInBody } = value as { code: string; status: number };
  const codes = promised.description.split(", ");
  if (statusInBody !== status || !(row.endsWith("XX") || codes.includes(code)))
    throw new Error(`${code} is not among ${codes.join(", ")}: ${summary}`);
}

function at(ref: string): Schema {
  return schemas[ref.replace("#/components/schemas/", "")] ?? {};
}

const judges = new Map<unknown, ValidateFunction>();

/** Compiles a schema of the document, with the document's other schemas for its references. */
function judgeOf({ schema }: { schema: object }): ValidateFunction {
  const judge = judges.get(schema) ?? ajv.compile({ ...schema, components: document.components });
  judges.set(schema, judge);
  return judge;
}

function requestTo(endpoint: Endpoint): Arbitrary<Sent> {
  // Actions must be those of the task's lifecycle.
  if (endpoint.operation.operationId === "moveTask")
    return fc.constantFrom(...created).chain((task) => requestOf(endpoint, task, { anyOf: movesOf(task) }));
  return requestOf(endpoint, null, endpoint.operation.requestBody?.content["application/json"].schema);
}

function movesOf({ lifecycle }: CreatedTask): Schema[] {
  const names = Object.keys(LIFECYCLES.find(({ name }) => name === lifecycle)?.actions ?? {});
  return names.map((name) => at(`${lifecycle}.${name}`));
}

function requestOf(
  endpoint: Endpoint,
  task: CreatedTask | null,
  schema: Schema | undefined,
): Arbitrary<Sent> {
  const { operation } = endpoint;
  const fit = schema ? fitting(schema, at, KNOWN) : null;
  const body = fit
    ? fc.oneof(
        { weight: 6, arbitrary: fit.map(json) },
        { weight: 4, arbitrary: spoilt(fit).map(json) },
        { weight: 1, arbitrary: fc.constantFrom("", "{", "[1,]", "nul", '"\\ud800"') },
      )
    : fc.constantFrom(undefined, undefined, endpoint.method === "GET" ? undefined : "{}");
  const type = fc.oneof(
    { weight: 20, arbitrary: fc.constant("application/json") },
    { weight: 1, arbitrary: fc.constantFrom("text/plain", "application/json; charset=latin1") },
  );
  const parameters = fc.tuple(
    ...operation.parameters.map((one) => valueOf(endpoint, task, one).map((value) => ({ ...one, value }))),
  );
  return fc.tuple(parameters, body, type, tokens).map(([given, sent, contentType, token]) => {
    const named = (where: string) => given.filter((one) => one.in === where && one.value !== undefined);
    const fill = (_: string, name: string) =>
      encodeURIComponent(String(given.find((one) => one.name === name)?.value));
    const query = named("query").map(({ name, value }) => `${name}=${encodeURIComponent(String(value))}`);
    return {
      endpoint,
      path: endpoint.path.replaceAll(/\{(\w+)\}/g, fill) + (query.length > 0 ? `?${query.join("&")}` : ""),
      token,
      headers: {
        ...Object.fromEntries(named("header").map(({ name, value }) => [name, String(value)])),
        ...(sent === undefined ? {} : { "content-type": contentType }),
      },
      body: sent,
    };
  });
}

/** Values for path parameters, by their names. */
const PATH_VALUES: Record<string, Arbitrary<string>> = {
  role: fc.constant(await sqlRole()),
  member_id: fc.constantFrom("m1", "m2"),
};

/** Values for path parameters, by the text before them. */
const PATH_IDS: [part: string, ids: Arbitrary<string>][] = [
  ["/inbox", fc.constantFrom(...(await refusedRequests()))],
  ["/members", fc.constantFrom("m1", "m2", "out")],
  ["/projects", fc.constant("main")],
  ["/workspaces", fc.constant("main")],
  ["/lifecycles", KNOWN.name],
  ["/tokens", fc.constantFrom(...(await spareTokens()))],
  [
    "/board/",
    fc.constantFrom(...created.filter(({ lifecycle }) => lifecycle === "board").map(({ id }) => id)),
  ],
];

const ODD = [
  "",
  "%",
  "..",
  "a/b",
  "\0",
  "\n",
  "a b",
  "é",
  "__proto__",
  "1e5",
  "-1",
  "x".repeat(1_001),
  "0",
  'W/"3"',
];

function valueOf(
  { path }: Endpoint,
  task: CreatedTask | null,
  { name, in: where, schema }: Operation["parameters"][number],
): Arbitrary<unknown> {
  if (where === "header")
    return fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: fc.constantFrom("1", '"2"', "*") },
      { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20 }).map((text) => text.trim() || "k") },
    );
  const odd = fc.constantFrom(...ODD);
  if (where === "path") {
    const [, right = ids] = PATH_IDS.find(([part]) => path.includes(part)) ?? [];
    const meant = task ? fc.constant(task.id) : (PATH_VALUES[name] ?? right);
    return fc.oneof(
      { weight: 8, arbitrary: meant },
      { weight: 1, arbitrary: odd.filter((text) => text !== "" && text !== "..") },
    );
  }
  const known = (KNOWN as Record<string, Arbitrary<unknown>>)[name];
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 6, arbitrary: known ?? fitting(schema, at, KNOWN) },
    { weight: 1, arbitrary: odd },
  );
}

async function sqlRole(): Promise<string> {
  const [row] = await server.sql<{ name: string }[]>`select session_user as name`;
  return row!.name;
}

/** Requests from SQL that were refused. There are many, because a discarded one is gone. */
async function refusedRequests(): Promise<string[]> {
  const rows = await server.sql<{ id: string }[]>`
    insert into pawl.inbox (org_id, id, lifecycle, input, input_bytes, key, member_id, role_name, created_at, due_at,
      refused_at, refusal)
    select 'main', u.id, 'board', '{}', 2, u.id::text, 'm1', session_user, now(), now(), now(),
      '{"code": "VALIDATION_ERROR", "detail": "title: required", "params": {}}'
    from (select gen_random_uuid() as id from generate_series(1, 500)) as u
    returning id`;
  return rows.map(({ id }) => id);
}

/** Inserts values as text that are nested too deep for JSON.stringify. */
function json(value: unknown): string {
  if (value === undefined) return "";
  const deep = '{"a":['.repeat(5_000) + "]}".repeat(5_000);
  return JSON.stringify(value).replaceAll(JSON.stringify(DEEPLY_NESTED), () => deep);
}

/** Creates at least one task of each lifecycle from the schemas of the document. */
async function tasksOfAllLifecycles(): Promise<CreatedTask[]> {
  const tasks: CreatedTask[] = [];
  for (const { name } of LIFECYCLES) {
    const schema = schemas[`${name}.create`] ?? {};
    const properties = Object.fromEntries(
      Object.entries(schema.properties ?? {}).filter(([key]) => !DEPENDENT_FIELDS.includes(key)),
    );
    const bodies = fitting({ ...schema, properties, required: Object.keys(properties) }, at, {
      project_id: fc.constant("main"),
    });
    for (const body of fc.sample(bodies, { numRuns: 30, seed: 7 })) {
      const { status, body: task } = await server.ask("POST /api/tasks", {
        token: everyone[0]!,
        body: { ...(body as object), project_id: "main" },
      });
      if (status < 300) tasks.push(task as CreatedTask);
    }
  }
  return tasks;
}

async function spareTokens(): Promise<string[]> {
  const issued = await Promise.all(
    Array.from({ length: 10 }, () => server.ask("POST /api/members/m4/tokens")),
  );
  return issued.map(({ body }) => String(body.id));
}
