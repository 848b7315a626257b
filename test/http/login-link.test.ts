import { expect, test } from "vitest";
import { Directory } from "../../src/engine/directory/directory.ts";
import { hashOfToken } from "../../src/engine/directory/tokens.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { bodyOf, outcomeOf, startTestServer } from "./test-server.ts";
import type { Reply, TestServer } from "./test-server.ts";

const server = await startTestServer({ server: { publicUrl: "https://pawl.example.com" } });
const other = await startTestServer({ sameDatabaseAs: server });
await server.member({ id: "ann", roles: ["agent"] });
await server.member({ id: "gus", roles: ["agent"] });

type Link = { path: string; url: string | null; expires_at: string };

async function linkFor(member: string, node = server): Promise<Link> {
  return bodyOf<Link>(201, await node.ask(`POST /api/members/${member}/login-links`));
}

async function codeFor(member: string): Promise<string> {
  const { path } = await linkFor(member);
  return path.replace("/sign-in#", "");
}

function redeem(code: string, { node = server, headers = {}, ...more }: Redeeming = {}): Promise<Reply> {
  return node.ask("POST /api/session/code", { token: null, body: { code, ...more }, headers });
}
type Redeeming = { node?: TestServer; headers?: Record<string, string>; remember?: boolean };

const cookieOf = ({ headers }: Reply) => headers.get("set-cookie")?.split(";", 1)[0] ?? "";

function whoIs(cookie: string, node = server): Promise<Reply> {
  // Browsers keep one cookie for all nodes behind an address; here each node has its own port, which is in the name.
  const sent = cookie.replace(/^(pawl_session)\w*/, `$1_${new URL(node.url).port}`);
  return node.ask("GET /api/me", { token: null, headers: { cookie: sent } });
}

test("the code of a link signs its member in once", async () => {
  const code = await codeFor("ann");
  const first = await redeem(code);
  expect(first.status).toBe(200);
  expect(first.headers.get("set-cookie")).toMatch(
    /^pawl_session\S*=\S+; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  expect((await whoIs(cookieOf(first))).body).toMatchObject({ id: "ann" });
  const second = await redeem(code);
  expect(outcomeOf(second)).toBe("410 LINK_INVALID");
  expect(second.body.detail).toContain("used already");
  expect(second.headers.get("set-cookie")).toBeNull();
});

test("a code that many browsers use at once, on two nodes, signs in one of them", async () => {
  for (let round = 0; round < 5; round++) {
    const code = await codeFor("ann");
    const nodes = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? server : other));
    const replies = await Promise.all(nodes.map((node) => redeem(code, { node })));
    expect(replies.map(outcomeOf).sort()).toEqual(["200", ...Array<string>(9).fill("410 LINK_INVALID")]);
  }
});

test("an expired code is refused", async () => {
  const code = await codeFor("ann");
  await server.sql`update pawl.login_code set expires_at = now() where hash = ${Buffer.from(hashOfToken(code), "hex")}`;
  const reply = await redeem(code);
  expect([outcomeOf(reply), reply.body.detail]).toEqual(["410 LINK_INVALID", "This link has expired."]);
});

test("a link is valid for ten minutes", async () => {
  const { expires_at } = await linkFor("ann");
  const [row] = await server.sql<{ seconds: number; at: number }[]>`
    select extract(epoch from expires_at - created_at)::int as seconds, extract(epoch from expires_at)::float8 as at
    from pawl.login_code order by id desc limit 1`;
  expect(Math.floor((row?.at ?? 0) * 1_000)).toBe(Date.parse(expires_at));
  expect(row?.seconds).toBe(600);
});

const FORGED: [what: string, forge: (code: string) => string][] = [
  ["of another org", (code) => code.replace("_main_", "_nowhere_")],
  ["with an invalid org", (code) => code.replace("_main_", "_%00_")],
  ["with a broken org", (code) => code.replace("_main_", "_%ff_")],
  ["with one changed digit", (code) => code.slice(0, -1) + (code.endsWith("0") ? "1" : "0")],
  ["that is cut off", (code) => code.slice(0, -5)],
  ["that is a token", () => server.admin],
  ["that is the member's id", () => "ann"],
];

