import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { dumpSchema } from "../../scripts/dump-schema.ts";
import { Engine } from "../../src/engine/engine.ts";
import { findDrift } from "../../src/engine/upkeep/find-drift.ts";
import { migrate } from "../../src/engine/upkeep/migrate.ts";
import { ENGINE_MIGRATIONS, readMigrations } from "../../src/engine/upkeep/migrations.ts";
import { LIFECYCLES, PLUGINS } from "../../src/lifecycles/index.ts";
import { openPawl } from "../../src/main/open-pawl.ts";
import { migrationSources } from "../../src/main/plugins.ts";
import { connect } from "../../src/postgres/connect.ts";
import { failedRequests, lifecyclesThatMoved, openDemoNodes } from "../demo/demo-nodes.ts";
import { pawl } from "../cli/pawl-process.ts";
import { testDatabases } from "../support/postgres.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const SOON = { timeout: WAIT_LIMIT_MS, interval: 100 };
const SOURCES = migrationSources(PLUGINS);
const databases = testDatabases(inject("postgresUrl"));
afterAll(() => databases.close());

async function emptyDatabase(schema = "pawl") {
  const database = await databases.createDatabase();
  const sql = connect(database.url, { maxConnections: 2, schema });
  onTestFinished(async () => {
    await sql.end({ timeout: 5 });
    await database.drop();
  });
  return { ...database, sql };
}

/** Creates a role that may log in and nothing else. Call it before creating databases: a role with privileges cannot be dropped. */
async function createRole(): Promise<{ role: string; urlFor: (url: string) => string }> {
  const server = connect(inject("postgresUrl"), { maxConnections: 1 });
  const role = `role_${randomBytes(6).toString("hex")}`;
  await server.unsafe(`create role ${role} login`);
  onTestFinished(async () => {
    await server.unsafe(`drop role ${role}`);
    await server.end({ timeout: 5 });
  });
  return { role, urlFor: (url) => Object.assign(new URL(url), { username: role }).href };
}

async function psql(url: string, script: string): Promise<void> {
  const running = promisify(execFile)("psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", url]);
  running.child.stdin?.end(script);
  await running;
}

test.each(["pawl", "Front desk"])(
  "the script of --dry-run, run by psql as a role that owns only the schema %s, gives the same schema as migrating",
  async (schema) => {
    const { role, urlFor } = await createRole();
    const [scripted, migrated] = [await emptyDatabase(schema), await emptyDatabase(schema)];
    await scripted.sql.unsafe(`create schema pawl authorization ${role}`);
    const env = { DATABASE_URL: urlFor(scripted.url), PAWL_SCHEMA: schema };
    const dryRun = await pawl(["migrate", "--dry-run"], { env });
    expect(dryRun).toMatchObject({ code: 0, stderr: "" });
    expect(
      await scripted.sql.unsafe("select from pg_class where relnamespace = 'pawl'::regnamespace"),
    ).toEqual([]);
    await psql(env.DATABASE_URL, dryRun.stdout);

    await migrate(migrated.sql, { sources: SOURCES });
    expect(await dumpSchema(scripted.sql)).toBe(await dumpSchema(migrated.sql));
    const rows = "select owner, number, name, checksum from pawl.migration order by 1, 2";
    expect([...(await scripted.sql.unsafe(rows))]).toEqual([...(await migrated.sql.unsafe(rows))]);
    expect((await pawl(["migrate", "--dry-run"], { env })).stdout).toBe("-- The schema is up to date.\n");
    expect(await pawl(["migrate", "--check"], { env })).toEqual({
      code: 0,
      stdout: `✓ Schema ${schema} matches the migrations.\n`,
      stderr: "",
    });
    expect((await pawl(["migrate"], { env })).stdout).toBe(`Schema ${schema} is up to date.\n`);
  },
);

test("--check before the first migration lists what is missing, and migrating removes it", async () => {
  const { url } = await emptyDatabase();
  const env = { DATABASE_URL: url };
  const before = await pawl(["migrate", "--check"], { env });
  expect(before.code).toBe(1);
  expect(before.stdout).toContain("  migration pawl/0001-tables has not run\n");
  const ran = await pawl(["migrate", "--json"], { env });
  expect(JSON.parse(ran.stdout)).toEqual({
    schema: "pawl",
    ran: (await readMigrations(SOURCES)).map(({ name }) => name),
  });
  expect(await pawl(["migrate", "--check", "--json"], { env })).toMatchObject({ code: 0 });
});

