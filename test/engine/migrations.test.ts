import { fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, inject, onTestFinished, test } from "vitest";
import { dumpSchema } from "../../scripts/dump-schema.ts";
import { connect } from "../../src/postgres/connect.ts";
import { migrate } from "../../src/engine/upkeep/migrate.ts";
import { registerLifecycles } from "../../src/engine/upkeep/register-lifecycles.ts";
import { isDefence, namesOfMigrations } from "../../src/engine/upkeep/migrations.ts";
import { LIFECYCLES } from "../../src/lifecycles/index.ts";
import { migrationFolders } from "../../src/main/plugins.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { testDatabases } from "../support/postgres.ts";

const databases = testDatabases(inject("postgresUrl"));
afterAll(() => databases.close());

const EVERYTHING = { folders: migrationFolders(PLUGINS) };
const ALL = await namesOfMigrations(migrationFolders(PLUGINS));

test("the migrations of all rooms are one sequence: each number once", () => {
  const numbers = ALL.map((name) => Number.parseInt(name, 10));
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  expect(ALL.slice(0, 3)).toEqual(["0001-tables", "0002-defences", "0003-tokens"]);
});

const [, ...LIFECYCLES_OWN] = migrationFolders(PLUGINS);

/** An empty database with clients of its own. */
async function emptyDatabase({ clients = 1 } = {}) {
  const database = await databases.createDatabase();
  const sqls = Array.from({ length: clients }, () => connect(database.url, { maxConnections: 1 }));
  onTestFinished(async () => {
    await Promise.all(sqls.map((sql) => sql.end({ timeout: 5 })));
    await database.drop();
  });
  return { url: database.url, sql: sqls[0]!, sqls };
}

/** The engine's migrations with others among them. */
async function folderWith(more: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "pawl-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(new URL("../../src/engine/migrations/", import.meta.url), folder, { recursive: true });
  for (const [name, text] of Object.entries(more)) await writeFile(join(folder, name), text);
  return pathToFileURL(`${folder}/`);
}

test("many connections that migrate at once run each migration once", async () => {
  const { sql, sqls } = await emptyDatabase({ clients: 20 });
  const runs = await Promise.all(sqls.map((one) => migrate(one, EVERYTHING)));
  expect(runs.flat().sort()).toEqual(ALL);
  expect(await migrate(sql, EVERYTHING)).toEqual([]);
  const applied = await sql`select name from pawl.migration order by number`;
  expect(applied).toEqual(ALL.map((name) => ({ name })));
});

test("several processes that start at once on an empty database all come up, migrated once", async () => {
  const { url, sql } = await emptyDatabase();
  const starts = await Promise.all(Array.from({ length: 4 }, () => startNode(url)));
  expect(starts.flat().sort()).toEqual(ALL);
  const registered = await sql`select name from pawl.lifecycle order by name`;
  expect(registered.map(({ name }) => name as string)).toEqual(LIFECYCLES.map(({ name }) => name).sort());
});

test("many nodes that register their lifecycles at once do not get in each other's way", async () => {
  const { sql, sqls } = await emptyDatabase({ clients: 10 });
  await migrate(sql, EVERYTHING);
  for (let round = 0; round < 10; round++) {
    await sql`delete from pawl.declared_transition`;
    await sql`delete from pawl.lifecycle`;
    const turned = (index: number) => [...LIFECYCLES.slice(index % 5), ...LIFECYCLES.slice(0, index % 5)];
    await Promise.all(sqls.map((one, index) => registerLifecycles(one, turned(index))));
  }
  expect(await sql`select from pawl.lifecycle`).toHaveLength(LIFECYCLES.length);
});

test("a schema that is newer than the code is refused with a sentence, and left alone", async () => {
  const { sql } = await emptyDatabase();
  await migrate(sql, EVERYTHING);
  await sql`insert into pawl.migration (number, name) values (9999, '9999-from-the-future')`;
  await expect(migrate(sql, EVERYTHING)).rejects.toMatchObject({
    code: "DATABASE_UNUSABLE",
    message:
      "The database is at migration 9999-from-the-future, which this version of Pawl does not know; run a newer Pawl, or name another database.",
  });
});

test("a migration that fails leaves nothing half done, neither of itself nor of those before it", async () => {
  const { sql } = await emptyDatabase();
  const bad = await folderWith({
    "9001-good.sql": "create table pawl.good (id integer);",
    "9002-bad.sql": "create table pawl.half (id integer); select 1 / 0;",
  });
  await expect(migrate(sql, { folders: [bad, ...LIFECYCLES_OWN] })).rejects.toThrow("division by zero");
  expect(await sql`select from pg_namespace where nspname = 'pawl'`).toHaveLength(0);

  await migrate(sql, EVERYTHING);
  await expect(migrate(sql, { folders: [bad, ...LIFECYCLES_OWN] })).rejects.toThrow("division by zero");
  expect(await dumpSchema(sql)).toBe(await keptSchema());

  const good = await folderWith({ "9001-good.sql": "create table pawl.good (id integer);" });
  expect(await migrate(sql, { folders: [good, ...LIFECYCLES_OWN] })).toEqual(["9001-good"]);
});

test("where the database takes no triggers the defences are left out, and can follow later", async () => {
  const { sql } = await emptyDatabase();
  const undefended = { ...EVERYTHING, defences: false };
  const defences = ALL.filter(isDefence);
  expect(defences.slice(0, 2)).toEqual(["0002-defences", "0011-removal-defences"]);
  expect(await migrate(sql, undefended)).toEqual(ALL.filter((name) => !isDefence(name)));
  expect(await migrate(sql, undefended)).toEqual([]);
  expect(await migrate(sql, EVERYTHING)).toEqual(defences);
  expect(await migrate(sql, undefended)).toEqual([]);
});

test("the schema kept in the repository is the one that the migrations make", async () => {
  const { sql } = await emptyDatabase();
  await migrate(sql, EVERYTHING);
  expect(await dumpSchema(sql), "else: npm run generate").toBe(await keptSchema());
});

function keptSchema(): Promise<string> {
  return readFile(new URL("../../src/engine/schema.sql", import.meta.url), "utf8");
}

/** A process of its own that migrates and registers; gives the migrations it ran. */
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
