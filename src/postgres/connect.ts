import postgres from "postgres";
import { PawlError } from "../core/index.ts";
import { unlessAborted } from "../std/unless-aborted.ts";
import { withTimeout } from "../std/with-timeout.ts";
import { isConnectionLoss } from "./database-errors.ts";
import { ARRAY_TYPES } from "./array-types.ts";
import { channelIn, DEFAULT_SCHEMA, schemaRewriter } from "./schema-name.ts";
import { codeOf, messageOf, unusable } from "./unusable.ts";

export type Sql = postgres.Sql;

/** An open transaction of the driver. */
export type DriverTransaction = postgres.TransactionSql;

type DriverOptions = postgres.Options<Record<string, postgres.PostgresType>>;

export type ConnectOptions = {
  /** Maximum number of connections; default 10. */
  maxConnections?: number;
  /** Use prepared statements; default true. Turn off behind a pooler that does not support them. */
  prepare?: boolean;
  applicationName?: string;
  /** The schema with Pawl's tables; default `pawl`. Two Pawls in different schemas of one database do not affect each other. */
  schema?: string | undefined;
  /** True without a pooler: the settings that a session starts with apply to every statement of this client. */
  ownSessions?: boolean;
  /** Timeout for the server's first answer; default 10 s. */
  connectTimeoutSeconds?: number;
};

const CONNECT_TIMEOUT_SECONDS = 10;

/** Default timeout of one statement; a transaction can set its own. */
export const STATEMENT_TIMEOUT_MS = 30_000;

/** Timeout between two statements of a transaction: a node that was suspended keeps its locks no longer than this. */
const IDLE_TIMEOUT_MS = 5_000;

/**
 * Settings of each session. The timeouts release the locks of a client that disappeared. Every statement has an index and
 * is planned once: planning it for its values each time cost more than running it, and sequential scans are off because a
 * plan made while a table was small would read all of it. No statement is large enough for parallel workers.
 */
export const SESSION_SETTINGS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
  enable_seqscan: "off",
  plan_cache_mode: "force_generic_plan",
  max_parallel_workers_per_gather: 0,
} as const;

const WITH_OWN_SESSIONS = new WeakSet<object>();

/** Checks whether all statements of a client run with `SESSION_SETTINGS`. */
export function hasOwnSessions(sql: Sql): boolean {
  return WITH_OWN_SESSIONS.has(sql);
}

const SIDE_CLIENTS = new WeakMap<object, () => Sql>();

/** Returns a client with one extra connection to the database of `sql`; the connection closes after a second without use. */
export function sideClient(sql: Sql): Sql {
  const open = SIDE_CLIENTS.get(sql);
  if (!open) throw new Error("the client was not made by connect()");
  return open();
}

const CLOSE_LISTENERS = new WeakMap<object, Set<() => void>>();

/**
 * Calls a listener whenever a connection of a client is closed, and returns a function that removes it. The driver rejects
 * queries that were sent before the connection's error, but not those sent between its error and its end.
 */
export function onClosing(sql: Sql, listener: () => void): () => void {
  const listeners = CLOSE_LISTENERS.get(sql);
  listeners?.add(listener);
  return () => void listeners?.delete(listener);
}

/** Creates a client for any PostgreSQL URL, including one with a socket's folder (`?host=/folder`). */
export function connect(url: string, options: ConnectOptions = {}, more: DriverOptions = {}): Sql {
  const { plain, socketFolder } = parse(url);
  const closeListeners = new Set<() => void>();
  const sql = postgres(plain, {
    ...(socketFolder === undefined ? {} : { host: socketFolder }),
    max: options.maxConnections ?? 10,
    prepare: options.prepare ?? true,
    connect_timeout: options.connectTimeoutSeconds ?? CONNECT_TIMEOUT_SECONDS,
    // By default the driver waits up to 20 seconds before it reconnects.
    backoff: (failures) => Math.min(0.01 * 2 ** failures, 0.5),
    // Pawl represents times as milliseconds everywhere, from the database's clock.
    types: {
      instant: { to: 1184, from: [1184], serialize: toTimestamp, parse: fromTimestamp },
      ...ARRAY_TYPES,
    },
    fetch_types: false,
    // By default the driver prints notices to the console.
    onnotice: () => undefined,
    onclose: () => {
      for (const listener of closeListeners) listener();
    },
    ...more,
    connection: {
      application_name: options.applicationName ?? "pawl",
      // Values are read in these forms, also if the role or the database has others. Poolers accept both settings.
      DateStyle: "ISO",
      standard_conforming_strings: "on",
      ...(options.ownSessions ? SESSION_SETTINGS : {}),
      ...more.connection,
    },
  } as DriverOptions);
  if (options.ownSessions) WITH_OWN_SESSIONS.add(sql);
  CLOSE_LISTENERS.set(sql, closeListeners);
  let side: Sql | undefined;
  SIDE_CLIENTS.set(
    sql,
    () => (side ??= connect(url, { ...options, maxConnections: 1 }, { ...more, idle_timeout: 1 })),
  );
  const { schema = DEFAULT_SCHEMA } = options;
  const begin = sql.begin.bind(sql) as Begin;
  if (schema === DEFAULT_SCHEMA) return Object.assign(sql, { begin: withoutRollbackAfterLoss(begin) });
  return inSchema(sql, begin, schema);
}

