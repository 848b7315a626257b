import postgres from "postgres";
import { PawlError } from "../core/index.ts";
import { unlessAborted } from "../std/unless-aborted.ts";
import { withTimeout } from "../std/with-timeout.ts";
import { isConnectionLoss } from "./database-errors.ts";
import { ARRAY_TYPES } from "./array-types.ts";
import { codeOf, messageOf, unusable } from "./unusable.ts";

export type Sql = postgres.Sql;

type DriverOptions = postgres.Options<Record<string, postgres.PostgresType>>;

export type ConnectOptions = {
  /** The most connections the client opens; 10 unless told. */
  maxConnections?: number;
  /** Prepared statements; off behind a pooler that does not keep them. */
  prepare?: boolean;
  applicationName?: string;
  /** No pooler stands between: what is set for a session when it begins holds for every statement of this client. */
  ownSessions?: boolean;
  /** How long a server may take to answer for the first time; 10 seconds unless told. */
  connectTimeoutSeconds?: number;
};

const CONNECT_TIMEOUT_SECONDS = 10;

/** How long one statement may take, unless a transaction says otherwise. */
export const STATEMENT_TIMEOUT_MS = 30_000;

/** How long a transaction may wait for its next statement: a node that was stopped keeps its locks no longer than this. */
const IDLE_TIMEOUT_MS = 5_000;

/**
 * A client that vanished must not keep its locks. Every statement has its index, and is planned once: planned for its
 * values each time it cost more to plan than to run, and a plan made while a table was small would read all of it.
 * Nothing is worth a second process.
 */
export const SESSION_SETTINGS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
  enable_seqscan: "off",
  plan_cache_mode: "force_generic_plan",
  max_parallel_workers_per_gather: 0,
} as const;

const WITH_OWN_SESSIONS = new WeakSet<object>();

/** Whether all statements of a client run with the settings above. */
export function hasOwnSessions(sql: Sql): boolean {
  return WITH_OWN_SESSIONS.has(sql);
}

const CLOSINGS = new WeakMap<object, Set<() => void>>();

/**
 * Hears of every connection of a client that is closed. The driver answers for what was sent on it, but not for what is sent
 * between a connection's error and its end. Gives what ends it.
 */
export function onClosing(sql: Sql, listener: () => void): () => void {
  const listeners = CLOSINGS.get(sql);
  listeners?.add(listener);
  return () => void listeners?.delete(listener);
}

/** Makes a client for any PostgreSQL URL, also one that names a socket's folder (`?host=/folder`), as Pawl's own do. */
export function connect(url: string, options: ConnectOptions = {}, more: DriverOptions = {}): Sql {
  const { plain, socketFolder } = parse(url);
  const closings = new Set<() => void>();
  const sql = postgres(plain, {
    ...(socketFolder === undefined ? {} : { host: socketFolder }),
    max: options.maxConnections ?? 10,
    prepare: options.prepare ?? true,
    connect_timeout: options.connectTimeoutSeconds ?? CONNECT_TIMEOUT_SECONDS,
    // The driver would let a server that is back wait for up to 20 seconds.
    backoff: (failures) => Math.min(0.01 * 2 ** failures, 0.5),
    // Moments are milliseconds everywhere in Pawl, from the database's clock.
    types: {
      instant: { to: 1184, from: [1184], serialize: toTimestamp, parse: fromTimestamp },
      ...ARRAY_TYPES,
    },
    fetch_types: false,
    // The driver would print notices to the console.
    onnotice: () => undefined,
    onclose: () => {
      for (const listener of closings) listener();
    },
    ...more,
    connection: {
      application_name: options.applicationName ?? "pawl",
      ...(options.ownSessions ? SESSION_SETTINGS : {}),
      ...more.connection,
    },
  } as DriverOptions);
  if (options.ownSessions) WITH_OWN_SESSIONS.add(sql);
  CLOSINGS.set(sql, closings);
  return Object.assign(sql, { begin: leavingTheLostAlone(sql.begin.bind(sql) as Begin) });
}

