import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Sql } from "../../src/postgres/connect.ts";
import { openDatabase, type DatabaseConfig } from "../../src/postgres/open-database.ts";
import { stopAbandonedServer } from "./abandoned-server.ts";

/** One PostgreSQL server for a whole test run. */
export type TestPostgres = {
  /** The URL of the maintenance database, which another process can pass to `testDatabases`. */
  url: string;
  stop(): Promise<void>;
};

export type TestDatabase = { name: string; url: string; drop(): Promise<void> };

export type TestDatabases = {
  /** Creates an empty database, or a copy of `template`. */
  createDatabase(options?: { template?: string }): Promise<TestDatabase>;
  /** Creates a template database once and returns its name. Concurrent callers wait for the one that fills it. */
  createTemplate(name: string, fill: (sql: Sql) => Promise<void>): Promise<string>;
  close(): Promise<void>;
};

const PREFIX = "pawl-test-run-";
/** Advisory lock that serializes the creation of templates. */
const TEMPLATE_LOCK = 611_733;

/** Starts an embedded PostgreSQL in a temporary folder, by default without fsync. */
export async function startTestPostgres(
  options: Pick<DatabaseConfig, "fsync" | "transport"> = {},
): Promise<TestPostgres> {
  await removeAbandonedRuns();
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const database = await openDatabase({ data: folder, fsync: false, maxConnections: 1, ...options });
  return {
    url: database.url,
    stop: async () => {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates databases on a test server; close it when the file's tests are done. */
export function testDatabases(serverUrl: string): TestDatabases {
  const admin = connect(serverUrl, { maxConnections: 1 });
  const templates = new Map<string, Promise<string>>();
  const urlOf = (name: string) => serverUrl.replace(/\/[^/?]*(?=\?|$)/, `/${name}`);
  return {
    createDatabase: async ({ template = "template0" } = {}) => {
      const name = `test_${randomBytes(6).toString("hex")}`;
      await admin`create database ${admin(name)} template ${admin(template)}`;
      return {
        name,
        url: urlOf(name),
        drop: async () => {
          await admin`drop database ${admin(name)} with (force)`;
        },
      };
    },
    createTemplate: (name, fill) => {
      // The advisory lock belongs to the connection, so it does not exclude a second caller on the same one.
      const created = templates.get(name) ?? makeTemplate(admin, name, () => fillDatabase(urlOf(name), fill));
      templates.set(name, created);
      created.catch(() => templates.delete(name));
      return created;
    },
    close: () => admin.end({ timeout: 5 }),
  };
}

async function makeTemplate(admin: Sql, name: string, fill: () => Promise<void>): Promise<string> {
  await admin`select pg_advisory_lock(${TEMPLATE_LOCK})`;
  try {
    const found = await admin`select from pg_database where datname = ${name} and datistemplate`;
    if (found.length > 0) return name;
    // A failed run may have left it half filled.
    await admin`drop database if exists ${admin(name)} with (force)`;
    await admin`create database ${admin(name)} template template0`;
    await fill();
    await admin`alter database ${admin(name)} is_template true`;
    return name;
  } finally {
    await admin`select pg_advisory_unlock(${TEMPLATE_LOCK})`;
  }
}

// A database with an open connection cannot be copied, so the client ends before the template is used.
async function fillDatabase(url: string, fill: (sql: Sql) => Promise<void>): Promise<void> {
  const sql = connect(url, { maxConnections: 1 });
  try {
    await fill(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Cleans up after killed runs; the folder's name has the process id of its run. */
async function removeAbandonedRuns(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const runner = Number.parseInt(name.slice(PREFIX.length), 10);
    if (isRunning(runner)) continue;
    await stopAbandonedServer(join(tmpdir(), name));
    await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
