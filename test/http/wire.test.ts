import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer({ server: { bodyLimitBytes: 100_000 } });
const ann = await server.member({ id: "ann", roles: ["agent", "worker"] });
const board = { lifecycle: "board", title: "Paint the shed", description: "x" };

const BODIES: [name: string, type: string | null, body: string | Buffer, answer: string][] = [
  ["JSON", "application/json", JSON.stringify(board), "201"],
  ["JSON with a charset", "application/json; charset=utf-8", JSON.stringify(board), "201"],
  ["JSON after a byte order mark", "application/json", `\ufeff${JSON.stringify(board)}`, "201"],
  ["truncated JSON", "application/json", '{"lifecycle": "board"', "422 VALIDATION_ERROR"],
  ["plain text", "application/json", "hello", "422 VALIDATION_ERROR"],
  ["nothing", "application/json", "", "422 VALIDATION_ERROR"],
  [
    "invalid UTF-8",
    "application/json",
    Buffer.from('{"lifecycle":"board","title":"Caf\xe9 au lait","description":"x"}', "latin1"),
    "422 VALIDATION_ERROR",
  ],
  ["a prototype", "application/json", '{"__proto__": {"admin": true}}', "422 VALIDATION_ERROR"],
  ["a plain text", "text/plain", JSON.stringify(board), "415 UNSUPPORTED_MEDIA_TYPE"],
  ["a form", "application/x-www-form-urlencoded", "lifecycle=board", "415 UNSUPPORTED_MEDIA_TYPE"],
  ["no type that there is", "nonsense", JSON.stringify(board), "415 UNSUPPORTED_MEDIA_TYPE"],
  ["more than is taken", "application/json", JSON.stringify({ x: "y".repeat(100_000) }), "413 TOO_LARGE"],
  [
    "many arrays in each other",
    "application/json",
    "[".repeat(40_000) + "]".repeat(40_000),
    "422 VALIDATION_ERROR",
  ],
  [
    "a payload too deep to keep",
    "application/json",
    JSON.stringify(board).replace('"x"', `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`),
    "422 VALIDATION_ERROR",
  ],
];

test.each(BODIES)("a body of %s (%s) is %#", async (_, type, body, answer) => {
  const response = await fetch(`${server.url}/api/tasks`, {
    method: "POST",
    headers: { authorization: `Bearer ${ann}`, ...(type === null ? {} : { "content-type": type }) },
    body,
  });
  const text = await response.text();
  const { code } = JSON.parse(text) as { code?: string };
  expect(`${response.status}${code === undefined ? "" : ` ${code}`}`, text).toBe(answer);
});

const PLACES: [what: string, answer: string, allow: string | null][] = [
  ["GET /api/nothing", "404 NOT_FOUND", null],
  ["GET /api", "404 NOT_FOUND", null],
  ["GET /", "404 NOT_FOUND", null],
  ["GET /api/tasks/", "404 TASK_NOT_FOUND", null],
  ["GET /API/tasks", "404 NOT_FOUND", null],
  ["GET /api//tasks", "404 NOT_FOUND", null],
  ["GET /api/tasks/..%2f..%2fme", "404 TASK_NOT_FOUND", null],
  ["GET /api/tasks/%", "404 NOT_FOUND", null],
  ["GET /api/tasks/%E0%A4%A", "404 NOT_FOUND", null],
  [`GET /api/tasks/${"x".repeat(5_000)}`, "404 NOT_FOUND", null],
  ["DELETE /api/tasks", "405 METHOD_NOT_ALLOWED", "POST, GET"],
  ["PUT /api/members/ann", "405 METHOD_NOT_ALLOWED", "GET, PATCH"],
  ["POST /live", "405 METHOD_NOT_ALLOWED", "GET"],
  ["OPTIONS /api/tasks", "405 METHOD_NOT_ALLOWED", "POST, GET"],
];

test.each(PLACES)("%s is %s", async (what, answer, allow) => {
  const reply = await server.ask(what);
  expect(outcomeOf(reply), reply.text).toBe(answer);
  expect(reply.headers.get("allow")).toBe(allow);
});

test("invalid HTTP, or too many headers, gets a problem document, and the connection is closed", async () => {
  const sent: [string, string][] = [
    ["nonsense\r\n\r\n", "400 BAD_REQUEST"],
    [`GET /live HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(40_000)}\r\n\r\n`, "431 HEADERS_TOO_LARGE"],
  ];
  for (const [text, answer] of sent) {
    const reply = await raw(text);
    const [head = "", body = ""] = reply.split("\r\n\r\n");
    expect(head).toContain("application/problem+json");
    const { status, code } = JSON.parse(body) as { status: number; code: string };
    expect(`${status} ${code}`).toBe(answer);
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  }
});

