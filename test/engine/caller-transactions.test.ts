import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { PawlError } from "../../src/core/index.ts";
import type { Within } from "../../src/engine/engine.ts";
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

const REMEDY = /Pass the transaction from `sql\.begin` of a postgres\.js client/;
const asIs = { serialize: (value: unknown) => value, parse: (text: string) => text };

function withDrizzle(): postgres.Sql {
  const sql = client();
  drizzle(sql);
  return sql;
}

describe.each<[string, () => postgres.Sql]>([
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
  ["that copies rows", () => client({ transform: { row: { from: (row: object) => ({ ...row }) } } })],
  ["with json as text", () => client({ types: { json: { ...asIs, to: 114, from: [114] } } })],
  ["with jsonb as text", () => client({ types: { json: { ...asIs, to: 3802, from: [3802] } } })],
])("in a transaction of a client %s", (_, open) => {
  test.each(CALLS)("%s throws, and the rest of the transaction is rolled back", async (_name, call) => {
    const sql = open();
    const failed = sql.begin(async (tx) => {
      await tx`insert into shop_order values (1)`;
      await call({ tx });
    });
    const error = await failed.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PawlError);
    expect(error).toMatchObject({
      code: "TRANSACTION_UNUSABLE",
      message: expect.stringMatching(/^The client of `tx` /) as string,
    });
    expect((error as Error).message).toMatch(REMEDY);
    expect(await env.sql`select * from shop_order`).toEqual([]);
  });
});

const wrapped = {
  ...{ to: 114, from: [114, 3802], parse: JSON.parse },
  serialize: (json: unknown) => JSON.stringify({ json }),
};

describe.each([
  ["with custom bigints", { types: { bigint: postgres.BigInt } }],
  ["that wraps the JSON it sends", { types: { json: wrapped } }],
])("in a transaction of a client %s", (_, options) => {
  test.each(CALLS)("%s works", async (_name, call) => {
    await env.make(cat, "code", free);
    const answer = await client(options).begin((tx) => call({ tx }));
    expect(answer).not.toMatchObject({ kind: "refused" });
  });
});

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

describe.each<[string, () => unknown, RegExp]>([
  [
    "a client of pg",
    () => ({ query: () => undefined, release: () => undefined }),
    /another driver, such as pg/,
  ],
  ["a client of postgres.js", () => client(), /is a client of postgres\.js, not a transaction/],
  ["a database of drizzle", () => drizzle(client()), /is not a transaction of postgres\.js/],
  ["an empty object", () => ({}), /is not a transaction of postgres\.js/],
  ["a text", () => "tx", /is not a transaction of postgres\.js/],
  ["null", () => null, /is not a transaction of postgres\.js/],
  ["false", () => false, /is not a transaction of postgres\.js/],
])("given %s as the transaction", (_, tx, expected) => {
  test.each(CALLS)("%s throws", async (_name, call) => {
    const thrown = call({ tx: tx() as Within["tx"] });
    await expect(thrown).rejects.toMatchObject({ name: "PawlError", code: "TRANSACTION_UNUSABLE" });
    await expect(thrown).rejects.toThrow(expected);
    await expect(thrown).rejects.toThrow(REMEDY);
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
    message: expect.stringMatching(/^The transaction has ended\./) as string,
  });
});
