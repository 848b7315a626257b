import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { startApp } from "../../src/main/app.ts";
import type { App } from "../../src/main/app.ts";
import { createClient } from "../../src/client/index.ts";
import type { Client } from "../../src/client/index.ts";
import { PLUGINS } from "../../src/lifecycles/index.ts";
import { resolveSettings } from "../../src/main/settings.ts";
import { connect } from "../../src/postgres/connect.ts";
import type { Sql } from "../../src/postgres/connect.ts";
import { testDatabases } from "../support/postgres.ts";

const ADMIN = "the-admins-own-token";

type NodeOptions = {
  demo?: boolean;
  /** The setting `demoLanguage`. */
  language?: string;
  locale?: string;
  /** Further environment variables. */
  env?: Record<string, string>;
};

/** A database, and nodes that share it. */
export type DemoNodes = {
  sql: Sql;
  url: string;
  node: (options?: NodeOptions) => Promise<{ app: App; admin: Client }>;
  close: () => Promise<void>;
};

/** Creates a database and starts nodes that play the demo 40 times as fast as people act. */
export async function openDemoNodes({ pace = 40 } = {}): Promise<DemoNodes> {
  const databases = testDatabases(inject("postgresUrl"));
  const database = await databases.createDatabase();
  const folder = await mkdtemp(join(tmpdir(), "pawl-demo-"));
  const sql = connect(database.url, { maxConnections: 2 });
  const apps: App[] = [];
  return {
    sql,
    url: database.url,
    node: async ({ demo = false, language = "", locale, env: more = {} } = {}) => {
      const env = {
        DATABASE_URL: database.url,
        PAWL_PORT: "0",
        PAWL_DATA: join(folder, `node-${apps.length}`),
        PAWL_LOG_LEVEL: "warn",
        PAWL_SWEEP_SECONDS: "1",
        PAWL_DEMO_LANGUAGE: language,
        PAWL_DEMO_PACE: String(pace),
        ...more,
      };
      const settings = resolveSettings({ flags: {}, env, file: {} }, PLUGINS);
      const app = await startApp({
        settings,
        version: "0.0.0",
        plugins: [],
        adminToken: ADMIN,
        demo,
        locale,
      });
      apps.push(app);
      return { app, admin: createClient({ url: app.address, token: ADMIN }) };
    },
    close: async () => {
      await Promise.all(apps.map((app) => app.stop()));
      await sql.end();
      await database.drop();
      await databases.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The node that plays the demo. */
export async function playedBy(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ played_by: string | null }[]>`select played_by from pawl.demo`;
  return row?.played_by ?? null;
}

/** Lifecycles of which more than three tasks have changed their status. */
export async function lifecyclesThatMoved(sql: Sql): Promise<string[]> {
  const rows = await sql.unsafe<{ lifecycle: string }[]>(`
    select e.lifecycle from pawl.event e where e.org_id = 'demo' and e.from_status <> e.to_status
    group by e.lifecycle having count(distinct e.task_id) > 3`);
  return rows.map(({ lifecycle }) => lifecycle).sort();
}

/** Counts of replies that only invalid or forbidden requests get. */
export async function failedRequests(admin: Client): Promise<string[]> {
  const page = await admin.getMetrics();
  return page
    .split("\n")
    .filter((line) => /_count\{.*status="(403|404|415|422|5\d\d)"/.test(line) && !line.endsWith(" 0"));
}

/** Names of all tables whose rows belong to orgs. */
export async function tablesOfOrgs(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.table_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'pawl' and c.column_name = 'org_id' and t.table_type = 'BASE TABLE' order by 1`;
  return rows.map(({ name }) => name);
}