test("--check names the statement that grants a role the temporary tables that it needs", async () => {
  const { role, urlFor } = await createRole();
  const { sql, url } = await emptyDatabase();
  const [database] = await sql.unsafe("select current_database() as name");
  const name = String(database?.name);
  await sql.unsafe(`create schema pawl authorization ${role}`);
  await sql.unsafe(`revoke temporary on database ${name} from public`);
  const env = { DATABASE_URL: urlFor(url) };
  expect(await pawl(["migrate"], { env })).toMatchObject({ code: 0 });
  const grant = `GRANT TEMPORARY ON DATABASE ${name} TO ${role}`;
  const refused = await pawl(["migrate", "--check"], { env });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    `Role ${role} lacks TEMPORARY on database ${name}, needed to compare the schema; let an administrator run \`${grant}\`.`,
  );
  await sql.unsafe(grant);
  expect(await pawl(["migrate", "--check"], { env })).toMatchObject({ code: 0 });
});

const DRIFTS: [change: string, object: string, difference: string][] = [
  ["drop index pawl.task_timer", "index task_timer", "is missing"],
  ["alter table pawl.task add column colour text", "column task.colour", "is not part of any migration"],
  [
    "alter table pawl.task alter column title drop not null",
    "column task.title",
    "differs from the migrations",
  ],
  [
    "alter table pawl.event disable trigger event_never_changed",
    "trigger event_never_changed",
    "differs from the migrations",
  ],
  ["alter table pawl.hold drop constraint hold_pkey", "constraint hold_pkey", "is missing"],
  [
    "create or replace function pawl.refuse_event_change() returns trigger language plpgsql as $$ begin return null; end $$",
    "function refuse_event_change",
    "differs from the migrations",
  ],
  ["alter table pawl.org enable row level security", "table org", "differs from the migrations"],
  ["create policy peek on pawl.org using (true)", "policy org.peek", "is not part of any migration"],
  [
    "delete from pawl.migration where name = 'pawl/0003-demo-language'",
    "migration pawl/0003-demo-language",
    "has not run",
  ],
  [
    "insert into pawl.migration (owner, number, name) values ('pawl', 99, 'pawl/0099-later')",
    "migration pawl/0099-later",
    "has run, but this version does not have it",
  ],
  [
    "update pawl.migration set checksum = 'x' where name = 'pawl/0002-triggers'",
    "migration pawl/0002-triggers",
    "was edited after it ran",
  ],
];

test("each change made outside of the migrations is drift, by name", async () => {
  const template = await databases.createTemplate("pawl_migrated_for_drift", async (sql) => {
    await migrate(sql, { sources: SOURCES });
  });
  for (const [change, object, difference] of DRIFTS) {
    const database = await databases.createDatabase({ template });
    const sql = connect(database.url, { maxConnections: 1 });
    expect(await findDrift(sql, SOURCES)).toEqual([]);
    await sql.unsafe(change);
    expect(await findDrift(sql, SOURCES), change).toContainEqual({ object, difference });
    await sql.end({ timeout: 5 });
    await database.drop();
  }
});

test("a migration of a plugin that is edited after it ran is drift, and another line end is not", async () => {
  const { sql } = await emptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), "pawl-edited-"));
  const file = join(folder, "0001-tables.sql");
  const sources = [ENGINE_MIGRATIONS, { owner: "garden", folder: pathToFileURL(`${folder}/`) }];
  const text = "create table pawl.garden_bed (\n  org_id text, name text\n);\n";
  await writeFile(file, text);
  await migrate(sql, { sources });
  await writeFile(file, text.replaceAll("\n", "\r\n"));
  expect(await findDrift(sql, sources)).toEqual([]);
  await writeFile(file, text.replace("name text", "name text not null"));
  expect(await findDrift(sql, sources)).toEqual([
    { object: "migration garden/0001-tables", difference: "was edited after it ran" },
    { object: "column garden_bed.name", difference: "differs from the migrations" },
  ]);
  // Without the plugin, its tables stay; this is not drift.
  expect(await findDrift(sql, [ENGINE_MIGRATIONS])).toEqual([]);
});

test("a schema from before checksums gets them with its next migration", async () => {
  const { sql } = await emptyDatabase();
  await migrate(sql, { sources: SOURCES });
  await sql`alter table pawl.migration drop column checksum`;
  expect(await migrate(sql, { sources: SOURCES })).toEqual([]);
  await sql`alter table pawl.demo drop column language`;
  await sql`delete from pawl.migration where name = 'pawl/0003-demo-language'`;
  expect(await migrate(sql, { sources: SOURCES })).toEqual(["pawl/0003-demo-language"]);
  expect(await sql`select from pawl.migration where checksum is null`).toHaveLength(0);
  expect(await findDrift(sql, SOURCES)).toEqual([]);
});