const SCHEMAS = new WeakMap<object, { name: string; rewrite: (text: string) => string }>();

/** Makes a client send its statements to another schema. Texts in tagged templates are not rewritten: use `unsafe`. */
function inSchema(sql: Sql, begin: Begin, schema: string): Sql {
  const rewrite = schemaRewriter(schema);
  SCHEMAS.set(sql, { name: schema, rewrite });
  const rewritten = (unsafe: Sql["unsafe"]) =>
    ((text: string, ...rest: []) => unsafe(rewrite(text), ...rest)) as Sql["unsafe"];
  const listen = sql.listen.bind(sql);
  const inTransaction = (tx: DriverTransaction): DriverTransaction => {
    const savepoint = tx.savepoint.bind(tx) as (work: (inner: DriverTransaction) => unknown) => unknown;
    return Object.assign(tx, {
      unsafe: rewritten(tx.unsafe.bind(tx)),
      savepoint: (work: (inner: DriverTransaction) => unknown) =>
        savepoint((inner) => work(inTransaction(inner))),
    }) as DriverTransaction;
  };
  const beginInSchema: Begin = (options, work) => begin(options, (tx) => work(inTransaction(tx)));
  return Object.assign(sql, {
    unsafe: rewritten(sql.unsafe.bind(sql)),
    listen: ((channel: string, ...rest: [() => void]) =>
      listen(channelIn(schema, channel), ...rest)) as Sql["listen"],
    begin: withoutRollbackAfterLoss(beginInSchema),
  });
}

/** Returns the schema that a client's statements use. */
export function schemaOf(sql: Sql): string {
  return SCHEMAS.get(sql)?.name ?? DEFAULT_SCHEMA;
}

/** Returns a SQL text as a client sends it: with the name of its schema. */
export function textInSchema(sql: Sql, text: string): string {
  return SCHEMAS.get(sql)?.rewrite(text) ?? text;
}

type Begin = (options: string, work: (tx: DriverTransaction) => unknown) => Promise<unknown>;

/** Maximum time between a connection's error and its close. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Keeps the driver from rolling back on a lost connection: that write ends the process or breaks the connection that
 * replaces it. A transaction whose connection is lost never settles inside the driver, so nothing more is sent.
 */
function withoutRollbackAfterLoss(begin: Begin): Sql["begin"] {
  const beginSafely = (...args: [...string[], (tx: DriverTransaction) => unknown]) => {
    const work = args.pop() as (tx: DriverTransaction) => unknown;
    let isLost = false;
    const done = begin((args[0] as string | undefined) ?? "", async (tx) => {
      try {
        const result = work(tx);
        const value: unknown = await (Array.isArray(result) ? Promise.all(result) : result);
        // Lost between two statements, for example because the server ended an idle transaction: there is nothing to commit.
        if (isLost) await new Promise(() => undefined);
        return value;
      } catch (error) {
        if (isConnectionLoss(error) && (await isOver(done))) await new Promise(() => undefined);
        throw error;
      }
    });
    done.catch(() => (isLost = true));
    return done;
  };
  return beginSafely as Sql["begin"];
}

/** Checks whether the loss of the connection ended a transaction, rather than its work. */
async function isOver(done: Promise<unknown>): Promise<boolean> {
  const closed = done.then(
    () => true,
    () => true,
  );
  return withTimeout(closed, CLOSE_TIMEOUT_MS, () => false);
}

function toTimestamp(moment: number | string | Date): string {
  return new Date(moment).toISOString();
}

/** Parses "2026-01-05 12:00:00.123456+00", as a server in UTC writes it, via the ISO form, which is parsed faster. */
function fromTimestamp(text: string): number {
  let moment = TIMESTAMPS.get(text);
  if (moment === undefined) {
    moment = Date.parse(text.endsWith("+00") ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text);
    if (TIMESTAMPS.size >= MAX_TIMESTAMPS) TIMESTAMPS.clear();
    TIMESTAMPS.set(text, moment);
  }
  return moment;
}

