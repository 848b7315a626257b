import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, inject, onTestFinished, test } from "vitest";
import { dumpSchema } from "../../scripts/dump-schema.ts";
import { connect } from "../../src/postgres/connect.ts";
import { migrate } from "../../src/engine/upkeep/migrate.ts";
import { registerLifecycles } from "../../src/engine/upkeep/register-lifecycles.ts";
import { hasTriggers, namesOfMigrations } from "../../src/engine/upkeep/migrations.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { migrationSources } from "../../src/main/plugins.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { testDatabases } from "../support/postgres.ts";

const databases = testDatabases(inject("postgresUrl"));
afterAll(() => databases.close());

const ALL_SOURCES = { sources: migrationSources(PLUGINS) };
const MIGRATIONS = await namesOfMigrations(ALL_SOURCES.sources);
const ALL_NAMES = MIGRATIONS.map(({ name }) => name);

test("each owner numbers its migrations from 1, and the engine's come first", () => {
  const owners = [...new Set(MIGRATIONS.map(({ owner }) => owner))];
  for (const one of owners) {
    const numbers = MIGRATIONS.filter(({ owner }) => owner === one).map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  }
  expect(owners).toEqual([
    "pawl",
    ...PLUGINS.flatMap((plugin) => (plugin.migrations ? plugin.lifecycle.name : [])),
  ]);
});

/** Creates an empty database with its own clients. */
async function emptyDatabase({ clients = 1 } = {}) {
  const database = await databases.createDatabase();
  const sqls = Array.from({ length: clients }, () => connect(database.url, { maxConnections: 1 }));
  onTestFinished(async () => {
    await Promise.all(sqls.map((sql) => sql.end({ timeout: 5 })));
    await database.drop();
  });
  return { url: database.url, sql: sqls[0]!, sqls };
}

/** Returns all migrations and those of one more owner. */
async function withOwner(owner: string, files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "pawl-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { sources: [...ALL_SOURCES.sources, { owner, folder: pathToFileURL(`${folder}/`) }] };
}

test("many connections that migrate at once run each migration once", async () => {
  const { sql, sqls } = await emptyDatabase({ clients: 20 });
  const runs = await Promise.all(sqls.map((one) => migrate(one, ALL_SOURCES)));
  expect(runs.flat().sort()).toEqual(ALL_NAMES.toSorted());
  expect(await migrate(sql, ALL_SOURCES)).toEqual([]);
  const applied = await sql`select name from pawl.migration order by name`;
  expect(applied).toEqual(ALL_NAMES.toSorted().map((name) => ({ name })));
});

test("several processes that start at once on an empty database all start, and each migration runs once", async () => {
  const { url, sql } = await emptyDatabase();
  const starts = await Promise.all(Array.from({ length: 4 }, () => startNode(url)));
  expect(starts.flat().sort()).toEqual(ALL_NAMES.toSorted());
  const registered = await sql`select name from pawl.lifecycle order by name`;
  expect(registered.map(({ name }) => name as string)).toEqual(LIFECYCLES.map(({ name }) => name).sort());
});

test("many nodes can register their lifecycles at once", async () => {
  const { sql, sqls } = await emptyDatabase({ clients: 10 });
  await migrate(sql, ALL_SOURCES);
  for (let round = 0; round < 10; round++) {
    await sql`delete from pawl.declared_transition`;
    await sql`delete from pawl.lifecycle`;
    const rotated = (index: number) => [...PLUGINS.slice(index % 5), ...PLUGINS.slice(0, index % 5)];
    await Promise.all(sqls.map((one, index) => registerLifecycles(one, rotated(index))));
  }
  expect(await sql`select from pawl.lifecycle`).toHaveLength(LIFECYCLES.length);
});

test("a schema that is newer than the code is refused and not changed", async () => {
  const { sql } = await emptyDatabase();
  await migrate(sql, ALL_SOURCES);
  await sql`insert into pawl.migration (owner, number, name) values ('unknown', 1, 'unknown/0001-tables')`;
  expect(await migrate(sql, ALL_SOURCES), "migrations of unknown plugins are ignored").toEqual([]);
  await sql`insert into pawl.migration (owner, number, name) values ('planner', 9999, 'planner/9999-from-the-future')`;
  await expect(migrate(sql, ALL_SOURCES)).rejects.toMatchObject({
    code: "DATABASE_UNUSABLE",
    message:
      'The database is at migration planner/9999-from-the-future, which this version of the plugin "planner" does not have; run a newer one, restore a file that was renamed, or use another database.',
  });
});

test("a schema from before the baseline is refused and not changed", async () => {
  const { sql } = await emptyDatabase();
  await sql`create schema pawl`;
  await sql`create table pawl.migration (number integer primary key, name text not null)`;
  await expect(migrate(sql, ALL_SOURCES)).rejects.toMatchObject({
    code: "DATABASE_UNUSABLE",
    message:
      "The schema was created by a development version of Pawl and cannot be upgraded; use another database, or drop the schema.",
  });
  expect(
    await sql`select from pg_class where relnamespace = 'pawl'::regnamespace and relkind = 'r'`,
  ).toHaveLength(1);
});

