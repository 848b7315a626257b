import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { openSocket, sendRaw, rawOutcomeOf } from "./raw-socket.ts";
import { emptyDatabase, scratchData, startPawl } from "./running-pawl.ts";

const TOKEN = "an-admin-of-the-test";
const TIMEOUT_SECONDS = 2;
/** Time in which a server without limits would buffer too many answers. */
const FLOOD_MS = 1_500;
const MAX_MEGABYTES = 500;

const until = afterAll;
const server = await startPawl(["--data", await scratchData({ until }), "--port", "0"], {
  env: {
    DATABASE_URL: await emptyDatabase({ until }),
    PAWL_ADMIN_TOKEN: TOKEN,
    PAWL_REQUEST_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
  },
  until,
});
const { address } = server;
await server.ask("PATCH /api/members/admin", TOKEN, { roles: ["admin", "agent", "worker"] });

/** Internals that no answer may contain. */
const INNARDS =
  /node_modules|\/src\/|\/dist\/|\.[jt]s:\d|at \w+ \(|\bselect\b.*\bfrom\b|pawl\.(task|token|event)|ECONN/i;

const head = (line: string, headers: readonly string[] = []) =>
  `${[`${line} HTTP/1.1`, "Host: x", `Authorization: Bearer ${TOKEN}`, "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;

function post(body: string | Buffer, headers: readonly string[] = ["Content-Type: application/json"]) {
  const bytes = Buffer.from(body);
  return [head("POST /api/tasks", [...headers, `Content-Length: ${bytes.length}`]), bytes];
}

function chunked(body: string) {
  const headers = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
  return [head("POST /api/tasks", headers), `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`];
}

const task = { lifecycle: "code", title: "Paint the shed", description: "x" };
const shed = JSON.stringify(task);
const MEGABYTE = 1_048_576;
const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);
const manyKeys = JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, i])));

type Row = [name: string, sent: string | Buffer | readonly (string | Buffer)[], answer: string];

const BODIES: Row[] = [
  ["a task", post(shed), "201"],
  ["a task in one chunk", chunked(shed), "201"],
  ["a megabyte and a bit", post(`"${"x".repeat(MEGABYTE)}"`), "413 TOO_LARGE"],
  ["a megabyte in a chunk", chunked(`"${"x".repeat(MEGABYTE)}"`), "413 TOO_LARGE"],
  [
    "a promise of a terabyte",
    head("POST /api/tasks", ["Content-Type: application/json", "Content-Length: 1099511627776"]),
    "413 TOO_LARGE",
  ],
  ["half a million lists in each other", post(nested("[", "]", 500_000)), "422 VALIDATION_ERROR"],
  ["objects in each other", post(nested('{"a":', "}", 150_000)), "422 VALIDATION_ERROR"],
  [
    "a field of lists in each other",
    post(shed.replace('"x"', nested("[", "]", 400_000))),
    "422 VALIDATION_ERROR",
  ],
  [
    "an unknown field of lists in each other",
    post(shed.replace("{", `{"deep":${nested("[", "]", 400_000)},`)),
    "422 VALIDATION_ERROR",
  ],
  ["very many unknown keys", post(shed.replace("{", `{"all":${manyKeys},`)), "201"],
  [
    "very many unknown keys in addition to the known ones",
    post(`{${shed.slice(1, -1)},${manyKeys.slice(1)}`),
    "201",
  ],
  ["a number of many digits", post(shed.replace("{", `{"n":${"9".repeat(900_000)},`)), "201"],
  ["a priority beyond all numbers", post(shed.replace("{", '{"priority":1e999999,')), "422 VALIDATION_ERROR"],
  [
    "the same key again and again",
    post(`{${'"title":"Paint the shed",'.repeat(30_000)}${shed.slice(1)}`),
    "201",
  ],
  ["a prototype", post('{"__proto__":{"roles":["admin"]}}'), "422 VALIDATION_ERROR"],
  ["a constructor", post('{"constructor":{"prototype":{"x":1}}}'), "422 VALIDATION_ERROR"],
  ["no UTF-8", post(Buffer.from(shed.replace("x", "\xff\xfe"), "latin1")), "422 VALIDATION_ERROR"],
  ["UTF-16", post(Buffer.from(shed, "utf16le")), "422 VALIDATION_ERROR"],
  ["a surrogate alone", post(shed.replace("x", "\\ud800")), "422 VALIDATION_ERROR"],
  ["NUL", post(shed.replace("x", "\\u0000")), "422 VALIDATION_ERROR"],
  ["no type", post(shed, []), "415 UNSUPPORTED_MEDIA_TYPE"],
  [
    "a form",
    post("lifecycle=board", ["Content-Type: multipart/form-data; boundary=x"]),
    "415 UNSUPPORTED_MEDIA_TYPE",
  ],
  ["XML", post("<task/>", ["Content-Type: application/xml"]), "415 UNSUPPORTED_MEDIA_TYPE"],
  [
    "a type of 10,000 letters",
    post(shed, [`Content-Type: ${"a/".repeat(5_000)}`]),
    "415 UNSUPPORTED_MEDIA_TYPE",
  ],
  ["what says it is packed", post(shed, ["Content-Type: application/json", "Content-Encoding: gzip"]), "201"],
];

const PATHS: Row[] = [
  ["dots", head("GET /api/../live"), "404 NOT_FOUND"],
  ["encoded dots", head("GET /api/tasks/%2e%2e/%2e%2e/live"), "404 NOT_FOUND"],
  ["encoded dots as an id", head("GET /api/tasks/%2e%2e"), "404 TASK_NOT_FOUND"],
  ["encoded slashes", head("GET /api/tasks/..%2f..%2f..%2fetc%2fpasswd"), "404 TASK_NOT_FOUND"],
  ["slashes encoded twice", head("GET /api/tasks/..%252f..%252fetc"), "404 TASK_NOT_FOUND"],
  ["backslashes", head("GET /api\\..\\..\\etc\\passwd"), "404 NOT_FOUND"],
  ["double slashes", head("GET //api//tasks"), "404 NOT_FOUND"],
  ["another host behind two slashes", head("GET //evil.example/api/me"), "404 NOT_FOUND"],
  ["a whole address", head("GET http://evil.example/api/me"), "200"],
  ["a file", head("GET /package.json"), "404 NOT_FOUND"],
  ["NUL", head("GET /api/members/%00"), "404 NOT_FOUND"],
  ["NUL as it is", head("GET /api/members/\0"), "400 BAD_REQUEST"],
  ["bad UTF-8", head("GET /api/members/%ff%fe"), "404 NOT_FOUND"],
  ["half an escape", head("GET /api/members/%e"), "404 NOT_FOUND"],
  ["an overlong slash", head("GET /api/members/%c0%af"), "404 NOT_FOUND"],
  ["a line break", head("GET /api/members/%0d%0aX-Evil:%201"), "404 NOT_FOUND"],
  ["a semicolon", head("GET /api/me;admin=true"), "404 NOT_FOUND"],
  ["an id of 900 letters", head(`GET /api/members/${"x".repeat(900)}`), "404 NOT_FOUND"],
  ["an id of 10,000 letters", head(`GET /api/members/${"x".repeat(10_000)}`), "404 NOT_FOUND"],
  ["5,000 slashes", head(`GET ${"/".repeat(5_000)}`), "404 NOT_FOUND"],
  ["a path of 20,000 letters", head(`GET /${"x".repeat(20_000)}`), "431 HEADERS_TOO_LARGE"],
  ["a query of 10,000 letters", head(`GET /api/tasks?q=${"x".repeat(10_000)}`), "422 VALIDATION_ERROR"],
  ["a query with 2,000 fields", head(`GET /api/tasks?${"a=1&".repeat(2_000)}`), "200"],
  ["a query with a prototype", head("GET /api/tasks?__proto__[x]=1&constructor=2"), "200"],
  ["a pattern", head("GET /api/tasks?q=%25_%5C%25"), "200"],
  ["a query that is none", head("GET /api/tasks?limit=%ff"), "422 VALIDATION_ERROR"],
  ["everything at once", head("OPTIONS *"), "404 NOT_FOUND"],
  ["TRACE", head("TRACE /api/me"), "405 METHOD_NOT_ALLOWED"],
  ["a method there is not", head("GRAB /api/me"), "400 BAD_REQUEST"],
  ["CONNECT", head("CONNECT evil.example:443"), "cut"],
  ["an upgrade", head("GET /api/me", ["Upgrade: websocket"]), "200"],
  ["an expectation", head("GET /api/me", ["Expect: wonders"]), "200"],
];

const FLOOD = Array.from({ length: 3_000 }, (_, i) => `X-${i}: y`);

const HEADERS: Row[] = [
  ["3,000 headers", head("GET /api/me", FLOOD), "431 HEADERS_TOO_LARGE"],
  [
    "a header of 20,000 letters",
    head("GET /api/me", [`Cookie: ${"x".repeat(20_000)}`]),
    "431 HEADERS_TOO_LARGE",
  ],
  [
    "a header that never ends",
    `GET /live HTTP/1.1\r\nX: ${"y".repeat(5_000_000)}`,
    "431 HEADERS_TOO_LARGE or cut",
  ],
  ["two lengths", head("POST /api/tasks", ["Content-Length: 5", "Content-Length: 6"]), "400 BAD_REQUEST"],
  [
    "a length and chunks",
    head("POST /api/tasks", ["Content-Length: 5", "Transfer-Encoding: chunked"]),
    "400 BAD_REQUEST",
  ],
  ["a length below zero", head("POST /api/tasks", ["Content-Length: -1"]), "400 BAD_REQUEST"],
  [
    "chunks that are none",
    [head("POST /api/tasks", ["Content-Type: application/json", "Transfer-Encoding: chunked"]), "zz\r\n"],
    "400 BAD_REQUEST",
  ],
  ["a folded header", head("GET /api/me", ["X: a", " b"]), "400 BAD_REQUEST"],
  ["a header without a name", head("GET /api/me", [": b"]), "400 BAD_REQUEST"],
  ["no host", "GET /api/me HTTP/1.1\r\n\r\n", "400"],
  ["no version", "GET /live\r\n\r\n", "200"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400 BAD_REQUEST"],
  ["TLS", Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]), "400 BAD_REQUEST"],
  [
    "nothing but chance",
    Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7_919) % 256)),
    "400 BAD_REQUEST",
  ],
  [
    "a token of 501 letters",
    `GET /api/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${"x".repeat(501)}\r\n\r\n`,
    "401 INVALID_TOKEN",
  ],
  [
    "a token that is no text",
    Buffer.from(
      "GET /api/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer \xff\xfe\r\n\r\n",
      "latin1",
    ),
    "401 INVALID_TOKEN",
  ],
  [
    "a key that is no text",
    [
      head("POST /api/tasks", [
        "Content-Type: application/json",
        `Content-Length: ${shed.length}`,
        `Idempotency-Key: ${"x".repeat(501)}`,
      ]),
      shed,
    ],
    "422 VALIDATION_ERROR",
  ],
];

test.each([...BODIES, ...PATHS, ...HEADERS])(
  "%s gets the listed answer, without internals",
  async (name, sent, answer) => {
    const reply = await sendRaw(address, sent);
    // A client that is disconnected while it still sends may lose the answer.
    const answers = answer.split(" or ");
    expect(answers, `${name}: ${reply.text.slice(0, 500)}`).toContain(rawOutcomeOf(reply));
    if (!answer.startsWith("20")) expect(reply.text).not.toMatch(INNARDS);
    if (/ [A-Z_]+$/.test(answer)) expect(reply.text).toMatch(/content-type: application\/problem\+json/i);
  },
);

test("a client that sends nothing, or headers or a body too slowly, gets 408 and is disconnected", async () => {
  const drip = async (begin: string, drop: string) => {
    const socket = openSocket(address);
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => (text += part));
    socket.write(begin);
    const dripping = setInterval(() => socket.write(drop), 100);
    await once(socket, "close");
    clearInterval(dripping);
    return rawOutcomeOf({ text, closed: true });
  };
  const body = head("POST /api/tasks", ["Content-Type: application/json", "Content-Length: 100000"]);
  const all = await Promise.all([drip("", ""), drip("GET /live HTTP/1.1\r\n", "X: y\r\n"), drip(body, " ")]);
  expect(all).toEqual(all.map(() => "408 REQUEST_TIMEOUT"));
});

test("a client that sends requests without reading answers is disconnected", async () => {
  const before = await megabytes("VmRSS");
  const greedy = Array.from({ length: 50 }, () => {
    const socket = openSocket(address);
    socket.pause();
    socket.write("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(500));
    return socket;
  });
  await pause(FLOOD_MS);
  expect((await server.ask("GET /api/me", TOKEN)).status).toBe(200);
  expect((await megabytes("VmRSS")) - before).toBeLessThan(150);
  for (const socket of greedy) socket.destroy();
});

test("after all this the server works, has logged no errors and stayed within its memory limit", async () => {
  expect(server.child.exitCode).toBeNull();
  expect((await server.ask("GET /ready", null)).status).toBe(200);
  expect((await server.ask("POST /api/tasks", TOKEN, task)).status).toBe(201);
  expect(server.log()).not.toMatch(/"level":(50|60)/);
  expect(await megabytes("VmHWM")).toBeLessThan(MAX_MEGABYTES);
});

/** Returns the server's memory, current or (VmHWM) maximum. Only Linux reports it; elsewhere nothing is compared. */
async function megabytes(field: "VmRSS" | "VmHWM"): Promise<number> {
  if (process.platform !== "linux") return 0;
  const status = await readFile(`/proc/${server.child.pid!}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
}