type Begin = (options: string, work: (tx: postgres.TransactionSql) => unknown) => Promise<unknown>;

/** How long after its error a connection may take to be closed. */
const CLOSES_WITHIN_MS = 1_000;

/**
 * The driver rolls back whatever failed, also on a connection that is gone: the write to it ends the process, or spoils
 * the connection that is made in its place. Here nothing is sent any more once the connection is lost.
 */
function leavingTheLostAlone(begin: Begin): Sql["begin"] {
  const beginSafely = (...asked: [...string[], (tx: postgres.TransactionSql) => unknown]) => {
    const work = asked.pop() as (tx: postgres.TransactionSql) => unknown;
    let isLost = false;
    const done = begin((asked[0] as string | undefined) ?? "", async (tx) => {
      try {
        const result = work(tx);
        const value: unknown = await (Array.isArray(result) ? Promise.all(result) : result);
        // Lost while the work did something else, as when the server ends an idle transaction: there is nothing to commit.
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

/** Whether a transaction was ended by the loss of its connection, and not by its work. */
async function isOver(done: Promise<unknown>): Promise<boolean> {
  const closed = done.then(
    () => true,
    () => true,
  );
  return withTimeout(closed, CLOSES_WITHIN_MS, () => false);
}

function toTimestamp(moment: number | string | Date): string {
  return new Date(moment).toISOString();
}

/** "2026-01-05 12:00:00.123456+00", as the server writes it where its time zone is UTC; the ISO form is parsed faster. */
function fromTimestamp(text: string): number {
  let moment = MOMENTS.get(text);
  if (moment === undefined) {
    moment = Date.parse(text.endsWith("+00") ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text);
    if (MOMENTS.size >= MOST_MOMENTS) MOMENTS.clear();
    MOMENTS.set(text, moment);
  }
  return moment;
}

/** The tasks of a batch were mostly made, and moved, together with others: what has just been read is read again. */
const MOMENTS = new Map<string, number>();
const MOST_MOMENTS = 64;

/** Waits for a first answer, but not for ever, as the driver does where something listens that is no PostgreSQL. */
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

/** The URL of a server on a socket in the form that libpq and most tools read. */
export function socketUrl(folder: string, database: string, user: string): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(folder).replaceAll("%2F", "/")}`;
}

/** Says in one sentence why a server named by a URL cannot be used; never shows the password. */
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
        `The host ${server} of DATABASE_URL is not known; correct its name or the network.`,
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
        `PostgreSQL at ${server} does not let ${user} in (${messageOf(error)}); allow it there or correct DATABASE_URL.`,
        error,
      );
    case "3D000":
      return unusable(
        `PostgreSQL at ${server} has no database "${database}"; create it or correct DATABASE_URL.`,
        error,
      );
    case "53300":
      return unusable(
        `PostgreSQL at ${server} has no connection left; raise its max_connections or close some.`,
        error,
      );
    default:
      return unusable(
        `PostgreSQL at ${server} cannot be used (${messageOf(error)}); check the server and DATABASE_URL.`,
        error,
      );
  }
}

/** Returns whether `connect` accepts the address. */
export function isPostgresUrl(url: string): boolean {
  try {
    parse(url);
    return true;
  } catch {
    return false;
  }
}

// libpq reads these from a URL; the driver would send them to the server as settings, which refuses them.
const LIBPQ_ONLY = ["host", "port", "channel_binding", "gssencmode"];

type Address = { plain: string; shown: URL; socketFolder: string | undefined };

function parse(url: string): Address {
  // The URL standard wants one host; libpq also allows none before `?host=`, or several.
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
    // The driver decodes all of these, and would fail with less to say.
    [parsed.username, parsed.password, parsed.hostname, parsed.pathname].forEach(decodeURIComponent);
    if (["postgres:", "postgresql:"].includes(parsed.protocol)) return parsed;
  } catch {
    // The error would quote the URL, and with it the password.
  }
  throw unusable(
    "DATABASE_URL is not the address of a PostgreSQL; it looks like postgres://user:password@host:5432/database.",
  );
}
