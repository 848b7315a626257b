import { expect, test } from "vitest";
import { startTestServer, outcomeOf } from "./test-server.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent"] });
const task = { lifecycle: "board", title: "Paint the shed", description: "Both sides" };

/** Signs in; returns the cookie and CSRF token that a browser would send from then on. */
async function signIn(token: string, more: object = {}, headers: Record<string, string> = {}) {
  const reply = await server.ask("POST /api/session", { token: null, body: { token, ...more }, headers });
  const set = reply.headers.get("set-cookie") ?? "";
  return { reply, set, cookie: set.split(";", 1)[0]!, csrf: String(reply.body.csrf_token) };
}

test("a session reads with its cookie alone, and writes with its CSRF token", async () => {
  const { cookie, csrf } = await signIn(ann);
  const me = await server.ask("GET /api/me", { token: null, headers: { cookie } });
  expect(me.body).toMatchObject({ id: "ann" });
  const again = await server.ask("GET /api/session", { token: null, headers: { cookie } });
  expect(again.body).toEqual({ csrf_token: csrf, can_go_back: false });
  const write = { token: null, body: task, headers: { cookie, "x-csrf-token": csrf } };
  expect(outcomeOf(await server.ask("POST /api/tasks", write))).toBe("201");
});

test("the cookie is HttpOnly, same-site, and separate for each port", async () => {
  const { set } = await signIn(ann);
  const port = new URL(server.url).port;
  expect(set).toMatch(new RegExp(`^pawl_session_${port}=\\S+; Path=/; HttpOnly; SameSite=Strict$`));
  expect((await signIn(ann, { remember: true })).set).toContain("Max-Age=2592000");
  const { host } = new URL(server.url);
  expect((await signIn(ann, {}, { origin: `https://${host}` })).set).toContain("Secure");
});

type Forgery = [what: string, headers: (signed: { cookie: string; csrf: string }) => Record<string, string>];

const FORGERIES: Forgery[] = [
  ["without a csrf token", ({ cookie }) => ({ cookie })],
  ["with another session's csrf token", ({ cookie }) => ({ cookie, "x-csrf-token": "A".repeat(43) })],
  [
    "from another site",
    ({ cookie, csrf }) => ({ cookie, "x-csrf-token": csrf, "sec-fetch-site": "cross-site" }),
  ],
  [
    "from another host of the same site",
    ({ cookie, csrf }) => ({ cookie, "x-csrf-token": csrf, "sec-fetch-site": "same-site" }),
  ],
  [
    "from another origin, without Sec-Fetch-Site",
    ({ cookie, csrf }) => ({ cookie, "x-csrf-token": csrf, origin: "http://elsewhere.example" }),
  ],
];

test.each(FORGERIES)("a write by a session %s is refused", async (_, headersOf) => {
  const signed = await signIn(ann);
  for (const what of ["POST /api/tasks", "POST /api/transitions", "POST /api/claims"]) {
    const reply = await server.ask(what, { token: null, body: task, headers: headersOf(signed) });
    expect(outcomeOf(reply)).toBe("403 CROSS_SITE_REQUEST");
  }
});

test("signing in and out from another site is refused", async () => {
  const headers = { "sec-fetch-site": "cross-site" };
  expect(outcomeOf((await signIn(ann, {}, headers)).reply)).toBe("403 CROSS_SITE_REQUEST");
  expect(outcomeOf(await server.ask("DELETE /api/session", { token: null, headers }))).toBe(
    "403 CROSS_SITE_REQUEST",
  );
});

test("a token in Authorization needs no CSRF token, and takes precedence over the cookie", async () => {
  const { cookie } = await signIn(ann);
  expect(outcomeOf(await server.ask("POST /api/tasks", { token: ann, body: task }))).toBe("201");
  const both = { token: "nonsense", headers: { cookie } };
  expect(outcomeOf(await server.ask("GET /api/me", both))).toBe("401 INVALID_TOKEN");
});

test("a session ends with its token, and signing out deletes the cookie", async () => {
  const bob = await server.member({ id: "bob", roles: ["agent"] });
  const { cookie } = await signIn(bob);
  await server.ask("PATCH /api/members/bob", { body: { active: false } });
  expect(outcomeOf(await server.ask("GET /api/me", { token: null, headers: { cookie } }))).toBe(
    "401 MEMBER_INACTIVE",
  );
  expect(outcomeOf((await signIn(bob)).reply)).toBe("401 MEMBER_INACTIVE");
  const out = await server.ask("DELETE /api/session", { token: null, headers: { cookie } });
  expect(out.headers.get("set-cookie")).toMatch(/=; Path=\/; .*Max-Age=0$/);
});

/** Keeps cookies like a browser. */
function keep(jar: Map<string, string>, { headers }: { headers: Headers }): Record<string, string> {
  for (const set of headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (value === "") jar.delete(name);
    else jar.set(name, value);
  }
  return { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") };
}

test("a session started over another one can return to it without a token", async () => {
  const jar = new Map<string, string>();
  const eve = await server.member({ id: "eve", roles: ["viewer"] });
  const zoe = await server.member({ id: "zoe", roles: ["viewer"] });
  let headers = keep(jar, (await signIn(ann)).reply);
  for (const token of [eve, zoe]) {
    const { reply } = await signIn(token, { over: true }, headers);
    expect(reply.body).toMatchObject({ can_go_back: true });
    headers = keep(jar, reply);
  }
  expect((await server.ask("GET /api/me", { token: null, headers })).body).toMatchObject({ id: "zoe" });
  expect((await server.ask("GET /api/session", { token: null, headers })).body).toMatchObject({
    can_go_back: true,
  });
  const elsewhere = { ...headers, "sec-fetch-site": "cross-site" };
  expect(outcomeOf(await server.ask("POST /api/session/back", { token: null, headers: elsewhere }))).toBe(
    "403 CROSS_SITE_REQUEST",
  );
  const back = await server.ask("POST /api/session/back", { token: null, headers });
  headers = keep(jar, back);
  expect((await server.ask("GET /api/me", { token: null, headers })).body).toMatchObject({ id: "ann" });
  expect(outcomeOf(await server.ask("POST /api/session/back", { token: null, headers }))).toBe(
    "401 INVALID_TOKEN",
  );
});

test("signing out, or in as another member, also ends the kept session", async () => {
  for (const leave of ["DELETE", "POST"]) {
    const jar = new Map<string, string>();
    let headers = keep(jar, (await signIn(ann)).reply);
    headers = keep(jar, (await signIn(ann, { over: true }, headers)).reply);
    expect(jar.size).toBe(2);
    if (leave === "POST") headers = keep(jar, (await signIn(ann, {}, headers)).reply);
    else keep(jar, await server.ask("DELETE /api/session", { token: null, headers }));
    expect(jar.size).toBe(leave === "POST" ? 1 : 0);
  }
});

test("a session streams events", async () => {
  const { cookie } = await signIn(ann);
  const leaving = new AbortController();
  const response = await fetch(`${server.url}/api/events`, { headers: { cookie }, signal: leaving.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  leaving.abort();
});

test("an invalid cookie gets 401", async () => {
  const { cookie } = await signIn(ann);
  const [name] = cookie.split("=", 1);
  for (const value of ["", "%E0%A4%A", "a b", "x".repeat(600), "__proto__"]) {
    const reply = await server.ask("GET /api/me", { token: null, headers: { cookie: `${name!}=${value}` } });
    expect(outcomeOf(reply)).toBe("401 INVALID_TOKEN");
  }
});