test("a role with the grants of --grant runs all lifecycles, and cannot change tables", async () => {
  const { role, urlFor } = await createRole();
  const nodes = await openDemoNodes();
  onTestFinished(() => nodes.close());
  const schema = "tasks";
  const owner = connect(nodes.url, { maxConnections: 1, schema });
  onTestFinished(() => owner.end({ timeout: 5 }));
  const env = { DATABASE_URL: nodes.url, PAWL_SCHEMA: schema };
  expect((await pawl(["migrate"], { env })).code).toBe(0);
  const grants = await pawl(["migrate", "--grant", role], { env });
  expect(grants).toMatchObject({ code: 0, stderr: "" });
  await psql(nodes.url, grants.stdout);

  const asRole = { ...env, DATABASE_URL: urlFor(nodes.url), PAWL_MIGRATE: "false" };
  const { admin } = await nodes.node({ demo: true, env: asRole });
  const runtime = connect(asRole.DATABASE_URL, { maxConnections: 1, schema });
  onTestFinished(() => runtime.end({ timeout: 5 }));
  await vi.waitFor(async () => {
    expect(await lifecyclesThatMoved(runtime)).toEqual(LIFECYCLES.map(({ name }) => name).sort());
  }, SOON);
  expect(await failedRequests(admin)).toEqual([]);
  expect((await new Engine(runtime, PLUGINS).verify("demo")).differences).toEqual([]);
  await admin.removeDemo();
  await vi.waitFor(async () => {
    expect(await admin.getDemo()).toMatchObject({ state: "absent" });
  }, SOON);
  for (const ddl of [
    "create table pawl.mine (id int)",
    "alter table pawl.task add column mine int",
    "drop table pawl.hold",
    "truncate pawl.hold",
    "alter table pawl.event disable trigger all",
    "insert into pawl.migration (owner, number, name) values ('pawl', 99, 'x')",
    "create schema mine",
  ])
    await expect(runtime.unsafe(ddl), ddl).rejects.toMatchObject({ code: "42501" });
  // Tables of later migrations of the same owner are covered.
  await owner.unsafe("create table pawl.later (id int)");
  expect(await runtime.unsafe("select from pawl.later")).toEqual([]);
});

test("without migrating, openPawl and the server start on a migrated schema only, and name the remedy", async () => {
  const { url, sql } = await emptyDatabase("tasks");
  const options = {
    url,
    schema: "tasks",
    migrate: false,
    plugins: PLUGINS,
    sweepSeconds: 0,
    reconcileSeconds: 0,
  };
  const missing =
    /^Schema tasks lacks the migration pawl\/0001-tables and \d+ more, and this process does not migrate \(PAWL_MIGRATE=false, migrate: false\); run `pawl migrate` as the owner of the schema\.$/;
  await expect(openPawl(options)).rejects.toMatchObject({
    code: "DATABASE_UNUSABLE",
    message: expect.stringMatching(missing) as string,
  });
  expect(await sql`select from pg_namespace where nspname = 'tasks'`).toHaveLength(0);
  const env = { DATABASE_URL: url, PAWL_SCHEMA: "tasks", PAWL_MIGRATE: "false", PAWL_LOG_LEVEL: "silent" };
  const started = await pawl(["start", "--port", "0"], { env });
  expect(started).toMatchObject({ code: 1, stdout: "" });
  expect(started.stderr).toContain("run `pawl migrate` as the owner of the schema");
  await migrate(sql, { sources: SOURCES });
  await (await openPawl(options)).close();
  await sql.unsafe("delete from pawl.migration where owner = 'planner' and number = 2");
  await expect(openPawl(options)).rejects.toThrow(
    /^Schema tasks lacks the migration planner\/0002-\S+, and this process/,
  );
});

test.each([
  [["migrate", "--dry-run", "--check"], 2, "cannot be used with"],
  [["migrate", "--grant", " "], 2, '--grant needs the name of a role, not " "'],
  [["migrate", "--check", "--data", "/tmp/no-such-pawl"], 1, "There is no database in /tmp/no-such-pawl yet"],
])("pawl %j is refused in a sentence", async (args, code, message) => {
  const refused = await pawl(args);
  expect(refused.code).toBe(code);
  expect(refused.stderr).toContain(message);
});

test("an invalid PAWL_SCHEMA is refused in a sentence", async () => {
  const refused = await pawl(["migrate", "--check"], { env: { PAWL_SCHEMA: 'my"schema' } });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    'PAWL_SCHEMA is "my\\"schema", not a name of at most 48 bytes that does not begin with pg_',
  );
});
