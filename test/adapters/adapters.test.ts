import { randomUUID } from "node:crypto";
import knex from "knex";
import pg from "pg";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { fromDrizzle } from "../../src/adapters/drizzle.ts";
import { fromKnex } from "../../src/adapters/knex.ts";
import { fromKysely } from "../../src/adapters/kysely.ts";
import { fromMikroOrm } from "../../src/adapters/mikro-orm.ts";
import { fromPg } from "../../src/adapters/pg.ts";
import { fromPostgres } from "../../src/adapters/postgres.ts";
import { fromPrisma } from "../../src/adapters/prisma.ts";
import { fromTypeOrm } from "../../src/adapters/typeorm.ts";
import type { Within } from "../../src/engine/engine.ts";
import { ann, cat, openTestEngine } from "../engine/test-engine.ts";
import { DRIVERS, prismaDriver } from "./drivers.ts";
import { installPrisma } from "./prisma-client.ts";

const env = await openTestEngine();
await env.sql`create table shop_order (id int primary key)`;
beforeEach(() => env.sql`truncate shop_order`);

const order = { lifecycle: "board", title: "Pack the order", description: "x" };
const create = (within: Within, key: string | null = null) =>
  env.engine.create(env.by(cat), [order], { ...within, client_event_id: key });
const countTasks = async () =>
  Number((await env.sql`select count(*) from pawl.task where title = ${order.title}`)[0]?.count);
const countOrders = async () => (await env.sql`select * from shop_order`).length;

class RolledBack extends Error {}

const prisma = await installPrisma();
const drivers = prisma === null ? DRIVERS : { ...DRIVERS, Prisma: prismaDriver(prisma) };

