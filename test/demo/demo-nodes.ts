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

const ADMIN = "the-admins-own";

/** A database, and nodes that share it. */
export type DemoNodes = {
  sql: Sql;
  node: (options?: { demo?: boolean }) => Promise<{ app: App; admin: Client }>;
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
    node: async ({ demo = false } = {}) => {
      const env = {
        DATABASE_URL: database.url,
        PAWL_PORT: "0",
        PAWL_DATA: join(folder, `node-${apps.length}`),
        PAWL_LOG_LEVEL: "warn",
        PAWL_SWEEP_SECONDS: "1",
        PAWL_DEMO_PACE: String(pace),
      };
      const settings = resolveSettings({ flags: {}, env, file: {} }, PLUGINS);
      const app = await startApp({ settings, version: "0.0.0", plugins: [], adminToken: ADMIN, demo });
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