test("a failed migration is rolled back, together with those before it", async () => {
  const { sql } = await emptyDatabase();
  const bad = await withOwner("bad", {
    "0001-good.sql": "create table pawl.bad_good (id integer);",
    "0002-bad.sql": "create table pawl.bad_half (id integer); select 1 / 0;",
  });
  await expect(migrate(sql, bad)).rejects.toThrow("division by zero");
  expect(await sql`select from pg_namespace where nspname = 'pawl'`).toHaveLength(0);

  await migrate(sql, ALL_SOURCES);
  await expect(migrate(sql, bad)).rejects.toThrow("division by zero");
  expect(await dumpSchema(sql)).toBe(await committedSchema());

  const good = await withOwner("good", { "0001-good.sql": "create table pawl.good_table (id integer);" });
  expect(await migrate(sql, good)).toEqual(["good/0001-good"]);
});

test("migrations with a gap or a duplicate in their numbers are refused before anything runs", async () => {
  const { sql } = await emptyDatabase();
  for (const [first, second] of [
    ["0001-tables.sql", "0003-more.sql"],
    ["0001-tables.sql", "0001-tables-too.sql"],
  ] as const) {
    const shop = await withOwner("shop", { [first]: "select 1", [second]: "select 1" });
    await expect(migrate(sql, shop)).rejects.toThrow(
      /^The migrations of shop must be numbered 0001-…, 0002-… without gaps/,
    );
  }
  expect(await sql`select from pg_namespace where nspname = 'pawl'`).toHaveLength(0);
});

test("a plugin's migrations may use the engine's tables and create objects with the plugin's prefix", async () => {
  const { sql } = await emptyDatabase();
  const invoices = await withOwner("my-invoices", {
    "0001-tables.sql": `
      create table pawl.my_invoices_payment (
        org_id text not null, task_id uuid not null, amount numeric not null,
        constraint my_invoices_payment_pkey primary key (org_id, task_id),
        constraint my_invoices_payment_task_exists foreign key (org_id, task_id) references pawl.task on delete cascade);
      create index my_invoices_task on pawl.task (org_id, id) where lifecycle = 'my-invoices';
      create view pawl.my_invoices_paid as select sum(amount) from pawl.my_invoices_payment;
      create function pawl.my_invoices_log() returns trigger language plpgsql as 'begin return null; end';
      create trigger my_invoices_log after insert on pawl.task
        for each row when (new.lifecycle = 'my-invoices') execute function pawl.my_invoices_log();
      alter table pawl.task add constraint my_invoices_private check (lifecycle <> 'my-invoices' or private);`,
    "0002-more.sql": "alter table pawl.my_invoices_payment add note text; drop view pawl.my_invoices_paid;",
  });
  expect(await migrate(sql, invoices)).toEqual([
    ...ALL_NAMES,
    "my-invoices/0001-tables",
    "my-invoices/0002-more",
  ]);
});

test.each([
  ["creates a table with another prefix", "create table pawl.payments (id integer)", "table payments"],
  ["creates an index with another prefix", "create index slow on pawl.task (title)", "index slow"],
  ["adds a column to the engine's tables", "alter table pawl.task add note text", "column task.note"],
  ["drops an index of the engine", "drop index pawl.task_pool", "index task_pool"],
  [
    "drops a trigger of the engine",
    "drop trigger task_never_truncated on pawl.task",
    "trigger task_never_truncated",
  ],
  [
    "disables a trigger of the engine",
    "alter table pawl.event disable trigger event_never_changed",
    "trigger event_never_changed",
  ],
  [
    "changes a function of the engine",
    "create or replace function pawl.refuse_task_truncation() returns trigger language plpgsql as 'begin return null; end'",
    "function refuse_task_truncation",
  ],
  [
    "drops a constraint of the engine",
    "alter table pawl.event drop constraint event_pkey",
    "index event_pkey",
  ],
  ["creates a table in another schema", "create table public.shop_payment (id integer)", "shop_payment"],
  ["creates a schema", "create schema shop_own", "schema shop_own"],
  ["drops a schema of others", "drop schema public cascade", "schema public"],
  ["creates a type with another prefix", "create type pawl.amount as (cents integer)", "type amount"],
  ["writes rows of the engine", "insert into pawl.org (id) values ('shop')", "rows of table org"],
  ["empties a table of the engine", "truncate pawl.request", "table request"],
  ["hides rows of the engine", "alter table pawl.task enable row level security", "table task"],
  ["adds a policy to the engine's tables", "create policy shop_own on pawl.task", "policy task.shop_own"],
  [
    "adds a rule to the engine's tables",
    "create rule shop_kept as on delete to pawl.task do instead nothing",
    "rule task.shop_kept",
  ],
  ["grants others rights on the engine's tables", "grant all on pawl.task to public", "table task"],
])(
  "a plugin whose migration %s is refused, and the migration is rolled back",
  async (_, statement, named) => {
    const { sql } = await emptyDatabase();
    await migrate(sql, ALL_SOURCES);
    const shop = await withOwner("shop", { "0001-tables.sql": statement });
    await expect(migrate(sql, shop)).rejects.toMatchObject({
      code: "INVALID_LIFECYCLE",
      message: expect.stringMatching(
        new RegExp(
          `^Plugin "shop": migration shop/0001-tables changes .*${named}; it may only change objects in the schema pawl whose names begin with "shop_".$`,
        ),
      ) as string,
    });
    expect(await dumpSchema(sql)).toBe(await committedSchema());
  },
);

