import type postgres from "postgres";
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { SYSTEM } from "../../src/core/index.ts";
import { Engine } from "../../src/engine/engine.ts";
import { lockText } from "../../src/engine/sql/advisory-locks.ts";
import { notifyCommits } from "../../src/engine/sql/notify-commits.ts";
import { board } from "../../src/lifecycles/board/index.ts";
import { LIFECYCLES, PLUGINS } from "../../src/lifecycles/index.ts";
import { openPawl } from "../../src/main/open-pawl.ts";
import { startTestServer } from "../../src/main/testing.ts";
import { connect } from "../../src/postgres/connect.ts";
import { connectPlainly } from "../engine/write-path/cluster.ts";
import { failedRequests, lifecyclesThatMoved, openDemoNodes } from "../demo/demo-nodes.ts";
import type { DemoNodes } from "../demo/demo-nodes.ts";
import { shop } from "../plugin/shop.ts";
import { testDatabases } from "../support/postgres.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const SOON = { timeout: WAIT_LIMIT_MS, interval: 100 };
const [ONE, OTHER] = ["shop", "Back-office. 2"];
const ALL = LIFECYCLES.map(({ name }) => name).sort();

let nodes: DemoNodes;
beforeAll(async () => {
  nodes = await openDemoNodes();
});
afterAll(() => nodes.close());

const clientOf = (schema: string) => {
  const sql = connect(nodes.url, { maxConnections: 2, schema, ownSessions: true });
  onTestFinished(() => sql.end({ timeout: 5 }));
  return sql;
};

test("two Pawls in two schemas of one database run all lifecycles side by side, and no schema pawl exists", async () => {
  const started = await Promise.all(
    [ONE, OTHER].map((schema) => nodes.node({ demo: true, env: { PAWL_SCHEMA: schema } })),
  );
  for (const schema of [ONE, OTHER]) {
    const sql = clientOf(schema);
    await vi.waitFor(async () => {
      expect(await lifecyclesThatMoved(sql)).toEqual(ALL);
    }, SOON);
    expect((await new Engine(sql, PLUGINS).verify("demo")).differences).toEqual([]);
  }
  const [one, other] = started.map(({ admin }) => admin);
  for (const admin of [one!, other!]) expect(await failedRequests(admin)).toEqual([]);
  const task = await one!.createTask({ lifecycle: "board", title: "In the shop", description: "x" });
  await expect(other!.getTask({ id: task.id })).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  await one!.removeDemo();
  await vi.waitFor(async () => {
    expect(await one!.getDemo()).toMatchObject({ state: "absent" });
  }, SOON);
  expect(await other!.getDemo()).toMatchObject({ state: "running" });
  await other!.stopDemo();
  const schemas = await nodes.sql`
    select nspname as name from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
    order by nspname collate "C"`;
  expect(schemas.map(({ name }) => name as string)).toEqual([OTHER, ONE]);
  expect(
    await nodes.sql`select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  ).toHaveLength(0);
});

test("advisory locks of two schemas do not block each other, those of one schema do", async () => {
  const [one, two, other] = [clientOf(ONE), clientOf(ONE), clientOf(OTHER)];
  await one.begin(async (tx) => {
    await lockText(tx, "main admin");
    await other.begin(async (tx2) => {
      await tx2`set local lock_timeout = '100ms'`;
      await lockText(tx2, "main admin");
    });
    const blocked = two.begin(async (tx2) => {
      await tx2`set local lock_timeout = '100ms'`;
      await lockText(tx2, "main admin");
    });
    await expect(blocked).rejects.toMatchObject({ code: "55P03" });
  });
});

test("notifications reach the nodes of their own schema only", async () => {
  const received: string[] = [];
  for (const schema of [ONE, OTHER])
    await clientOf(schema).listen("pawl_commits", (payload) => void received.push(`${schema}: ${payload}`));
  await notifyCommits(clientOf(ONE), ["first"]);
  await notifyCommits(clientOf(OTHER), ["second"]);
  // The nodes of the first test may notify each other as well.
  const ownOnes = () => received.filter((line) => /: (first|second)$/.test(line)).sort();
  await vi.waitFor(() => {
    expect(ownOnes()).toEqual([`${OTHER}: second`, `${ONE}: first`]);
  }, SOON);
});

test("a command in the caller's transaction writes to the chosen schema", async () => {
  const pawl = await openPawl({
    url: nodes.url,
    schema: ONE,
    plugins: [board],
    sweepSeconds: 0,
    reconcileSeconds: 0,
  });
  onTestFinished(() => pawl.close());
  const sql: postgres.Sql = connectPlainly(nodes.url, 1);
  onTestFinished(() => sql.end());
  await pawl.createMember({ id: "ann", roles: ["agent"] });
  const ann = await pawl.as("ann");
  const id = await sql.begin(async (tx) => {
    const created = await pawl.create(
      ann,
      [{ lifecycle: "board", title: "Pack the order", description: "x" }],
      { tx },
    );
    if (created.kind === "refused") throw new Error(created.detail);
    return created.tasks[0]!.id;
  });
  expect(await pawl.find(ann, id)).toMatchObject({ title: "Pack the order" });
  expect(await sql`select id from shop.task where id = ${id}`).toHaveLength(1);
});

test("a plugin's tables and statements are in the chosen schema, and its migrations are confined to it", async () => {
  const databases = testDatabases(inject("postgresUrl"));
  const database = await databases.createDatabase();
  const server = await startTestServer({ url: database.url, schema: "app tasks", plugins: [shop] });
  onTestFinished(async () => {
    await server.stop();
    await database.drop();
    await databases.close();
  });
  const sql = connectPlainly(database.url, 1);
  onTestFinished(() => sql.end());
  const tables =
    await sql`select tablename as name from pg_tables where schemaname = 'app tasks' and tablename like 'shop%'`;
  expect(tables.length).toBeGreaterThan(0);
  expect(await sql`select from pg_namespace where nspname = 'pawl'`).toHaveLength(0);
  expect((await server.pawl.list({ org_id: "main", actor: SYSTEM }, {})).tasks).toEqual([]);
});

test.each(["", "pg_mine", 'a"b', "x".repeat(49)])("openPawl refuses the schema %j", async (schema) => {
  await expect(openPawl({ url: nodes.url, schema })).rejects.toMatchObject({
    code: "INVALID_CONFIG",
    message: expect.stringContaining("schema must be a name of at most 48 bytes") as string,
  });
});