test.each(FORGED)("a code %s is refused, and the real one still works", async (_, forge) => {
  const code = await codeFor("ann");
  expect(outcomeOf(await redeem(forge(code)))).toBe("410 LINK_INVALID");
  expect((await redeem(code)).status).toBe(200);
});

test("a code is refused as a token, and is stored only as a hash", async () => {
  const code = await codeFor("ann");
  expect(outcomeOf(await server.ask("GET /api/me", { token: code }))).toBe("401 INVALID_TOKEN");
  const [row] = await server.sql<{ text: string }[]>`
    select string_agg(c::text, ' ') as text from pawl.login_code c`;
  expect(row?.text).not.toContain(code.slice(-48));
});

test("links and sessions of a deactivated member are refused, also after its reactivation", async () => {
  const [cookie, code] = [cookieOf(await redeem(await codeFor("gus"))), await codeFor("gus")];
  await server.ask("PATCH /api/members/gus", { body: { active: false } });
  expect(outcomeOf(await whoIs(cookie))).toBe("401 MEMBER_INACTIVE");
  expect(outcomeOf(await redeem(code))).toBe("401 MEMBER_INACTIVE");
  expect(outcomeOf(await server.ask("POST /api/members/gus/login-links"))).toBe("422 VALIDATION_ERROR");
  await server.ask("PATCH /api/members/gus", { body: { active: true } });
  expect(outcomeOf(await whoIs(cookie))).toBe("401 INVALID_TOKEN");
  expect(outcomeOf(await redeem(code))).toBe("410 LINK_INVALID");
});

test("a link cannot be used by a page of another site", async () => {
  const code = await codeFor("ann");
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "http://elsewhere.example" }])
    expect(outcomeOf(await redeem(code, { headers }))).toBe("403 CROSS_SITE_REQUEST");
  expect((await redeem(code)).status).toBe(200);
});

test("signing in replaces the session before, which ends, whatever its cookie is", async () => {
  const before = cookieOf(await redeem(await codeFor("gus")));
  const reply = await redeem(await codeFor("ann"), { headers: { cookie: before } });
  expect(cookieOf(reply)).not.toBe(before);
  expect(outcomeOf(await whoIs(before))).toBe("401 INVALID_TOKEN");
  // A cookie that another program has set is never taken over.
  const [name = ""] = before.split("=", 1);
  const fixed = `${name}=pawl_main_${"0".repeat(48)}`;
  const signed = cookieOf(await redeem(await codeFor("ann"), { headers: { cookie: fixed } }));
  expect(signed).not.toBe(fixed);
  expect(outcomeOf(await whoIs(fixed))).toBe("401 INVALID_TOKEN");
});

test("a session of a link ends when it is signed out, also for a copy of its cookie", async () => {
  const cookie = cookieOf(await redeem(await codeFor("ann")));
  expect((await whoIs(cookie, other)).status).toBe(200);
  expect((await server.ask("DELETE /api/session", { token: null, headers: { cookie } })).status).toBe(204);
  for (const node of [server, other]) expect(outcomeOf(await whoIs(cookie, node))).toBe("401 INVALID_TOKEN");
});

test("a session ends with the token that it was started with, and leaves it alone", async () => {
  const { id, token } = bodyOf<{ id: string; token: string }>(
    201,
    await server.ask("POST /api/members/ann/tokens"),
  );
  const signIn = () => server.ask("POST /api/session", { token: null, body: { token } });
  const [one, two] = [cookieOf(await signIn()), cookieOf(await signIn())];
  expect(one).not.toContain(token);
  expect(one).not.toBe(two);
  await server.ask("DELETE /api/session", { token: null, headers: { cookie: one } });
  expect(outcomeOf(await whoIs(one))).toBe("401 INVALID_TOKEN");
  expect((await whoIs(two)).status).toBe(200);
  expect((await server.ask("GET /api/me", { token })).status).toBe(200);
  await server.ask(`DELETE /api/tokens/${id}`);
  expect(outcomeOf(await whoIs(two))).toBe("401 INVALID_TOKEN");
});

