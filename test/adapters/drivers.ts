import "reflect-metadata";
import { MikroORM } from "@mikro-orm/postgresql";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js";
import { sql as drizzleSql } from "drizzle-orm";
import knex from "knex";
import type { Knex } from "knex";
import { CamelCasePlugin, Kysely, PostgresDialect, sql as kyselySql } from "kysely";
import pg from "pg";
import postgres from "postgres";
import { DataSource } from "typeorm";
import { fromDrizzle } from "../../src/adapters/drizzle.ts";
import { fromKnex } from "../../src/adapters/knex.ts";
import { fromKysely } from "../../src/adapters/kysely.ts";
import { fromMikroOrm } from "../../src/adapters/mikro-orm.ts";
import { fromPg } from "../../src/adapters/pg.ts";
import { fromPostgres } from "../../src/adapters/postgres.ts";
import { fromPrisma } from "../../src/adapters/prisma.ts";
import { fromTypeOrm } from "../../src/adapters/typeorm.ts";
import type { CallerTransaction } from "../../src/main/index.ts";
import type { PrismaApp } from "./prisma-client.ts";

/** An open transaction of a driver: its adapter, a way to run a statement, and to open a savepoint with the driver's own means. */
export type Opened = {
  tx: CallerTransaction;
  run: (text: string) => Promise<unknown>;
  nested: (work: (inner: Opened) => Promise<void>) => Promise<void>;
};

/** A driver or ORM, connected to a database. */
export type Driver = {
  transaction: (work: (opened: Opened) => Promise<void>, isolation?: "serializable") => Promise<void>;
  /** An adapter for statements outside any transaction, if the types of the driver allow one. */
  outside?: () => CallerTransaction | Promise<CallerTransaction>;
  close: () => Promise<unknown>;
};

type Address = { host: string; database: string; user: string };

/** Splits a URL with a socket's folder into the fields that every driver accepts. */
function addressOf(url: string): Address {
  const { searchParams, pathname, username, hostname } = new URL(url);
  return { host: searchParams.get("host") ?? hostname, database: pathname.slice(1), user: username };
}

const getParser = pg.types.getTypeParser as (type: number, format?: string) => unknown;

/** Type parsers that an app may have set: dates and JSON as text, bigints as such. */
const OWN_PARSERS = {
  getTypeParser: (type: number, format?: "text" | "binary") => {
    if (type === 1184 || type === 114 || type === 3802) return (text: string) => text;
    return type === 20 ? BigInt : (getParser(type, format) as (text: string) => unknown);
  },
};

const asIs = { serialize: (value: unknown) => value, parse: (text: string) => text };
const OWN_TYPES = {
  date: { to: 1184, from: [1082, 1114, 1184], ...asIs },
  json: { to: 114, from: [114, 3802], ...asIs },
  bigint: postgres.BigInt,
};

type Options = { ownParsers: boolean };

/** Opens a savepoint by statements, for drivers that have no call for it. */
function nestedBySql(opened: Omit<Opened, "nested">): Opened["nested"] {
  return async (work) => {
    await opened.run("savepoint inner_one");
    try {
      await work({ ...opened, nested: nestedBySql(opened) });
      await opened.run("release savepoint inner_one");
    } catch (error) {
      await opened.run("rollback to savepoint inner_one");
      throw error;
    }
  };
}

function pgPool(url: string, { ownParsers }: Options): pg.Pool {
  return new pg.Pool({ ...addressOf(url), max: 3, ...(ownParsers ? { types: OWN_PARSERS } : {}) });
}

function postgresClient(url: string, { ownParsers }: Options): postgres.Sql {
  const { user: username, ...address } = addressOf(url);
  const types = ownParsers ? { types: OWN_TYPES, fetch_types: false } : {};
  return postgres({ ...address, username, max: 3, onnotice: () => undefined, ...types } as never);
}