describe.each(Object.entries(drivers))("%s", (_, openDriver) => {
  describe.each([
    ["with its default type parsers", false],
    ["with type parsers of the app", true],
  ])("%s", async (__, ownParsers) => {
    const driver = await openDriver(env.url, { ownParsers });
    afterAll(() => driver.close());

    test("a commit saves the app's row and the task", async () => {
      const before = await countTasks();
      await driver.transaction(async ({ tx, run }) => {
        await run("insert into shop_order values (1)");
        expect(await create({ tx })).toMatchObject({ kind: "created", replayed: false });
      });
      expect([await countOrders(), await countTasks()]).toEqual([1, before + 1]);
    });

    test("a rollback removes both", async () => {
      const before = await countTasks();
      const failed = driver.transaction(async ({ tx, run }) => {
        await run("insert into shop_order values (1)");
        await create({ tx });
        throw new RolledBack();
      });
      await expect(failed).rejects.toThrow(RolledBack);
      expect([await countOrders(), await countTasks()]).toEqual([0, before]);
    });

    test("a rollback to the app's savepoint removes the task alone", async () => {
      const before = await countTasks();
      await driver.transaction(async ({ run, nested }) => {
        await run("insert into shop_order values (1)");
        const failed = nested(async (inner) => {
          await create({ tx: inner.tx });
          throw new RolledBack();
        });
        await expect(failed).rejects.toThrow(RolledBack);
      });
      expect([await countOrders(), await countTasks()]).toEqual([1, before]);
    });

    test("all commands work in one serializable transaction, and see each other's changes", async () => {
      const key = randomUUID();
      await driver.transaction(async ({ tx }) => {
        const created = await create({ tx }, key);
        if (created.kind === "refused") throw new Error(created.detail);
        expect(await create({ tx }, key)).toMatchObject({ replayed: true });
        const claim = { task_id: String(created.tasks[0]?.id), action: "claim", comment: "mine" };
        expect(await env.engine.perform(env.by(ann), claim, { tx })).toMatchObject({
          kind: "performed",
          task: { status: "IN_PROGRESS", assigned_to: "ann" },
        });
        await env.engine.create(env.by(cat), [{ lifecycle: "code", title: "Write it" }], { tx });
        const { tasks } = (await env.engine.claim(env.by(ann), { lifecycle: "code", limit: 1 }, { tx })) as {
          tasks: { task: { data: unknown; lease: unknown }; lease_token: string }[];
        };
        expect(tasks).toMatchObject([{ task: { status: "claimed", lease: { holder: "ann" } } }]);
      }, "serializable");
      expect(await create({}, key)).toMatchObject({ kind: "created", replayed: true });
    });

    test("a decision sees every field of the task", async () => {
      const urgent = { ...order, priority: "high", ref: "first" };
      const created = await env.engine.create(env.by(cat), [urgent, { ...order, blocked_by: ["first"] }]);
      if (created.kind === "refused") throw new Error(created.detail);
      const [first, blocked] = created.tasks.map(({ id }) => id);
      const first_priority = created.tasks[0]?.priority;
      expect(first_priority).not.toBe(created.tasks[1]?.priority);
      await driver.transaction(async ({ tx }) => {
        const claim = (task_id = "") => ({ task_id, action: "claim", comment: "mine" });
        expect(await env.engine.perform(env.by(ann), claim(blocked), { tx })).toMatchObject({
          code: "UNRESOLVED_BLOCKERS",
        });
        expect(await env.engine.perform(env.by(ann), claim(first), { tx })).toMatchObject({
          task: { priority: first_priority, attempt: 0 },
        });
      });
    });

    test("commands that are not awaited run one after the other", async () => {
      const before = await countTasks();
      await driver.transaction(async ({ tx }) => {
        await Promise.all([create({ tx }), create({ tx }), create({ tx })]);
      });
      expect(await countTasks()).toBe(before + 3);
    });

    test("a refusal is returned, and the transaction can still commit", async () => {
      await driver.transaction(async ({ tx, run }) => {
        await run("insert into shop_order values (1)");
        const wrong = { ...order, title: "with a \u0000" };
        expect(await env.engine.create(env.by(cat), [wrong], { tx })).toMatchObject({
          code: "VALIDATION_ERROR",
        });
        const unknown = { task_id: randomUUID(), action: "claim", comment: "x" };
        expect(await env.engine.perform(env.by(ann), unknown, { tx })).toMatchObject({
          code: "TASK_NOT_FOUND",
        });
      });
      expect(await countOrders()).toBe(1);
    });

    test("an answer is the same as without a transaction", async () => {
      const expected = await create({});
      let answer: unknown;
      await driver.transaction(async ({ tx }) => {
        answer = await create({ tx });
      });
      expect(shapeOf(answer)).toEqual(shapeOf(expected));
    });

    test("after a failed statement the error names the cause", async () => {
      const failed = driver.transaction(async ({ tx, run }) => {
        await run("select 1 / 0").catch(() => undefined);
        await create({ tx });
      });
      await expect(failed).rejects.toMatchObject({
        code: "TRANSACTION_UNUSABLE",
        message: expect.stringMatching(/^An earlier statement of the transaction failed/) as string,
      });
    });

    test("in a read-only transaction the error names the cause", async () => {
      const failed = driver.transaction(async ({ tx, run }) => {
        await run("set transaction read only");
        await create({ tx });
      });
      await expect(failed).rejects.toMatchObject({
        code: "TRANSACTION_UNUSABLE",
        message: "The transaction is read-only. Begin one that may write.",
      });
    });

    test("after the end of the transaction a command throws", async () => {
      let kept: Within["tx"];
      await driver.transaction(({ tx }) => {
        kept = tx;
        return Promise.resolve();
      });
      await expect(create({ tx: kept })).rejects.toMatchObject({
        code: "TRANSACTION_UNUSABLE",
        message: expect.stringMatching(/has ended/) as string,
      });
    });

    test.each([
      ["DateStyle = German", "datestyle = iso"],
      ["DateStyle = 'SQL, DMY'", "datestyle = iso"],
      ["array_nulls = off", "array_nulls = on"],
      ["standard_conforming_strings = off", "standard_conforming_strings = on"],
    ])("with %s the error names the setting, which helps", async (wrong, right) => {
      const failed = driver.transaction(async ({ tx, run }) => {
        await run(`set local ${wrong}`);
        await create({ tx });
      });
      await expect(failed).rejects.toMatchObject({
        code: "TRANSACTION_UNUSABLE",
        message: expect.stringContaining(`\`set local ${right}\``) as string,
      });
      await driver.transaction(async ({ tx, run }) => {
        await run(`set local ${wrong}`);
        await run(`set local ${right}`);
        expect(await create({ tx })).toMatchObject({ kind: "created" });
      });
    });

    test("as a role without privileges the error names the remedy", async () => {
      const failed = driver.transaction(async ({ tx, run }) => {
        await run("set local role pg_monitor");
        await create({ tx });
      });
      await expect(failed).rejects.toMatchObject({
        code: "TRANSACTION_UNUSABLE",
        message: expect.stringMatching(/permission denied.*`pawl migrate --grant <role>`/s) as string,
      });
    });

    test.skipIf(!driver.outside)("outside any transaction a command throws", async () => {
      const tx = await driver.outside?.();
      await expect(create({ tx })).rejects.toMatchObject({
        code: "TRANSACTION_UNUSABLE",
        message: expect.stringMatching(/^There is no open transaction/) as string,
      });
    });
  });
});