test("the secret of a session starts no other session, which would outlive it", async () => {
  const cookie = cookieOf(await redeem(await codeFor("ann")));
  const token = decodeURIComponent(cookie.split("=")[1] ?? "");
  const again = await server.ask("POST /api/session", { token: null, body: { token } });
  expect(outcomeOf(again)).toBe("401 INVALID_TOKEN");
  expect((await whoIs(cookie)).status).toBe(200);
});

test("a cookie with a token, as sign-in stored it before sessions had secrets of their own, is still accepted", async () => {
  const [name = ""] = cookieOf(await redeem(await codeFor("ann"))).split("=", 1);
  expect((await whoIs(`${name}=${server.admin}`)).body).toMatchObject({ id: "admin" });
});

test("sessions are not listed among tokens, and cannot be revoked as tokens", async () => {
  await redeem(await codeFor("ann"));
  const { tokens } = bodyOf<{ tokens: { id: string }[] }>(
    200,
    await server.ask("GET /api/members/ann/tokens?all=true"),
  );
  const sessions = await server.sql<{ id: string }[]>`
    select id from pawl.token where kind = 'session' and member_id = 'ann'`;
  expect(sessions.length).toBeGreaterThan(0);
  for (const { id } of sessions) {
    expect(tokens.map((token) => token.id)).not.toContain(id);
    expect(outcomeOf(await server.ask(`DELETE /api/tokens/${id}`))).toBe("404 NOT_FOUND");
  }
});

test("an idle session ends, and one that reaches its maximum age", async () => {
  const cookie = cookieOf(await redeem(await codeFor("ann"), { remember: true }));
  const { headers } = await redeem(await codeFor("ann"), { remember: true });
  expect(headers.get("set-cookie")).toContain("Max-Age=2592000");
  const hash = Buffer.from(hashOfToken(decodeURIComponent(cookie.split("=")[1] ?? "")), "hex");
  await server.sql`update pawl.token set last_used_at = now() - interval '8 days' where hash = ${hash}`;
  expect(outcomeOf(await whoIs(cookie))).toBe("401 INVALID_TOKEN");
  await server.sql`update pawl.token set last_used_at = now() - interval '6 days' where hash = ${hash}`;
  expect((await whoIs(cookie)).status).toBe(200);
  const [row] = await server.sql<{ days: number }[]>`
    select extract(epoch from expires_at - created_at)::int / 86400 as days from pawl.token where hash = ${hash}`;
  expect(row?.days).toBe(30);
  await server.sql`update pawl.token set expires_at = now() where hash = ${hash}`;
  expect(outcomeOf(await whoIs(cookie))).toBe("401 INVALID_TOKEN");
});

test("a use of a token is recorded, and the check of an open stream is none", async () => {
  const token = await server.member({ id: "uma", roles: ["agent"] });
  const lastUse = async () => {
    const [row] = await server.sql<{ at: string | null }[]>`
      select last_used_at::text as at from pawl.token where hash = ${Buffer.from(hashOfToken(token), "hex")}`;
    return row?.at ?? null;
  };
  const directory = new Directory(server.sql, LIFECYCLES);
  await directory.authenticate(token, { isUse: false });
  await directory.authenticate(server.admin);
  await expect
    .poll(
      async () =>
        (
          await server.sql`select from pawl.token where last_used_at is not null and
    hash = ${Buffer.from(hashOfToken(server.admin), "hex")}`
        ).length,
    )
    .toBe(1);
  expect(await lastUse()).toBeNull();
  await directory.authenticate(token);
  await expect.poll(lastUse).not.toBeNull();
});

test("the link has the public address if there is one", async () => {
  const link = await linkFor("ann");
  expect(link.url).toBe(`https://pawl.example.com${link.path}`);
  expect((await linkFor("ann", other)).url).toBeNull();
});

test("a replaced admin token ends the sessions and links of the admin", async () => {
  const cookie = cookieOf(await redeem(await codeFor("admin")));
  const code = await codeFor("admin");
  await server.directory.resetAdmin("main");
  expect(outcomeOf(await whoIs(cookie))).toBe("401 INVALID_TOKEN");
  expect(outcomeOf(await redeem(code))).toBe("410 LINK_INVALID");
});