/** Opens each driver that has an adapter. */
export const DRIVERS: Record<string, (url: string, options: Options) => Driver | Promise<Driver>> = {
  pg: (url, options) => {
    const pool = pgPool(url, options);
    return {
      transaction: async (work, isolation) => {
        const client = await pool.connect();
        const opened = { tx: fromPg(client), run: (text: string) => client.query(text) };
        try {
          await client.query(`begin isolation level ${isolation ?? "read committed"}`);
          await work({ ...opened, nested: nestedBySql(opened) });
          await client.query("commit");
        } catch (error) {
          await client.query("rollback");
          throw error;
        } finally {
          client.release();
        }
      },
      outside: async () => {
        const client = await pool.connect();
        setImmediate(() => {
          client.release();
        });
        return fromPg(client);
      },
      close: () => pool.end(),
    };
  },
  "postgres.js": (url, options) => {
    const sql = postgresClient(url, options);
    const opened = (tx: postgres.TransactionSql): Opened => ({
      tx: fromPostgres(tx),
      run: (text) => tx.unsafe(text),
      nested: async (work) => {
        await tx.savepoint((inner) => work(opened(inner)));
      },
    });
    return {
      transaction: async (work, isolation) => {
        await sql.begin(`isolation level ${isolation ?? "read committed"}`, (tx) => work(opened(tx)));
      },
      close: () => sql.end(),
    };
  },
  "Drizzle on pg": (url, options) => {
    const pool = pgPool(url, options);
    return drizzleOn(drizzlePg(pool), () => pool.end());
  },
  "Drizzle on postgres.js": (url, options) => {
    const sql = postgresClient(url, options);
    return drizzleOn(drizzlePostgres(sql), () => sql.end());
  },
  Kysely: (url, options) => {
    const pool = pgPool(url, options);
    const db = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool }),
      plugins: options.ownParsers ? [new CamelCasePlugin()] : [],
    });
    return {
      transaction: (work, isolation) =>
        db
          .transaction()
          .setIsolationLevel(isolation ?? "read committed")
          .execute(async (trx) => {
            const opened = {
              tx: fromKysely(trx),
              run: (text: string) => kyselySql.raw(text).execute(trx),
            };
            await work({ ...opened, nested: nestedBySql(opened) });
          }),
      outside: () => fromKysely(db),
      close: () => db.destroy(),
    };
  },
  Knex: (url, { ownParsers }) => {
    const db = knex({
      client: "pg",
      connection: { ...addressOf(url), ...(ownParsers ? { types: OWN_PARSERS } : {}) } as never,
      pool: { max: 3 },
    });
    const opened = (trx: Knex.Transaction): Opened => ({
      tx: fromKnex(trx),
      run: (text) => trx.raw(text),
      nested: async (work) => {
        await trx.transaction((inner) => work(opened(inner)));
      },
    });
    return {
      transaction: async (work, isolation) => {
        await db.transaction((trx) => work(opened(trx)), {
          isolationLevel: isolation ?? "read committed",
        });
      },
      close: () => db.destroy(),
    };
  },
  TypeORM: async (url, { ownParsers }) => {
    const { user: username, ...address } = addressOf(url);
    const source = new DataSource({
      type: "postgres",
      ...address,
      username,
      extra: ownParsers ? { types: OWN_PARSERS } : {},
    });
    await source.initialize();
    type Manager = typeof source.manager;
    const opened = (manager: Manager): Opened => ({
      tx: fromTypeOrm(manager),
      run: (text) => manager.query(text),
      nested: (work) => manager.transaction((inner) => work(opened(inner))),
    });
    return {
      transaction: (work, isolation) =>
        source.transaction(isolation === "serializable" ? "SERIALIZABLE" : "READ COMMITTED", (manager) =>
          work(opened(manager)),
        ),
      outside: () => fromTypeOrm(source.manager),
      close: () => source.destroy(),
    };
  },
  MikroORM: async (url, { ownParsers }) => {
    const { database: dbName, ...address } = addressOf(url);
    const orm = await MikroORM.init({
      dbName,
      ...address,
      entities: [],
      discovery: { warnWhenNoEntities: false },
      driverOptions: ownParsers ? { connection: { types: OWN_PARSERS } } : {},
    });
    type Manager = ReturnType<typeof orm.em.fork>;
    const opened = (em: Manager): Opened => ({
      tx: fromMikroOrm(em),
      run: (text) => em.getConnection().execute(text, [], "all", em.getTransactionContext()),
      nested: (work) => em.transactional((inner) => work(opened(inner))),
    });
    return {
      transaction: (work, isolation) =>
        orm.em.fork().transactional((em) => work(opened(em)), {
          isolationLevel: (isolation ?? "read committed") as never,
        }),
      close: () => orm.close(),
    };
  },
};

/** Opens Prisma with the client that was generated for the app. */
export function prismaDriver(app: PrismaApp): (typeof DRIVERS)[string] {
  return (url, { ownParsers }) => {
    const prisma = app.connect({ ...addressOf(url), max: 3, ...(ownParsers ? { types: OWN_PARSERS } : {}) });
    return {
      transaction: (work, isolation) =>
        prisma.$transaction(
          async (tx) => {
            const opened = { tx: fromPrisma(tx), run: async (text: string) => tx.$executeRawUnsafe(text) };
            await work({ ...opened, nested: nestedBySql(opened) });
          },
          {
            isolationLevel: isolation === "serializable" ? "Serializable" : "ReadCommitted",
            timeout: 60_000,
          },
        ),
      outside: () => fromPrisma(prisma),
      close: () => prisma.$disconnect(),
    };
  };
}

type DrizzleTx = Parameters<typeof fromDrizzle>[0] & {
  execute(query: unknown): Promise<unknown>;
  transaction(work: (inner: DrizzleTx) => Promise<void>): Promise<void>;
};
type DrizzleDb = {
  transaction(
    work: (tx: DrizzleTx) => Promise<void>,
    config: { isolationLevel: "serializable" | "read committed" },
  ): Promise<void>;
};

function drizzleOn(db: DrizzleDb, close: () => Promise<unknown>): Driver {
  const opened = (tx: DrizzleTx): Opened => ({
    tx: fromDrizzle(tx),
    run: (text) => tx.execute(drizzleSql.raw(text)),
    nested: (work) => tx.transaction((inner) => work(opened(inner))),
  });
  return {
    transaction: (work, isolation) =>
      db.transaction((tx) => work(opened(tx)), { isolationLevel: isolation ?? "read committed" }),
    outside: () => fromDrizzle(db as unknown as DrizzleTx),
    close,
  };
}
