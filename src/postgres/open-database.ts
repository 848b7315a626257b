import { findClusterPaths } from "./cluster.ts";
import {
  answerWithin,
  connect,
  describeConnectionProblem,
  STATEMENT_TIMEOUT_MS,
  type ConnectOptions,
  type Sql,
} from "./connect.ts";
import type { EmbeddedServer } from "./embedded-server.ts";
import { keepAttached } from "./keep-attached.ts";
import { codeOf, unusable, unusableFolder } from "./unusable.ts";

export type DatabaseConfig = ConnectOptions & {
  /** The address of an external PostgreSQL 15 or newer; without it, Pawl runs an embedded one in `data`. */
  url?: string | undefined;
  /** The folder of the embedded server's data; default `.pawl`. */
  data?: string | undefined;
  /** How the embedded server is reached; default a Unix socket, on Windows always tcp. */
  transport?: "socket" | "tcp" | undefined;
  /** The loopback port of the embedded server if its transport is tcp; default any free one. */
  port?: number | undefined;
  /** How root runs PostgreSQL: in a user namespace, or as an unprivileged user; default the first one that works. */
  launcher?: "namespace" | "user" | undefined;
  /** Default true; false only for data that may be lost, such as in tests. */
  fsync?: boolean | undefined;
  /** Aborts the connection attempt to an external server. */
  signal?: AbortSignal | undefined;
  /** Receives a message before each step that takes a moment. */
  onProgress?: ((message: string) => void) | undefined;
};

export type Database = {
  kind: "embedded" | "external";
  /** A client of a server that has answered. */
  sql: Sql;
  /** The address for psql, other tools and `openDatabase` in other processes. May contain a password. */
  url: string;
  /** Closes the client; the last process to close an embedded server stops it. May be called twice. */
  close(): Promise<void>;
};

const MIN_VERSION = 150_000;

/** Opens the PostgreSQL at `url`, or starts (or joins) the embedded one in `data`. */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  return config.url === undefined ? openEmbedded(config) : openExternal(config.url, config);
}

async function openExternal(url: string, config: DatabaseConfig): Promise<Database> {
  for (const ownSessions of [true, false]) {
    const sql = connect(url, { ...config, ownSessions });
    try {
      const { version, timeout } = await answerWithin(
        config.connectTimeoutSeconds,
        askServer(sql),
        config.signal,
      );
      if (version < MIN_VERSION)
        throw unusable(
          `DATABASE_URL is a PostgreSQL ${Math.floor(version / 10_000)}, and Pawl needs 15 or newer; upgrade it or use another.`,
        );
      if (!ownSessions || timeout === STATEMENT_TIMEOUT_MS)
        return { kind: "external", sql, url, close: once(() => sql.end({ timeout: 5 })) };
      await sql.end({ timeout: 0 });
    } catch (error) {
      await sql.end({ timeout: 0 });
      if (!ownSessions || codeOf(error) !== REFUSED_BY_POOLER) throw describeConnectionProblem(url, error);
    }
  }
  throw new Error("unreachable");
}

/** Error code of a pooler that refuses session settings; others ignore them. Each transaction then sets its own. */
const REFUSED_BY_POOLER = "08P01";

async function openEmbedded(config: DatabaseConfig): Promise<Database> {
  const server: EmbeddedServer = {
    paths: await findClusterPaths(config.data ?? ".pawl"),
    options: {
      transport: process.platform === "win32" ? "tcp" : (config.transport ?? "socket"),
      port: config.port,
      fsync: config.fsync ?? true,
    },
    launcher: config.launcher,
    mayCreateCluster: true,
    onProgress: config.onProgress ?? (() => undefined),
  };
  const attachment = await keepAttached(server).catch((error: unknown) => {
    throw unusableFolder(server.paths.home, error);
  });
  const sql = connect(attachment.url, { ...config, ownSessions: true });
  return {
    kind: "embedded",
    sql,
    url: attachment.url,
    close: once(async () => {
      await sql.end({ timeout: 5 });
      await attachment.end();
    }),
  };
}

async function askServer(sql: Sql): Promise<{ version: number; timeout: number }> {
  const [row] = await sql<{ version: number; timeout: number }[]>`
    select current_setting('server_version_num')::int as version, setting::int as timeout
    from pg_settings where name = 'statement_timeout'`;
  return row ?? { version: 0, timeout: 0 };
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= close());
}
