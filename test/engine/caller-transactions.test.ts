import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { PawlError } from "../../src/core/index.ts";
import type { Within } from "../../src/engine/engine.ts";
import { until } from "../support/until.ts";
import { ann, cat, openTestEngine } from "./test-engine.ts";

const env = await openTestEngine();
await env.sql`create table shop_order (id int primary key)`;
beforeEach(async () => {
  await env.sql`truncate shop_order`;
});

const clients: postgres.Sql[] = [];
afterAll(() => Promise.all(clients.map((client) => client.end())));

/** Opens a client of the caller on the same database. */
function client(options: object = {}): postgres.Sql {
  const { searchParams, pathname, username } = new URL(env.url);
  const address = { host: searchParams.get("host") ?? "", database: pathname.slice(1), username };
  const created = postgres({ ...address, max: 1, onnotice: () => undefined, ...options });
  clients.push(created);
  return created;
}

const order = { lifecycle: "board", title: "Pack the order", description: "x" };
const { id: task_id } = await env.make(cat, "board", order);
const free = { lifecycle: "code", title: "Write it" };
const CALLS: [name: string, call: (within: Within) => Promise<unknown>][] = [
  ["create", (within) => env.engine.create(env.by(cat), [order], within)],
  [
    "perform",
    (within) => env.engine.perform(env.by(ann), { task_id, action: "comment", comment: "x" }, within),
  ],
  ["claim", (within) => env.engine.claim(env.by(ann), { lifecycle: "code", limit: 1 }, within)],
];

const asIs = { serialize: (value: unknown) => value, parse: (text: string) => text };

function withDrizzle(): postgres.Sql {
  const sql = client();
  drizzle(sql);
  return sql;
}

describe.each<[string, () => postgres.Sql]>([
  ["that copies rows", () => client({ transform: { row: { from: (row: object) => ({ ...row }) } } })],
])("in a transaction of a client %s", (_, open) => {
  test.each(CALLS)("%s throws, and the rest of the transaction is rolled back", async (_name, call) => {
    await env.make(cat, "code", free);
    const sql = open();
    const failed = sql.begin(async (tx) => {
      await tx`insert into shop_order values (1)`;
      await call({ tx });
    });
    const error = await failed.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PawlError);
    expect(error).toMatchObject({
      code: "TRANSACTION_UNUSABLE",
      message: expect.stringMatching(
        /^Pawl cannot read the column \w+ .* Begin the transaction on a client of postgres\.js whose options/,
      ) as string,
    });
    expect(await env.sql`select * from shop_order`).toEqual([]);
  });
});

const wrapped = {
  ...{ to: 114, from: [114, 3802], parse: JSON.parse },
  serialize: (json: unknown) => JSON.stringify({ json }),
};

describe.each<[string, () => postgres.Sql]>([
  ["with the default types", () => client()],
  ["passed to drizzle()", withDrizzle],
  ["with fetch_types: false", () => client({ fetch_types: false })],
  ["with dates as text", () => client({ types: { date: { to: 1184, from: [1082, 1114, 1184], ...asIs } } })],
  [
    "with dates of a custom class",
    () => {
      const parse = (text: string) => ({ iso: text });
      return client({ types: { date: { ...asIs, to: 1184, from: [1184], parse, serialize: String } } });
    },
  ],
  ["with camelCase columns", () => client({ transform: postgres.camel })],
  [
    "that reads nulls as undefined",
    () => client({ transform: { value: { from: (value: unknown) => value ?? undefined } } }),
  ],
  ["with json as text", () => client({ types: { json: { ...asIs, to: 114, from: [114] } } })],
  ["with jsonb as text", () => client({ types: { json: { ...asIs, to: 3802, from: [3802] } } })],
  ["with custom bigints", () => client({ types: { bigint: postgres.BigInt } })],
  ["that wraps the JSON it sends", () => client({ types: { json: wrapped } })],
  ["without prepared statements", () => client({ prepare: false })],
])("in a transaction of a client %s", (_, open) => {
  test.each(CALLS)("%s gives the same answer as without a transaction", async (_name, call) => {
    await env.make(cat, "code", free);
    await env.make(cat, "code", free);
    const expected = await call({});
    const answer = await open().begin((tx) => call({ tx }));
    expect(shapeOf(answer)).toEqual(shapeOf(expected));
  });
});

