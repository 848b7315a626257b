export const NO_UUID = "not-a-uuid";
export const UNKNOWN = "0197a000-0000-7000-8000-000000000001";
export const LONE = "a\ud800b";

/** The caller, the request (`{task}` is created for the row), the body, and the outcome. */
export type Row = [who: string, what: string, body: unknown, answer: string];

/** Members and their tokens. */
export const MEMBER_ROWS: Row[] = [
  ["eve", "GET /api/me", undefined, "200"],
  ["nobody", "GET /api/me", undefined, "401 INVALID_TOKEN"],
  ["eve", "GET /api/members", undefined, "200"],
  ["eve", "GET /api/members/ann", undefined, "200"],
  ["eve", "GET /api/members/%00", undefined, "404 NOT_FOUND"],
  ["admin", "PATCH /api/members/%00", { name: "x" }, "404 NOT_FOUND"],
  ["admin", "POST /api/members/%00/tokens", undefined, "404 NOT_FOUND"],
  ["eve", "GET /api/projects/%00", undefined, "404 NOT_FOUND"],
  ["admin", "PATCH /api/projects/%00", { name: "x" }, "404 NOT_FOUND"],
  ["eve", "GET /api/members/nobody", undefined, "404 NOT_FOUND"],
  ["other", "GET /api/members/bob", undefined, "404 NOT_FOUND"],
  ["admin", "POST /api/members", {}, "201"],
  ["admin", "POST /api/members", { id: "dan", name: "Dan", kind: "agent", roles: ["agent", "own"] }, "201"],
  ["admin", "POST /api/members", { id: "ann" }, "409 ALREADY_EXISTS"],
  ["admin", "POST /api/members", { kind: "robot" }, "422 VALIDATION_ERROR"],
  ["admin", "POST /api/members", { roles: "admin" }, "422 VALIDATION_ERROR"],
  ["admin", "POST /api/members", { skill_level: 11 }, "422 VALIDATION_ERROR"],
  ["admin", "POST /api/members", { id: "a\nb" }, "422 VALIDATION_ERROR"],
  ["admin", "POST /api/members", { name: LONE }, "422 VALIDATION_ERROR"],
  ["ann", "POST /api/members", {}, "403 FORBIDDEN"],
  ["admin", "PATCH /api/members/{member}", { roles: ["lead"], skill_level: 4, project_ids: [] }, "200"],
  ["admin", "PATCH /api/members/{member}", { project_ids: null, skill_level: null }, "200"],
  ["admin", "PATCH /api/members/{member}", { active: "no" }, "422 VALIDATION_ERROR"],
  ["admin", "PATCH /api/members/nobody", { name: "x" }, "404 NOT_FOUND"],
  ["admin", "PATCH /api/members/admin", { active: false }, "409 LAST_ADMIN"],
  ["ann", "PATCH /api/members/ann", { roles: ["admin"] }, "403 FORBIDDEN"],

  ["admin", "GET /api/members/eve/tokens", undefined, "200"],
  ["admin", "GET /api/members/nobody/tokens", undefined, "404 NOT_FOUND"],
  ["other", "GET /api/members/bob/tokens", undefined, "404 NOT_FOUND"],
  ["ann", "GET /api/members/ann/tokens", undefined, "403 FORBIDDEN"],
  ["admin", "POST /api/members/eve/tokens", undefined, "201"],
  ["admin", "POST /api/members/eve/tokens", {}, "201"],
  ["admin", "POST /api/members/nobody/tokens", undefined, "404 NOT_FOUND"],
  ["other", "POST /api/members/bob/tokens", undefined, "404 NOT_FOUND"],
  ["ann", "POST /api/members/ann/tokens", undefined, "403 FORBIDDEN"],
  ["admin", "POST /api/tokens/{token}/rotate", undefined, "201"],
  ["admin", "POST /api/tokens/{token}/rotate", { overlap_hours: 721 }, "422 VALIDATION_ERROR"],
  ["admin", `POST /api/tokens/${UNKNOWN}/rotate`, undefined, "404 NOT_FOUND"],
  ["admin", `POST /api/tokens/${NO_UUID}/rotate`, undefined, "404 NOT_FOUND"],
  ["ann", "POST /api/tokens/{token}/rotate", undefined, "403 FORBIDDEN"],
  ["admin", "DELETE /api/tokens/{token}", undefined, "204"],
  ["admin", `DELETE /api/tokens/${UNKNOWN}`, undefined, "404 NOT_FOUND"],
  ["admin", `DELETE /api/tokens/${NO_UUID}`, undefined, "404 NOT_FOUND"],
  ["other", "DELETE /api/tokens/{token}", undefined, "404 NOT_FOUND"],
  ["ann", "DELETE /api/tokens/{token}", undefined, "403 FORBIDDEN"],
];

/** Signing in and out; the row with a valid token needs the server. */
export const SESSION_ROWS: Row[] = [
  ["nobody", "POST /api/session", { token: "nonsense" }, "401 INVALID_TOKEN"],
  ["nobody", "POST /api/session", { token: "two words" }, "422 VALIDATION_ERROR"],
  ["nobody", "POST /api/session/code", { code: "nonsense" }, "410 LINK_INVALID"],
  ["nobody", "POST /api/session/code", { code: "two words" }, "422 VALIDATION_ERROR"],
  ["admin", "POST /api/members/eve/login-links", undefined, "201"],
  ["admin", "POST /api/members/unknown/login-links", undefined, "404 NOT_FOUND"],
  ["admin", "POST /api/members/%00/login-links", undefined, "404 NOT_FOUND"],
  ["eve", "POST /api/members/eve/login-links", undefined, "403 FORBIDDEN"],
  ["eve", "GET /api/session", undefined, "200"],
  ["nobody", "GET /api/session", undefined, "401 INVALID_TOKEN"],
  ["nobody", "POST /api/session/back", undefined, "401 INVALID_TOKEN"],
  ["nobody", "DELETE /api/session", undefined, "204"],
];
