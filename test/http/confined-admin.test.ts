import { expect, test } from "vitest";
import { ROUTES } from "../../src/api/index.ts";
import type { Route } from "../../src/api/index.ts";
import { BOARD_ROUTES } from "../../src/lifecycles/board/api.ts";
import { CODE_ROUTES } from "../../src/lifecycles/code/api.ts";
import { DELIVERY_ROUTES } from "../../src/lifecycles/delivery/api.ts";
import { PLANNER_ROUTES } from "../../src/lifecycles/planner/api.ts";
import { startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer();
await server.ask("POST /api/projects", { body: { id: "yard" } });
const token = await server.member({ id: "chief", roles: ["admin"], project_ids: ["yard"] });
await server.member({ id: "hand", roles: ["agent"], project_ids: ["yard"] });
await server.member({ id: "wide", roles: ["agent"], project_ids: ["yard", "main"] });
const tokenOf = async (id: string) => String((await server.ask(`POST /api/members/${id}/tokens`)).body.id);

/** The route's name, a request by an admin of the project yard, and the answer. */
const NOBODY = "0197a000-0000-7000-8000-000000000001";
const SQL_ROLE = (await server.sql<{ name: string }[]>`select session_user as name`)[0]!.name;

const TABLE: [route: string, what: string, body: object | undefined, answer: string][] = [
  ["getMetrics", "GET /metrics", undefined, "403 FORBIDDEN"],
  ["getDemo", "GET /api/demo", undefined, "403 FORBIDDEN"],
  ["startDemo", "POST /api/demo", undefined, "403 FORBIDDEN"],
  ["stopDemo", "POST /api/demo/stop", undefined, "403 FORBIDDEN"],
  ["removeDemo", "DELETE /api/demo", undefined, "403 FORBIDDEN"],
  ["createProject", "POST /api/projects", { id: "more" }, "403 FORBIDDEN"],
  ["changeProject", "PATCH /api/projects/yard", { name: "The yard" }, "200"],
  ["changeProject", "PATCH /api/projects/main", { name: "Mine" }, "404 NOT_FOUND"],
  ["changeWorkspace", "PATCH /api/board/workspaces/yard", { name: "The yard" }, "200"],
  ["changeWorkspace", "PATCH /api/board/workspaces/main", { name: "Mine" }, "404 NOT_FOUND"],
  ["createMember", "POST /api/members", { id: "new", project_ids: ["yard"] }, "201"],
  ["createMember", "POST /api/members", { id: "newer" }, "403 FORBIDDEN"],
  ["createMember", "POST /api/members", { id: "newer", project_ids: ["yard", "main"] }, "403 FORBIDDEN"],
  ["changeMember", "PATCH /api/members/hand", { name: "Hand" }, "200"],
  ["changeMember", "PATCH /api/members/hand", { project_ids: null }, "403 FORBIDDEN"],
  ["changeMember", "PATCH /api/members/hand", { project_ids: ["main"] }, "403 FORBIDDEN"],
  ["changeMember", "PATCH /api/members/chief", { project_ids: null }, "403 FORBIDDEN"],
  ["changeMember", "PATCH /api/members/wide", { active: false }, "403 FORBIDDEN"],
  ["changeMember", "PATCH /api/members/admin", { roles: [] }, "403 FORBIDDEN"],
  ["createToken", "POST /api/members/hand/tokens", undefined, "201"],
  ["createToken", "POST /api/members/wide/tokens", undefined, "403 FORBIDDEN"],
  ["createToken", "POST /api/members/admin/tokens", undefined, "403 FORBIDDEN"],
  ["createLoginLink", "POST /api/members/hand/login-links", undefined, "201"],
  ["createLoginLink", "POST /api/members/wide/login-links", undefined, "403 FORBIDDEN"],
  ["createLoginLink", "POST /api/members/admin/login-links", undefined, "403 FORBIDDEN"],
  ["listTokens", "GET /api/members/hand/tokens", undefined, "200"],
  ["listTokens", "GET /api/members/wide/tokens", undefined, "403 FORBIDDEN"],
  ["rotateToken", `POST /api/tokens/${await tokenOf("hand")}/rotate`, undefined, "201"],
  ["rotateToken", `POST /api/tokens/${await tokenOf("admin")}/rotate`, undefined, "403 FORBIDDEN"],
  ["revokeToken", `DELETE /api/tokens/${await tokenOf("hand")}`, undefined, "204"],
  ["revokeToken", `DELETE /api/tokens/${await tokenOf("admin")}`, undefined, "403 FORBIDDEN"],
  ["listDeliveryUsers", "GET /api/delivery/users", undefined, "403 FORBIDDEN"],
  ["requestDeliveryAccess", "POST /api/delivery/users", { id: "1", name: "One" }, "403 FORBIDDEN"],
  ["getDeliveryUser", "GET /api/delivery/users/1", undefined, "403 FORBIDDEN"],
  ["approveDeliveryUser", "POST /api/delivery/users/1/approve", {}, "403 FORBIDDEN"],
  ["extendDeliveryUser", "POST /api/delivery/users/1/extend", {}, "403 FORBIDDEN"],
  ["blockDeliveryUser", "POST /api/delivery/users/1/block", {}, "403 FORBIDDEN"],
  ["takeDeliveryNotices", "POST /api/delivery/notices/take", { limit: 1 }, "403 FORBIDDEN"],
  // Requests and bindings of other projects are hidden.
  ["listInbox", "GET /api/inbox", undefined, "200"],
  ["retryInboxRequest", `POST /api/inbox/${NOBODY}/retry`, undefined, "404 NOT_FOUND"],
  ["discardInboxRequest", `DELETE /api/inbox/${NOBODY}`, undefined, "404 NOT_FOUND"],
  ["listSqlBindings", "GET /api/inbox/bindings", undefined, "200"],
  ["bindSqlRole", `PUT /api/inbox/bindings/${SQL_ROLE}/hand`, undefined, "200"],
  ["bindSqlRole", `PUT /api/inbox/bindings/${SQL_ROLE}/wide`, undefined, "403 FORBIDDEN"],
  ["bindSqlRole", `PUT /api/inbox/bindings/${SQL_ROLE}/admin`, undefined, "403 FORBIDDEN"],
  ["unbindSqlRole", `DELETE /api/inbox/bindings/${SQL_ROLE}/hand`, undefined, "204"],
  ["unbindSqlRole", `DELETE /api/inbox/bindings/${SQL_ROLE}/wide`, undefined, "403 FORBIDDEN"],
];

test.each(TABLE)("%s: an admin of one project who sends %s %j gets %s", async (_, what, body, answer) => {
  expect(outcomeOf(await server.ask(what, { token, ...(body === undefined ? {} : { body }) }))).toBe(answer);
});

test("the table contains every route for admins", () => {
  const all: Record<string, Route> = {
    ...ROUTES,
    ...BOARD_ROUTES,
    ...CODE_ROUTES,
    ...DELIVERY_ROUTES,
    ...PLANNER_ROUTES,
  };
  const named = new Set(TABLE.map(([route]) => route));
  const left = Object.entries(all).filter(([name, { access }]) => access === "admin" && !named.has(name));
  expect(left.map(([name]) => name)).toEqual([]);
});

test("a service without access to the project main cannot list the library's users", async () => {
  const service = await server.member({
    id: "bot",
    kind: "service",
    roles: ["agent"],
    project_ids: ["yard"],
  });
  expect(outcomeOf(await server.ask("GET /api/delivery/users", { token: service }))).toBe("403 FORBIDDEN");
  const inMain = await server.member({
    id: "bot2",
    kind: "service",
    roles: ["agent"],
    project_ids: ["main"],
  });
  expect(outcomeOf(await server.ask("GET /api/delivery/users", { token: inMain }))).toBe("200");
});