/** Replaces the values that differ between two equal commands: ids, tokens, times and versions. */
function shapeOf(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer)
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}(\.\d+)?/g, "an id")
      .replace(/(?<="row_version":)\d+/g, "1")
      .replace(/\b1[789]\d{11}\b/g, "1"),
  );
}

test("bad input is refused in a usable transaction, which can still commit", async () => {
  await client().begin(async (tx) => {
    await tx`insert into shop_order values (1)`;
    const wrong = { ...order, title: "with a \u0000" };
    expect(await env.engine.create(env.by(cat), [wrong], { tx })).toMatchObject({
      code: "VALIDATION_ERROR",
    });
  });
  expect(await env.sql`select * from shop_order`).toHaveLength(1);
});

const WRAP = /^`tx` is not a transaction that Pawl knows\. Wrap .* `fromPg\(client\)`\.$/;

describe.each<[string, () => unknown, RegExp]>([
  ["a client of pg", () => ({ query: () => undefined, release: () => undefined }), WRAP],
  [
    "a client of postgres.js",
    () => client(),
    /is a client of postgres\.js, not a transaction: pass the argument of the callback of `sql\.begin`/,
  ],
  ["a database of drizzle", () => drizzle(client()), WRAP],
  ["an empty object", () => ({}), WRAP],
  ["a string", () => "tx", WRAP],
  ["null", () => null, WRAP],
  ["false", () => false, WRAP],
])("given %s as the transaction", (_, tx, expected) => {
  test.each(CALLS)("%s throws", async (_name, call) => {
    const thrown = Promise.resolve().then(() => call({ tx: tx() as Within["tx"] }));
    await expect(thrown).rejects.toMatchObject({ name: "PawlError", code: "TRANSACTION_UNUSABLE" });
    await expect(thrown).rejects.toThrow(expected);
  });
});

test.each(CALLS)("%s throws in a transaction with a failed statement", async (_name, call) => {
  const failed = client().begin(async (tx) => {
    await tx`select 1 / 0`.catch(() => undefined);
    await expect(call({ tx })).rejects.toMatchObject({
      code: "TRANSACTION_UNUSABLE",
      message: expect.stringMatching(/^An earlier statement of the transaction failed/) as string,
    });
  });
  await expect(failed).rejects.toMatchObject({ code: "22012" });
});

test.each(CALLS)("%s throws in a transaction that has ended", async (_name, call) => {
  let over: Within["tx"];
  await client().begin((tx) => {
    over = tx;
    return Promise.resolve();
  });
  await expect(call({ tx: over })).rejects.toMatchObject({
    code: "TRANSACTION_UNUSABLE",
    message: expect.stringMatching(/^There is no open transaction: .* it has ended/) as string,
  });
});

test("a second command works while commands outside wait for the transaction on every connection", async () => {
  const small = await openTestEngine({ maxConnections: 1 });
  const { searchParams, pathname, username } = new URL(small.url);
  const own = postgres({
    host: searchParams.get("host") ?? "",
    database: pathname.slice(1),
    username,
    max: 1,
    onnotice: () => undefined,
  });
  clients.push(own);
  const outside: Promise<unknown>[] = [];
  await own.begin(async (tx) => {
    const created = await small.engine.create(small.by(cat), [order], { tx });
    if (created.kind === "refused") throw new Error(created.detail);
    // These wait for the org's row, which the transaction has locked.
    outside.push(...[1, 2, 3, 4].map(() => small.engine.create(small.by(cat), [order])));
    const waiting = async () =>
      Number((await tx`select count(*) from pg_locks where not granted`)[0]?.count) > 0;
    await until(waiting);
    const claim = { task_id: String(created.tasks[0]?.id), action: "claim", comment: "mine" };
    expect(await small.engine.perform(small.by(ann), claim, { tx })).toMatchObject({ kind: "performed" });
  });
  expect(await Promise.all(outside)).toMatchObject(outside.map(() => ({ kind: "created" })));
});