test("every answer has the security headers and a request id", async () => {
  for (const what of ["GET /live", "GET /api/me", "GET /api/nothing", "GET /docs"]) {
    const { headers } = await server.ask(what);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "content-security-policy": expect.stringContaining("default-src 'none'") as string,
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  }
});

test("a caller's request id is kept if it is safe to log, and replaced if not", async () => {
  const idFor = async (id: string) =>
    (await server.ask("GET /api/nothing", { headers: { "x-request-id": id } })).headers.get("x-request-id");
  expect(await idFor("job-7:step.2")).toBe("job-7:step.2");
  for (const id of ["a b", "x".repeat(101), '"quoted"']) expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/);
});

test("other origins are allowed only if configured", async () => {
  const open = await startTestServer({
    sameDatabaseAs: server,
    server: { corsOrigins: ["https://board.example"] },
  });
  const asked = async (where: typeof server, origin: string) => {
    const response = await fetch(`${where.url}/api/tasks`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    return response.headers.get("access-control-allow-origin");
  };
  expect(await asked(server, "https://board.example")).toBeNull();
  expect(await asked(open, "https://board.example")).toBe("https://board.example");
  expect(await asked(open, "https://evil.example")).toBeNull();
});

test("a batch has one answer per action, in order, and a refusal undoes nothing", async () => {
  const ids = await Promise.all(
    [0, 1].map(async () =>
      String((await server.ask("POST /api/tasks", { token: ann, body: board })).body.id),
    ),
  );
  const reply = await server.ask("POST /api/transitions", {
    token: ann,
    body: [
      { id: ids[0], action: "claim", comment: "first" },
      { id: "no-uuid", action: "claim", comment: "nothing there" },
      { id: ids[0], action: "complete", comment: "then" },
      { id: ids[1], action: "complete", comment: "too soon" },
      { id: ids[1], action: "claim", comment: "at last" },
    ],
  });
  expect(reply.body).toMatchObject([
    { task: { status: "IN_PROGRESS" }, event: { type: "claimed", row_version: 2 } },
    { status: 404, code: "TASK_NOT_FOUND" },
    { task: { status: "DONE" }, event: { row_version: 3 } },
    { status: 409, code: "INVALID_TRANSITION" },
    { task: { status: "IN_PROGRESS" } },
  ]);
});

test("a task's journal is listed oldest first, with times in ISO 8601 UTC", async () => {
  const { body: task } = await server.ask("POST /api/tasks", {
    token: ann,
    body: { ...board, available_at: "2030-01-01T02:00:00+02:00" },
  });
  expect(task.available_at).toBe("2030-01-01T00:00:00.000Z");
  const id = String(task.id);
  const body = { action: "comment", comment: "hm" };
  for (let times = 0; times < 3; times++)
    await server.ask(`POST /api/tasks/${id}/transitions`, { token: ann, body });
  const events = (await server.ask(`GET /api/tasks/${id}/events`)).body.events as Record<string, unknown>[];
  expect(events.map((event) => event.id)).toEqual([1, 2, 3, 4].map((version) => `${id}.${version}`));
  expect(events[0]).toMatchObject({ type: "created", from_status: null, actor_id: "ann" });
  expect(events[0]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const rest = (await server.ask(`GET /api/tasks/${id}/events?after=1&limit=2`)).body.events;
  expect(rest).toEqual(events.slice(1, 3));
});

test("pages contain each matching task once", async () => {
  const token = await server.member({ id: "zoe", roles: ["agent"] }, "pages");
  const make = (title: string, more = {}) =>
    server.ask("POST /api/tasks", { token, body: { ...board, title, ...more } });
  for (let n = 0; n < 7; n++) await make(`Task number ${n}`, n % 2 ? { assignee_id: "zoe" } : {});
  const titles = async (query: string) => {
    const { body } = await server.ask(`GET /api/tasks?${query}`, { token });
    return {
      titles: (body.tasks as { title: string }[]).map(({ title }) => title.at(-1)),
      cursor: body.cursor,
    };
  };
  const first = await titles("limit=5");
  expect(first.titles.join("")).toBe("01234");
  expect(await titles(`limit=5&cursor=${String(first.cursor)}`)).toEqual({
    titles: ["5", "6"],
    cursor: null,
  });
  expect((await titles("assigned_to=me")).titles.join("")).toBe("135");
  expect((await titles("q=NUMBER%203")).titles.join("")).toBe("3");
  expect((await titles("status=DONE,NEW&lifecycle=board&project_id=main")).titles).toHaveLength(7);
  expect((await titles("status=DONE")).titles).toEqual([]);
});

async function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let reply = "";
  socket.setEncoding("utf8").on("data", (part: string) => (reply += part));
  socket.write(text);
  await once(socket, "close");
  return reply;
}
