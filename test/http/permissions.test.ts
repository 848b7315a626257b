import { expect, test } from "vitest";
import { ROUTES } from "../../src/api/index.ts";
import type { Route, RouteTable } from "../../src/api/index.ts";
import { BOARD_ROUTES } from "../../src/lifecycles/board/api.ts";
import { BOT_ACTIONS_ROUTES } from "../../src/lifecycles/bot-actions/api.ts";
import { CODE_ROUTES } from "../../src/lifecycles/code/api.ts";
import { DELIVERY_ROUTES } from "../../src/lifecycles/delivery/api.ts";
import { PLANNER_ROUTES } from "../../src/lifecycles/planner/api.ts";
import { ALL_ROLES, startTestServer } from "./test-server.ts";
import { sendRaw, rawOutcomeOf } from "./raw-socket.ts";

const server = await startTestServer({ server: { bodyLimitBytes: 10_000 } });
const viewer = await server.member({ id: "vic", roles: ["viewer"] });
const agent = await server.member({ id: "ann", roles: ["agent"] });
const everyRole = await server.member({ id: "all", roles: ALL_ROLES });

const TABLES: RouteTable[] = [
  ROUTES,
  BOARD_ROUTES,
  BOT_ACTIONS_ROUTES,
  CODE_ROUTES,
  DELIVERY_ROUTES,
  PLANNER_ROUTES,
];
const writing = TABLES.flatMap((table) => Object.entries<Route>(table))
  .filter(([, { method, access }]) => method !== "GET" && access !== "open")
  .map(([name, { method, path, permission, access }]) => {
    const url = path.replaceAll(/\{\w+\}/g, "0197a000-0000-7000-8000-000000000001");
    return { name, what: `${method} ${url}`, permission, access };
  });
const early = writing.filter(
  ({ access, permission }) => access === "admin" || ["string", "function"].includes(typeof permission),
);
const inBody = writing.filter(({ permission }) => typeof permission === "object");

/** Sends the headers of a request, but not its body. */
function sayHead(what: string, token: string | null, type = "application/json") {
  const head = [
    `${what} HTTP/1.1`,
    "Host: pawl",
    ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    `Content-Type: ${type}`,
    "Content-Length: 1000000000",
    "Connection: close",
  ];
  return sendRaw(server.url, `${head.join("\r\n")}\r\n\r\n`, { waitMs: 3_000 });
}

test.each(early)("$name refuses a viewer before the body has arrived", async ({ what }) => {
  expect(rawOutcomeOf(await sayHead(what, viewer))).toBe("403 FORBIDDEN");
});

test.each(writing)("$name answers 401 before the body has arrived", async ({ what }) => {
  expect(rawOutcomeOf(await sayHead(what, null))).toBe("401 INVALID_TOKEN");
});

test("the permission is checked before the type, the size and the syntax of a body", async () => {
  const word = async (token: string, body: string, type = "application/json") => {
    const { status, body: problem } = await server.ask("POST /api/board/tasks", {
      token,
      body,
      headers: { "content-type": type },
    });
    return `${status} ${String(problem.code)}`;
  };
  const bodies = [["{"], ["x".repeat(20_000)], ["a,b", "text/csv"], ["{}"], [""]] as const;
  for (const [body, type] of bodies) expect(await word(viewer, body, type)).toBe("403 FORBIDDEN");
  expect(await Promise.all(bodies.map(([body, type]) => word(agent, body, type)))).toEqual([
    "422 VALIDATION_ERROR",
    "413 TOO_LARGE",
    "415 UNSUPPORTED_MEDIA_TYPE",
    "422 VALIDATION_ERROR",
    "422 VALIDATION_ERROR",
  ]);
});

test.each(inBody)("$name refuses a viewer whose body cannot be parsed", async ({ what }) => {
  const word = async (token: string, body: string, type = "application/json") => {
    const reply = await server.ask(what, { token, body, headers: { "content-type": type } });
    return `${reply.status} ${String(reply.body.code)}`;
  };
  expect(await word(viewer, "{")).toBe("403 FORBIDDEN");
  expect(await word(viewer, "x".repeat(20_000))).toBe("403 FORBIDDEN");
  expect(await word(viewer, "a,b", "text/csv")).toBe("403 FORBIDDEN");
  expect(await word(everyRole, "{")).toBe("422 VALIDATION_ERROR");
});

test("every route that changes data of a lifecycle declares its permission", () => {
  const undeclared = writing.filter(
    ({ permission, access }) => permission === undefined && access !== "admin",
  );
  // Each action of a batch is checked on its own; leases and agents' output belong to the lease's worker.
  expect(undeclared.map(({ name }) => name)).toEqual([
    "moveTasks",
    "beatLeases",
    "appendCodeOutput",
    "saveCodeDiff",
    "makeAgentToken",
  ]);
});