test("on another database the error reports that Pawl's tables are missing", async () => {
  const open = DRIVERS.pg as NonNullable<typeof DRIVERS.pg>;
  const url = new URL(env.url);
  url.pathname = "/postgres";
  const driver = await open(url.href, { ownParsers: false });
  const failed = driver.transaction(async ({ tx }) => {
    await create({ tx });
  });
  await expect(failed).rejects.toMatchObject({
    code: "TRANSACTION_UNUSABLE",
    message: expect.stringMatching(/lacks Pawl's tables/) as string,
  });
  await driver.close();
});

test.each<[string, (client: pg.Client) => Promise<unknown>]>([
  ["the app has closed", (client) => client.end()],
  [
    "the server has closed",
    (client) => client.query("select pg_terminate_backend(pg_backend_pid())").catch(() => undefined),
  ],
])("on a connection that %s, all commands throw an error that names the cause", async (_, close) => {
  const client = new pg.Client(env.url);
  client.on("error", () => undefined);
  await client.connect();
  await client.query("begin");
  await close(client);
  const tx = fromPg(client);
  for (const command of [create({ tx }), create({ tx })])
    await expect(command).rejects.toMatchObject({
      name: "PawlError",
      code: "TRANSACTION_UNUSABLE",
      message: expect.stringMatching(
        /^pg could not run a statement in the transaction: .*its connection is closed. Begin a new transaction/,
      ) as string,
    });
});

const ADAPTERS = {
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromMikroOrm,
  fromPg,
  fromPostgres,
  fromPrisma,
  fromTypeOrm,
};
const NO_TRANSACTIONS: [name: string, value: unknown][] = [
  ["undefined", undefined],
  ["a string", "tx"],
  ["an empty object", {}],
  ["a pool of pg", new pg.Pool()],
  ["an unconnected client of pg", new pg.Client()],
  ["Knex", knex({ client: "pg" })],
];

/** Objects with a function `query`, like TypeORM's managers: the first statement fails if no transaction is open. */
const ALIKE = new Set(["fromTypeOrm a pool of pg", "fromTypeOrm an unconnected client of pg"]);

describe.each(Object.entries(ADAPTERS))("%s", (name, adapt) => {
  test.each(NO_TRANSACTIONS.filter(([kind]) => !ALIKE.has(`${name} ${kind}`)))(
    "given %s names the transaction to pass",
    (_, value) => {
      const wrap = adapt as (value: unknown) => unknown;
      expect(() => wrap(value)).toThrow(new RegExp(`^${name} needs an open transaction\\. Pass the `));
    },
  );
});

/** Replaces the values that differ between two equal commands. */
function shapeOf(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer)
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}(\.\d+)?/g, "an id")
      .replace(/\b1[789]\d{11}\b/g, "1"),
  );
}