test("a plugin whose prefix is used by another owner is refused", async () => {
  const { sql } = await emptyDatabase();
  const task = await withOwner("task", { "0001-tables.sql": "create table pawl.task_note (id integer)" });
  await expect(migrate(sql, task)).rejects.toThrow(
    /the prefix "task_" of its tables is taken by Pawl's (index|constraint) task_\w+;/,
  );
});

test("a plugin cannot change the tables of a plugin whose prefix begins with its own", async () => {
  const { sql } = await emptyDatabase();
  const cart = await withOwner("shop-cart", {
    "0001-tables.sql": "create table pawl.shop_cart_item (id int)",
  });
  const shop = await withOwner("shop", {
    "0001-tables.sql": "create table pawl.shop_order (id int)",
    "0002-more.sql": "drop table pawl.shop_cart_item",
  });
  const first = {
    owner: "shop",
    folder: (await withOwner("", { "0001-tables.sql": "select" })).sources.at(-1)!.folder,
  };
  await migrate(sql, { sources: [...ALL_SOURCES.sources, first, cart.sources.at(-1)!] });
  await expect(migrate(sql, shop)).rejects.toThrow(
    'Plugin "shop": migration shop/0002-more changes table shop_cart_item;',
  );
});

test("a plugin's migration that PostgreSQL refuses is named, and nothing of it stays", async () => {
  const { sql } = await emptyDatabase();
  await migrate(sql, ALL_SOURCES);
  const shop = await withOwner("shop", {
    "0001-tables.sql": "create table pawl.shop_order (id integer); create tabel pawl.shop_item (id integer)",
  });
  await expect(migrate(sql, shop)).rejects.toMatchObject({
    code: "INVALID_LIFECYCLE",
    message:
      'Plugin "shop": migration shop/0001-tables failed: syntax error at or near "tabel"; nothing of it was applied. Correct the file.',
  });
  expect(await dumpSchema(sql)).toBe(await committedSchema());
});

test("the folder of a plugin's migrations may be named without a slash; one that is missing is named", async () => {
  const { sql } = await emptyDatabase();
  const shop = await withOwner("shop", { "0001-tables.sql": "create table pawl.shop_order (id integer)" });
  const { folder } = shop.sources.at(-1)!;
  const named = (href: string) => ({
    sources: [...ALL_SOURCES.sources, { owner: "shop", folder: new URL(href) }],
  });
  expect(await migrate(sql, named(folder.href.slice(0, -1)))).toContain("shop/0001-tables");
  await expect(migrate(sql, named(`${folder.href}nothing/`))).rejects.toMatchObject({
    code: "INVALID_LIFECYCLE",
    message: expect.stringContaining('Plugin "shop": the folder of its migrations cannot be read') as string,
  });
});

test("on a database without triggers they are skipped, and can be added later", async () => {
  const { sql } = await emptyDatabase();
  const without = { ...ALL_SOURCES, triggers: false };
  const triggers = MIGRATIONS.filter(hasTriggers).map(({ name }) => name);
  expect(triggers).toEqual(["pawl/0002-triggers", "planner/0002-triggers", "planner/0004-edges-triggers"]);
  expect(await migrate(sql, without)).toEqual(ALL_NAMES.filter((name) => !triggers.includes(name)));
  expect(await migrate(sql, without)).toEqual([]);
  expect(await migrate(sql, ALL_SOURCES)).toEqual(triggers);
  expect(await migrate(sql, without)).toEqual([]);
});

test("schema.sql in the repository matches the migrations", async () => {
  const { sql } = await emptyDatabase();
  await migrate(sql, ALL_SOURCES);
  expect(await dumpSchema(sql), "else: npm run generate").toBe(await committedSchema());
});

function committedSchema(): Promise<string> {
  return readFile(new URL("../../src/engine/schema.sql", import.meta.url), "utf8");
}

/** Migrates and registers in a separate process; returns the migrations that it ran. */
async function startNode(url: string): Promise<string[]> {
  const child = fork(new URL("../support/starting-node.ts", import.meta.url), [url], {
    execArgv: ["--import", "tsx"],
  });
  const exited = once(child, "exit");
  const [ran] = (await Promise.race([once(child, "message"), exited])) as [string[]];
  await exited;
  expect(child.exitCode).toBe(0);
  return ran;
}
