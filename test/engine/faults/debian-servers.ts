import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { connect, socketUrl } from "../../../src/postgres/connect.ts";
import { installDebianPackages } from "../../support/debian-packages.ts";

const run = promisify(execFile);

const POSTGRES = "/usr/lib/postgresql/15/bin/postgres";
const PGBOUNCER = "/usr/sbin/pgbouncer";
const PACKAGES = { [POSTGRES]: "postgresql-15", [PGBOUNCER]: "pgbouncer" };

export type Server = { url: string; stop(): Promise<void> };
type Account = { uid: number; gid: number };

/** Returns why Debian's PostgreSQL 15 and PgBouncer are not available, or null after installing them if needed. */
export async function whyNotDebian(): Promise<string | null> {
  const missing = Object.entries(PACKAGES).filter(([program]) => !existsSync(program));
  return installDebianPackages(missing.map(([, name]) => name));
}

/** Starts Debian's PostgreSQL 15 with a cluster and a socket in a temporary folder. */
export async function startPostgres15(): Promise<Server & { folder: string }> {
  const account = await unprivileged();
  const folder = await ownFolder("pawl-postgres15-", account);
  const data = join(folder, "data");
  const initdb = join(POSTGRES, "../initdb");
  const initializing = spawn(
    initdb,
    ["-D", data, "-U", "pawl", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
    {
      cwd: folder,
      stdio: "ignore",
      ...account,
    },
  );
  await once(initializing, "exit");
  const server = spawn(
    POSTGRES,
    ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "max_connections=200"],
    { cwd: folder, stdio: "ignore", ...account },
  );
  const url = socketUrl(folder, "postgres", "pawl");
  await waitUntilReady(url, server);
  return { url, folder, stop: () => stop(server, folder) };
}

/** Starts PgBouncer in transaction mode in front of a PostgreSQL with a socket in `folder`. */
export async function startPgBouncer(folder: string): Promise<Server> {
  const account = await unprivileged();
  const own = await ownFolder("pawl-pgbouncer-", account);
  const settings = join(own, "pgbouncer.ini");
  await writeFile(
    settings,
    `[databases]
* = host=${folder} port=5432 user=pawl
[pgbouncer]
listen_addr =
unix_socket_dir = ${own}
listen_port = 5432
auth_type = any
pool_mode = transaction
default_pool_size = 5
max_client_conn = 100
logfile =
pidfile =
`,
  );
  const server = spawn(PGBOUNCER, ["--quiet", settings], { cwd: own, stdio: "ignore", ...account });
  const url = socketUrl(own, "postgres", "pawl");
  await waitUntilReady(url, server);
  return { url, stop: () => stop(server, own) };
}

/** Returns Debian's user `postgres` if this is root, because neither program runs as root. */
async function unprivileged(): Promise<Account | object> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, "postgres"])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

async function ownFolder(prefix: string, account: Account | object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  if ("uid" in account) await chown(folder, account.uid, account.gid);
  return folder;
}

async function waitUntilReady(url: string, server: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries++) {
    const sql = connect(url, { maxConnections: 1, prepare: false });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (server.exitCode !== null || tries > 500) throw error;
      await pause(20);
    } finally {
      await sql.end({ timeout: 0 });
    }
  }
}

async function stop(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null) {
    server.kill("SIGINT");
    await once(server, "exit");
  }
  await rm(folder, { recursive: true, force: true });
}
