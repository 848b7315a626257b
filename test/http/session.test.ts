import { expect, test } from "vitest";
import { openFrontDesk, wordOf } from "./front-desk.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", roles: ["agent"] });
const task = { lifecycle: "board", title: "Paint the shed", description: "Both sides" };

/** Signs in, and gives what a browser would send from then on. */
async function signIn(token: string, more: object = {}, headers: Record<string, string> = {}) {
  const heard = await desk.ask("POST /api/session", { token: null, body: { token, ...more }, headers });
  const set = heard.headers.get("set-cookie") ?? "";
  return { heard, set, cookie: set.split(";", 1)[0]!, csrf: String(heard.body.csrf_token) };
}

test("a session reads without more, and writes with its csrf token", async () => {
  const { cookie, csrf } = await signIn(ann);
  const me = await desk.ask("GET /api/me", { token: null, headers: { cookie } });
  expect(me.body).toMatchObject({ id: "ann" });
  const again = await desk.ask("GET /api/session", { token: null, headers: { cookie } });
  expect(again.body).toEqual({ csrf_token: csrf, can_go_back: false });
  const write = { token: null, body: task, headers: { cookie, "x-csrf-token": csrf } };
  expect(wordOf(await desk.ask("POST /api/tasks", write))).toBe("201");
});

test("the cookie is out of reach of scripts and of other sites, and of other ports", async () => {
  const { set } = await signIn(ann);
  const port = new URL(desk.url).port;
  expect(set).toMatch(new RegExp(`^pawl_session_${port}=\\S+; Path=/; HttpOnly; SameSite=Strict$`));
  expect((await signIn(ann, { remember: true })).set).toContain("Max-Age=2592000");
  const { host } = new URL(desk.url);
  expect((await signIn(ann, {}, { origin: `https://${host}` })).set).toContain("Secure");
});

type Forgery = [what: string, headers: (signed: { cookie: string; csrf: string }) => Record<string, string>];

const FORGERIES: Forgery[] = [
  ["without a csrf token", ({ cookie }) => ({ cookie })],
  ["with a csrf token of somebody else's", ({ cookie }) => ({ cookie, "x-csrf-token": "A".repeat(43) })],
  [
    "from another site",
    ({ cookie, csrf }) => ({ cookie, "x-csrf-token": csrf, "sec-fetch-site": "cross-site" }),
  ],
  [
    "from another host of the same site",
    ({ cookie, csrf }) => ({ cookie, "x-csrf-token": csrf, "sec-fetch-site": "same-site" }),
  ],
  [
    "from another origin, by a browser that says no more",
    ({ cookie, csrf }) => ({ cookie, "x-csrf-token": csrf, origin: "http://elsewhere.example" }),
  ],
];

test.each(FORGERIES)("what a session is made to write %s is refused", async (_, headersOf) => {
  const signed = await signIn(ann);
  for (const what of ["POST /api/tasks", "POST /api/transitions", "POST /api/claims"]) {
    const heard = await desk.ask(what, { token: null, body: task, headers: headersOf(signed) });
    expect(wordOf(heard)).toBe("403 CROSS_SITE_REQUEST");
  }
});

test("signing in and out from another site is refused", async () => {
  const headers = { "sec-fetch-site": "cross-site" };
  expect(wordOf((await signIn(ann, {}, headers)).heard)).toBe("403 CROSS_SITE_REQUEST");
  expect(wordOf(await desk.ask("DELETE /api/session", { token: null, headers }))).toBe(
    "403 CROSS_SITE_REQUEST",
  );
});

test("a token in the head needs no csrf token, and goes before the cookie", async () => {
  const { cookie } = await signIn(ann);
  expect(wordOf(await desk.ask("POST /api/tasks", { token: ann, body: task }))).toBe("201");
  const both = { token: "nonsense", headers: { cookie } };
  expect(wordOf(await desk.ask("GET /api/me", both))).toBe("401 INVALID_TOKEN");
});

test("a session ends with its token, and signing out makes the browser forget it", async () => {
  const bob = await desk.member({ id: "bob", roles: ["agent"] });
  const { cookie } = await signIn(bob);
  await desk.ask("PATCH /api/members/bob", { body: { active: false } });
  expect(wordOf(await desk.ask("GET /api/me", { token: null, headers: { cookie } }))).toBe(
    "401 MEMBER_INACTIVE",
  );
  expect(wordOf((await signIn(bob)).heard)).toBe("401 MEMBER_INACTIVE");
  const out = await desk.ask("DELETE /api/session", { token: null, headers: { cookie } });
  expect(out.headers.get("set-cookie")).toMatch(/=; Path=\/; .*Max-Age=0$/);
});

/** A browser's cookies, as answers change them. */
function keep(jar: Map<string, string>, { headers }: { headers: Headers }): Record<string, string> {
  for (const set of headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (value === "") jar.delete(name);
    else jar.set(name, value);
  }
  return { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") };
}

test("a session that is begun over another one leads back to it without a token", async () => {
  const jar = new Map<string, string>();
  const eve = await desk.member({ id: "eve", roles: ["viewer"] });
  const zoe = await desk.member({ id: "zoe", roles: ["viewer"] });
  let headers = keep(jar, (await signIn(ann)).heard);
  for (const token of [eve, zoe]) {
    const { heard } = await signIn(token, { over: true }, headers);
    expect(heard.body).toMatchObject({ can_go_back: true });
    headers = keep(jar, heard);
  }
  expect((await desk.ask("GET /api/me", { token: null, headers })).body).toMatchObject({ id: "zoe" });
  expect((await desk.ask("GET /api/session", { token: null, headers })).body).toMatchObject({
    can_go_back: true,
  });
  const elsewhere = { ...headers, "sec-fetch-site": "cross-site" };
  expect(wordOf(await desk.ask("POST /api/session/back", { token: null, headers: elsewhere }))).toBe(
    "403 CROSS_SITE_REQUEST",
  );
  const back = await desk.ask("POST /api/session/back", { token: null, headers });
  headers = keep(jar, back);
  expect((await desk.ask("GET /api/me", { token: null, headers })).body).toMatchObject({ id: "ann" });
  expect(wordOf(await desk.ask("POST /api/session/back", { token: null, headers }))).toBe(
    "401 INVALID_TOKEN",
  );
});

test("signing out, or in as another, forgets the session that was kept as well", async () => {
  for (const leave of ["DELETE", "POST"]) {
    const jar = new Map<string, string>();
    let headers = keep(jar, (await signIn(ann)).heard);
    headers = keep(jar, (await signIn(ann, { over: true }, headers)).heard);
    expect(jar.size).toBe(2);
    if (leave === "POST") headers = keep(jar, (await signIn(ann, {}, headers)).heard);
    else keep(jar, await desk.ask("DELETE /api/session", { token: null, headers }));
    expect(jar.size).toBe(leave === "POST" ? 1 : 0);
  }
});

test("a session streams events", async () => {
  const { cookie } = await signIn(ann);
  const leaving = new AbortController();
  const response = await fetch(`${desk.url}/api/events`, { headers: { cookie }, signal: leaving.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  leaving.abort();
});

test("a mangled cookie is nobody's", async () => {
  const { cookie } = await signIn(ann);
  const [name] = cookie.split("=", 1);
  for (const value of ["", "%E0%A4%A", "a b", "x".repeat(600), "__proto__"]) {
    const heard = await desk.ask("GET /api/me", { token: null, headers: { cookie: `${name!}=${value}` } });
    expect(wordOf(heard)).toBe("401 INVALID_TOKEN");
  }
});
