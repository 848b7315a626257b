import { randomBytes } from "node:crypto";
import { afterAll, expect, inject, onTestFinished, test } from "vitest";
import { connect } from "../../src/postgres/connect.ts";
import type { Sql } from "../../src/postgres/connect.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { openPawl } from "../../src/main/open-pawl.ts";
import { pawl } from "../cli/pawl-process.ts";
import { scratchData, startPawl } from "../http/running-pawl.ts";
import { testDatabases } from "../support/postgres.ts";

const databases = testDatabases(inject("postgresUrl"));
afterAll(() => databases.close());

test("a role that owns the schema migrates it without CREATE on the database", async () => {
  const { admin, role, url } = await databaseWithRole();
  await admin.unsafe(`create schema pawl authorization ${role}`);
  const opened = await openPawl({ url, plugins: PLUGINS, sweepSeconds: 0, reconcileSeconds: 0 });
  await opened.close();
  expect(await admin`select tableowner from pg_tables where tablename = 'task'`).toEqual([
    { tableowner: role },
  ]);
});

test("a role that only reads and writes the tables of a migrated schema starts and serves", async () => {
  const { admin, role, url, migrate } = await databaseWithRole();
  await migrate();
  await admin.unsafe(`grant usage on schema pawl to ${role}`);
  await admin.unsafe(`grant select, insert, update, delete on all tables in schema pawl to ${role}`);
  await admin.unsafe(`revoke insert, update, delete on pawl.migration from ${role}`);
  const env = { DATABASE_URL: url, PAWL_DATA: await scratchData(), PAWL_ADMIN_TOKEN: "an-admin-of-the-test" };
  const server = await startPawl(["--port", "0"], { env });
  await server.ask("PATCH /api/members/admin", "an-admin-of-the-test", { roles: ["admin", "agent"] });
  const body = { lifecycle: "board", title: "Paint the shed", description: "x" };
  const { body: task } = await server.ask("POST /api/tasks", "an-admin-of-the-test", body);
  const transition = `POST /api/tasks/${String(task.id)}/transitions`;
  expect(
    (await server.ask(transition, "an-admin-of-the-test", { action: "comment", comment: "hm" })).status,
  ).toBe(200);
  const doctor = await pawl(["doctor"], {
    env: { ...env, PAWL_URL: server.address, PAWL_TOKEN: "an-admin-of-the-test" },
  });
  expect(doctor.stdout).toMatch(/^✓ migrations +all \d+ are applied$/m);
  expect(doctor.code).toBe(0);
  expect(server.log()).toBe("");
  expect(await server.stop()).toBe(0);
});

type Case = [
  name: string,
  grants: (role: string) => string[],
  isMigrated: boolean,
  expectedMessage: (role: string, database: string) => string,
];

const REFUSED: Case[] = [
  [
    "to create the schema",
    () => [],
    false,
    (role, database) =>
      `Role ${role} lacks CREATE on the database in database ${database}, needed to create schema pawl; let an administrator run \`CREATE SCHEMA pawl AUTHORIZATION ${role}\`.`,
  ],
  [
    "to use the schema",
    () => [],
    true,
    (role, database) =>
      `Role ${role} lacks USAGE on schema pawl in database ${database}, needed to use it; let an administrator run \`GRANT USAGE ON SCHEMA pawl TO ${role}\`.`,
  ],
  [
    "to create tables in the schema",
    (role) => ["create schema pawl", `grant usage on schema pawl to ${role}`],
    false,
    (role, database) =>
      `Role ${role} lacks CREATE on schema pawl in database ${database}, needed to migrate it; let an administrator run \`GRANT CREATE ON SCHEMA pawl TO ${role}\`.`,
  ],
  [
    "to change tables of another role",
    (role) => [
      `grant usage, create on schema pawl to ${role}`,
      `grant select, insert, update, delete on all tables in schema pawl to ${role}`,
      "delete from pawl.migration where owner = 'planner' and number = 2",
    ],
    true,
    (role, database) =>
      `Role ${role} lacks ownership of the tables of schema pawl in database ${database}, needed to migrate them; let an administrator run \`GRANT pawl TO ${role}\`.`,
  ],
  [
    "to write",
    (role) => [
      `grant usage on schema pawl to ${role}`,
      `grant select on all tables in schema pawl to ${role}`,
    ],
    true,
    (role, database) =>
      `Role ${role} lacks INSERT, UPDATE, DELETE on tables of schema pawl in database ${database}, needed to serve; let an administrator run \`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pawl TO ${role}\`.`,
  ],
];

test.each(REFUSED)(
  "a missing privilege %s is reported with its GRANT, by the start and by doctor",
  async (...testCase) => {
    const [, grants, isMigrated, expectedMessage] = testCase;
    const { admin, role, url, name, migrate } = await databaseWithRole();
    if (isMigrated) await migrate();
    for (const grant of grants(role)) await admin.unsafe(grant);
    const env = { DATABASE_URL: url, PAWL_DATA: await scratchData(), PAWL_LOG_LEVEL: "silent" };
    const started = await pawl(["start", "--port", "0"], { env });
    expect(started).toEqual({
      code: 1,
      stdout: "",
      stderr: `pawl: ${expectedMessage(role, name)}\n  Fix the database as the message describes.\n`,
    });
    const doctor = await pawl(["doctor"], { env });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`✗ database  ${expectedMessage(role, name)}`);
  },
);

test("a privilege that is revoked later is not reported as a bug in Pawl", async () => {
  const { admin, role, url, migrate } = await databaseWithRole();
  await migrate();
  await admin.unsafe(`grant usage on schema pawl to ${role}`);
  await admin.unsafe(`grant select, insert, update, delete on all tables in schema pawl to ${role}`);
  await admin.unsafe(`revoke insert on pawl.member from ${role}`);
  const { code, stderr } = await pawl(["orgs", "create", "acme"], { env: { DATABASE_URL: url } });
  expect(code).toBe(1);
  expect(stderr).toBe(
    "pawl: PostgreSQL refused this: permission denied for table member.\n  `pawl doctor` names the missing privilege and how to grant it.\n",
  );
});

/** Creates an empty database, and a role that may only connect to it. */
async function databaseWithRole(): Promise<{
  admin: Sql;
  role: string;
  name: string;
  url: string;
  migrate: () => Promise<void>;
}> {
  const database = await databases.createDatabase();
  const { name, url } = database;
  const admin = connect(url, { maxConnections: 1 });
  const role = `role_${randomBytes(6).toString("hex")}`;
  await admin.unsafe(`create role ${role} login`);
  onTestFinished(async () => {
    await admin.unsafe(`drop owned by ${role} cascade`);
    await admin.unsafe(`drop role ${role}`);
    await admin.end({ timeout: 5 });
    await database.drop();
  });
  return {
    admin,
    role,
    name,
    url: Object.assign(new URL(url), { username: role }).href,
    migrate: async () => {
      const opened = await openPawl({ url, plugins: PLUGINS, sweepSeconds: 0, reconcileSeconds: 0 });
      await opened.close();
    },
  };
}
