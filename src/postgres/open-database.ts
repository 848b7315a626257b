import { findPlace } from "./cluster.ts";
import {
  answerWithin,
  connect,
  describeConnectionProblem,
  STATEMENT_TIMEOUT_MS,
  type ConnectOptions,
  type Sql,
} from "./connect.ts";
import type { EmbeddedServer } from "./embedded-server.ts";
import { stayPresent } from "./stay-present.ts";
import { codeOf, unusable, unusableFolder } from "./unusable.ts";

export type DatabaseConfig = ConnectOptions & {
  /** A PostgreSQL 15 or newer that somebody else runs; without it, Pawl runs its own in `data`. */
  url?: string | undefined;
  /** The folder of the embedded server's data; `.pawl` unless told. */
  data?: string | undefined;
  /** How the embedded server is reached; a unix socket unless told, or unless there are none (Windows). */
  transport?: "socket" | "tcp" | undefined;
  /** The loopback port of the embedded server when its transport is tcp; any free one unless told. */
  port?: number | undefined;
  /** How root, as whom PostgreSQL refuses to run, runs it: in a user namespace, or as an unprivileged user; what works, unless told. */
  launcher?: "namespace" | "user" | undefined;
  /** Off only for data that may be lost, as a test's; on unless told. */
  fsync?: boolean | undefined;
  /** Aborts the connection attempt to an external server. */
  signal?: AbortSignal | undefined;
  /** Is told what takes a moment. */
  onProgress?: ((message: string) => void) | undefined;
};

export type Database = {
  kind: "embedded" | "external";
  /** A client of a server that has been seen to work. */
  sql: Sql;
  /** Where others connect to: psql and most tools, or `connect` and `openDatabase` of another process. May hold a password. */
  url: string;
  /** Ends the client; the last to close an embedded server stops it. May be called twice. */
  close(): Promise<void>;
};

const OLDEST_VERSION = 150_000;

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
      if (version < OLDEST_VERSION)
        throw unusable(
          `DATABASE_URL names a PostgreSQL ${Math.floor(version / 10_000)}, and Pawl needs 15 or newer; upgrade it or name another.`,
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

/** A pooler refuses settings for a session with this code, or forgets them; then every transaction brings its own. */
const REFUSED_BY_POOLER = "08P01";

async function openEmbedded(config: DatabaseConfig): Promise<Database> {
  const server: EmbeddedServer = {
    place: await findPlace(config.data ?? ".pawl"),
    wish: {
      transport: process.platform === "win32" ? "tcp" : (config.transport ?? "socket"),
      port: config.port,
      fsync: config.fsync ?? true,
    },
    launcher: config.launcher,
    makesCluster: true,
    onProgress: config.onProgress ?? (() => undefined),
  };
  const presence = await stayPresent(server).catch((error: unknown) => {
    throw unusableFolder(server.place.home, error);
  });
  const sql = connect(presence.url, { ...config, ownSessions: true });
  return {
    kind: "embedded",
    sql,
    url: presence.url,
    close: once(async () => {
      await sql.end({ timeout: 5 });
      await presence.end();
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
