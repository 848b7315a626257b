import { expect, test } from "vitest";
import { hashOfToken } from "../../src/engine/directory/tokens.ts";
import { bodyOf, outcomeOf, startTestServer } from "./test-server.ts";

const server = await startTestServer();
await server.member({ id: "bot", kind: "service", roles: ["agent"] });

type Issued = { id: string; token: string };
type Listed = { id: string; name: string | null; expires_at: string | null; last_used_at: string | null };

const create = async (body?: object) =>
  bodyOf<Issued>(201, await server.ask("POST /api/members/bot/tokens", body ? { body } : {}));
const rotate = (id: string, body?: object) =>
  server.ask(`POST /api/tokens/${id}/rotate`, body ? { body } : {});
const rotated = async (id: string, body?: object) => bodyOf<Issued>(201, await rotate(id, body));
const use = async (token: string) => outcomeOf(await server.ask("GET /api/me", { token }));
const find = async (id: string) => {
  const reply = await server.ask("GET /api/members/bot/tokens?all=true");
  return bodyOf<{ tokens: Listed[] }>(200, reply).tokens.find((one) => one.id === id);
};
const hours = (from: number, to: string | null | undefined) => (Date.parse(to ?? "") - from) / 3_600_000;

test("a token has a name, expires after its days, and shows its last use", async () => {
  const begun = Date.now();
  const { id, token } = await create({ name: "nightly build", expires_in_days: 30 });
  expect(await find(id)).toMatchObject({ name: "nightly build", last_used_at: null });
  expect(hours(begun, (await find(id))?.expires_at)).toBeCloseTo(720, 0);
  expect(await use(token)).toBe("200");
  await expect.poll(async () => (await find(id))?.last_used_at).not.toBeNull();
  await server.sql`update pawl.token set expires_at = now() where id = ${id}`;
  expect(await use(token)).toBe("401 INVALID_TOKEN");
});

test("without options, a token has no name and does not expire", async () => {
  const { id } = await create();
  expect(await find(id)).toMatchObject({ name: null, expires_at: null, last_used_at: null });
});

test("during the overlap both tokens are valid, afterwards only the new one", async () => {
  const old = await create({ name: "deploy", expires_in_days: 90 });
  const begun = Date.now();
  const { id, token } = await rotated(old.id);
  expect(token).not.toBe(old.token);
  expect([await use(old.token), await use(token)]).toEqual(["200", "200"]);
  expect(hours(begun, (await find(old.id))?.expires_at)).toBeCloseTo(24, 1);
  expect((await find(id))?.name).toBe("deploy");
  expect(hours(begun, (await find(id))?.expires_at)).toBeCloseTo(90 * 24, 0);
  await server.sql`update pawl.token set expires_at = now() where id = ${old.id}`;
  expect([await use(old.token), await use(token)]).toEqual(["401 INVALID_TOKEN", "200"]);
});

test("without overlap the old token is refused at once; an overlap extends no token", async () => {
  const old = await create();
  const { id, token } = await rotated(old.id, { overlap_hours: 0 });
  expect([await use(old.token), await use(token)]).toEqual(["401 INVALID_TOKEN", "200"]);
  expect((await find(id))?.expires_at).toBeNull();
  const brief = await create({ expires_in_days: 1 });
  const { expires_at } = (await find(brief.id))!;
  await rotated(brief.id, { overlap_hours: 720 });
  expect((await find(brief.id))?.expires_at).toBe(expires_at);
});

test("a second rotation within the overlap gives the first lifetime again", async () => {
  const [eternal, brief] = [await create(), await create({ expires_in_days: 90 })];
  for (const { id } of [eternal, brief]) await rotated(id, { overlap_hours: 1 });
  expect((await find((await rotated(eternal.id)).id))?.expires_at).toBeNull();
  const begun = Date.now();
  expect(hours(begun, (await find((await rotated(brief.id)).id))?.expires_at)).toBeCloseTo(90 * 24, 0);
});

test("a token that ended, or that has one purpose, or that Pawl created itself is not rotated", async () => {
  const revoked = await create();
  await server.ask(`DELETE /api/tokens/${revoked.id}`);
  const expired = await create();
  await server.sql`update pawl.token set expires_at = now() where id = ${expired.id}`;
  const chat = bodyOf<Issued>(
    201,
    await server.ask("POST /api/chats/c/callback-tokens", { body: { member_id: "bot" } }),
  );
  const [setup] = await server.sql<{ id: string }[]>`
    insert into pawl.token (org_id, id, member_id, hash)
    values ('main', gen_random_uuid(), 'bot', ${Buffer.from(hashOfToken("x"), "hex")}) returning id`;
  for (const id of [revoked.id, expired.id, chat.id, setup!.id])
    expect(outcomeOf(await rotate(id))).toBe("409 TOKEN_NOT_ROTATED");
});

test("a session cannot be rotated into a token", async () => {
  const { token } = await create();
  await server.ask("POST /api/session", { token: null, body: { token } });
  const [session] = await server.sql<{ id: string }[]>`
    select id from pawl.token where kind = 'session' and member_id = 'bot'`;
  expect(outcomeOf(await rotate(session!.id))).toBe("404 NOT_FOUND");
});

test.each([
  ["an empty name", { name: " " }],
  ["a long name", { name: "x".repeat(101) }],
  ["a name with NUL", { name: "a\u0000b" }],
  ["no days", { expires_in_days: 0 }],
  ["too many days", { expires_in_days: 1e9 }],
  ["half a day", { expires_in_days: 0.5 }],
  ["days that are text", { expires_in_days: "30" }],
])("%s is refused", async (_, body) => {
  expect(outcomeOf(await server.ask("POST /api/members/bot/tokens", { body }))).toBe("422 VALIDATION_ERROR");
});

test.each([-1, 721, "1", null])("an overlap of %j is refused", async (overlap_hours) => {
  const { id, token } = await create();
  expect(outcomeOf(await rotate(id, { overlap_hours }))).toBe("422 VALIDATION_ERROR");
  expect(await use(token)).toBe("200");
});

test("tokens have the form that the documentation gives to secret scanners", async () => {
  const tokens = [(await create()).token, await server.member({ id: "ann" }, "an org_of our own")];
  const document = await server.ask("GET /openapi.json", { token: null });
  const [, form = ""] = /Secret scanners recognize tokens by `([^`]+)`/.exec(document.text) ?? [];
  const pattern = new RegExp(`^${JSON.parse(`"${form}"`) as string}$`);
  for (const token of tokens) expect(token).toMatch(pattern);
});