/** Caches parsed timestamps: tasks of a batch often share them, since they were created or moved together. */
const TIMESTAMPS = new Map<string, number>();
const MAX_TIMESTAMPS = 64;

/** Waits for a first answer with a timeout: the driver waits forever for a server that is not a PostgreSQL. */
export async function answerWithin<T>(
  seconds: number | undefined,
  answer: Promise<T>,
  stopping?: AbortSignal,
): Promise<T> {
  const timeoutMs = (seconds ?? CONNECT_TIMEOUT_SECONDS) * 1_000;
  return withTimeout(unlessAborted(answer, stopping), timeoutMs, () => {
    throw Object.assign(new Error("no answer"), { code: "CONNECT_TIMEOUT" });
  });
}

/** Builds the URL of a server on a socket, in the form that libpq and most tools read. */
export function socketUrl(folder: string, database: string, user: string): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(folder).replaceAll("%2F", "/")}`;
}

/** Describes in one sentence why the server at a URL cannot be used; never shows the password. */
export function describeConnectionProblem(url: string, error: unknown): PawlError {
  if (error instanceof PawlError) return error;
  const { shown, socketFolder } = parse(url);
  const database = decodeURIComponent(shown.pathname.slice(1));
  const user = decodeURIComponent(shown.username) || "the default user";
  const server = socketFolder ?? shown.host;
  switch (codeOf(error)) {
    case "ECONNREFUSED":
    case "ENOENT":
      return unusable(`No PostgreSQL answers at ${server}; start it or correct DATABASE_URL.`, error);
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return unusable(
        `The host ${server} of DATABASE_URL is unknown; correct its name or check the network.`,
        error,
      );
    case "CONNECT_TIMEOUT":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return unusable(
        `PostgreSQL at ${server} does not answer in time; check the address and the firewall.`,
        error,
      );
    case "28P01":
      return unusable(
        `PostgreSQL at ${server} refused the password of ${user}; correct it in DATABASE_URL.`,
        error,
      );
    case "28000":
      return unusable(
        `PostgreSQL at ${server} does not admit ${user} (${messageOf(error)}); allow it in pg_hba.conf or correct DATABASE_URL.`,
        error,
      );
    case "3D000":
      return unusable(
        `PostgreSQL at ${server} has no database "${database}"; create it or correct DATABASE_URL.`,
        error,
      );
    case "53300":
      return unusable(
        `PostgreSQL at ${server} has no connections left; raise its max_connections or close some.`,
        error,
      );
    default:
      return unusable(
        `PostgreSQL at ${server} cannot be used (${messageOf(error)}); check the server and DATABASE_URL.`,
        error,
      );
  }
}

/** Checks whether `connect` accepts an address. */
export function isPostgresUrl(url: string): boolean {
  try {
    parse(url);
    return true;
  } catch {
    return false;
  }
}

// libpq reads these from a URL; the driver would send them to the server as settings, and the server would refuse them.
const LIBPQ_ONLY = ["host", "port", "channel_binding", "gssencmode"];

type Address = { plain: string; shown: URL; socketFolder: string | undefined };

function parse(url: string): Address {
  // The URL standard requires exactly one host; libpq also allows several, or none before `?host=`.
  const [hosts = ""] = /(?<=^postgres(?:ql)?:\/\/(?:[^/?#]*@)?)[^@/?#]*(?=[/?#]|$)/.exec(url) ?? [];
  const standard =
    hosts === ""
      ? url.replace(/^(\w+:\/\/(?:[^/?#]*@)?)/, "$1localhost")
      : url.replace(hosts, hosts.split(",")[0] ?? "");
  const parsed = parseStandard(standard);
  if (hosts.includes(",")) return { plain: url, shown: parsed, socketFolder: undefined };
  const host = parsed.searchParams.get("host") ?? decodeURIComponent(parsed.hostname);
  const port = parsed.searchParams.get("port");
  for (const name of LIBPQ_ONLY) parsed.searchParams.delete(name);
  if (port) parsed.port = port;
  const socketFolder = host.startsWith("/") ? host : undefined;
  parsed.hostname = socketFolder ? "localhost" : host;
  return { plain: parsed.href, shown: parsed, socketFolder };
}

function parseStandard(url: string): URL {
  try {
    const parsed = new URL(url);
    // The driver decodes all of these too, and would fail with a vaguer error.
    [parsed.username, parsed.password, parsed.hostname, parsed.pathname].forEach(decodeURIComponent);
    if (["postgres:", "postgresql:"].includes(parsed.protocol)) return parsed;
  } catch {
    // The error is dropped because it quotes the URL with its password.
  }
  throw unusable(
    "DATABASE_URL must be the URL of a PostgreSQL database, like postgres://user:password@host:5432/database.",
  );
}
