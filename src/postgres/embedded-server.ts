import { readFile, stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { locateBinaries } from "./binaries.ts";
import {
  planLaunch,
  EMBEDDED_NAME,
  hasCluster,
  linkCluster,
  createCluster,
  type ClusterPaths,
  type LaunchPlan,
} from "./cluster.ts";
import { answerWithin, connect, socketUrl, type Sql } from "./connect.ts";
import { readPostmaster, requestStop, type Postmaster } from "./postmaster.ts";
import type { Listening } from "./server-settings.ts";
import { isPrivate, removeSocketFolder } from "./socket-folder.ts";
import { startServer, type ServerOptions } from "./start-server.ts";
import { codeOf, messageOf, unusable } from "./unusable.ts";

/**
 * Advisory lock that every process using the embedded server holds in shared mode, on a connection of its own.
 * A process that detaches and then gets it exclusively was the last one, and stops the server.
 */
const IN_USE_LOCK = 804_213;

/** Advisory locks belong to a database; this one always exists. */
const LOCK_DATABASE = "postgres";

const TIMEOUT_MS = 30_000;

export type EmbeddedServer = {
  paths: ClusterPaths;
  options: ServerOptions;
  launcher: "namespace" | "user" | undefined;
  /** Whether to create a missing cluster. False once it has been used: an empty one would hide the loss of data. */
  mayCreateCluster: boolean;
  onProgress: (message: string) => void;
};

/** A use of the server, which runs at least until it is detached. */
export type Attachment = {
  paths: ClusterPaths;
  /** Holds the lock. */
  lockConnection: Sql;
  listening: Listening;
  url: string;
  /** Resolves when the lock's connection is closed: the server was restarted, or died. */
  lost: Promise<void>;
};

/** Attaches to the running server, or starts one after creating its cluster; many processes may do so at once. */
export async function attach(server: EmbeddedServer, signal?: AbortSignal): Promise<Attachment> {
  let plan: LaunchPlan | undefined;
  let { paths } = server;
  let obstacle = "it did not start";
  let deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline) {
    signal?.throwIfAborted();
    const postmaster = await readPostmaster(paths.cluster);
    if (!postmaster) {
      const isFirstTry = !plan;
      plan ??= await prepare(server);
      paths = plan.paths;
      obstacle = (await startServer(plan, server.options)) ?? obstacle;
      // The deadline limits waiting only: initdb and the first start may take longer on a busy machine.
      if (isFirstTry) deadline = Date.now() + TIMEOUT_MS;
    } else if (postmaster.status === "ready") {
      const attachment = await join(paths, postmaster).catch((error: unknown) => {
        if (!isTransient(error)) throw error;
        obstacle = messageOf(error);
      });
      if (attachment) return attachment;
    } else {
      obstacle = `it is ${postmaster.status}`;
      // Crash recovery has no time limit.
      if (postmaster.status === "starting") deadline = Date.now() + TIMEOUT_MS;
    }
    // Jitter, so that several waiting processes do not retry together.
    await pause(5 + Math.random() * 20);
  }
  throw unusable(
    `PostgreSQL of ${paths.named} cannot be reached (${obstacle}); end the process that uses ${paths.cluster}, see ${paths.log}, and start again.`,
  );
}

async function prepare(server: EmbeddedServer): Promise<LaunchPlan> {
  const { paths, onProgress, launcher, options } = server;
  const first = !(await hasCluster(paths));
  if (first && !server.mayCreateCluster)
    throw unusable(`${paths.home} has disappeared; put it back and start again.`);
  onProgress(
    first ? `Preparing PostgreSQL in ${paths.named} (first start)` : `Starting PostgreSQL in ${paths.named}`,
  );
  const plan = await planLaunch(paths, locateBinaries(), launcher);
  if (!(await hasCluster(plan.paths))) await createCluster(plan, options.fsync);
  return { ...plan, paths: await linkCluster(plan.paths) };
}

async function join(paths: ClusterPaths, postmaster: Postmaster): Promise<Attachment | undefined> {
  const { listening } = postmaster;
  if (listening.transport === "socket") {
    // The folder is in a world-writable place: another user could have replaced it.
    const { uid } = await stat(paths.cluster);
    if (!(await isPrivate(listening.folder, uid))) {
      throw Object.assign(new Error(`its socket in ${listening.folder} is gone`), { code: "ENOENT" });
    }
  }
  let lose: () => void;
  const lost = new Promise<void>((resolve) => (lose = resolve));
  const lockConnection = connect(
    await urlOf(paths, listening, LOCK_DATABASE),
    { maxConnections: 1, applicationName: "pawl presence" },
    {
      fetch_types: false,
      // Renewing the connection would release the lock.
      max_lifetime: null,
      backoff: () => 0.02,
      connection: { lock_timeout: 5_000 },
      onclose: () => {
        lose();
      },
    },
  );
  try {
    // Waits while the last user detaches and stops the server.
    await answerWithin(undefined, lockConnection`select pg_advisory_lock_shared(${IN_USE_LOCK})`);
    // A stopping server releases that lock too, but it writes the status "stopping" first.
    const now = await readPostmaster(paths.cluster);
    if (now?.pid !== postmaster.pid || now.status !== "ready") throw new Error("it is stopping");
    await ensureDatabase(lockConnection);
    return { paths, lockConnection, listening, lost, url: await urlOf(paths, listening, EMBEDDED_NAME) };
  } catch (error) {
    await lockConnection.end({ timeout: 0 });
    throw error;
  }
}

async function ensureDatabase(lockConnection: Sql): Promise<void> {
  const found = await lockConnection`select from pg_database where datname = ${EMBEDDED_NAME}`;
  if (found.length > 0) return;
  await lockConnection`create database ${lockConnection(EMBEDDED_NAME)}`.catch((error: unknown) => {
    // Another process was first: the name exists, or the index refused the second of two concurrent inserts.
    if (!["42P04", "23505"].includes(codeOf(error))) throw error;
  });
}

async function urlOf(paths: ClusterPaths, listening: Listening, database: string): Promise<string> {
  if (listening.transport === "socket") return socketUrl(listening.folder, database, EMBEDDED_NAME);
  const password = (await readFile(paths.password, "utf8")).trim();
  return `postgres://${EMBEDDED_NAME}:${encodeURIComponent(password)}@127.0.0.1:${listening.port}/${database}`;
}

/** The connection failed for a reason that passes: the server is starting, stopping or overloaded. */
function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  if (code === "") return true;
  if (["ECONNREFUSED", "ENOENT", "ECONNRESET", "EPIPE", "EAGAIN"].includes(code)) return true;
  if (code.startsWith("CONNECT")) return true;
  // Operator intervention, lock timeout, too many connections, a database that is being copied.
  return code.startsWith("57P") || ["55P03", "53300", "55006"].includes(code);
}

/** Detaches from the server; the last one stops the server and waits until it has stopped. */
export async function detach({ paths, lockConnection }: Attachment): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  try {
    // A server that is recovering from a crash will answer soon; one without a process never will.
    while (!(await detachOnce(paths, lockConnection)) && (await readPostmaster(paths.cluster))) {
      if (Date.now() > deadline) return;
      await pause(20);
    }
  } finally {
    await lockConnection.end({ timeout: 0 });
  }
}

async function detachOnce(paths: ClusterPaths, lockConnection: Sql): Promise<boolean> {
  try {
    // If the connection was lost, the driver opens a new one without the lock, which gives the same answer.
    await lockConnection`select pg_advisory_unlock_shared(${IN_USE_LOCK})`;
    const [answer] = await lockConnection<
      { alone: boolean }[]
    >`select pg_try_advisory_lock(${IN_USE_LOCK}) as alone`;
    const postmaster = answer?.alone ? await readPostmaster(paths.cluster) : undefined;
    if (postmaster) await stop(paths, postmaster);
    return true;
  } catch (error) {
    if (!isTransient(error)) throw error;
    return false;
  }
}

async function stop(paths: ClusterPaths, postmaster: Postmaster): Promise<void> {
  await requestStop(postmaster.pid, locateBinaries);
  const deadline = Date.now() + TIMEOUT_MS;
  while ((await readPostmaster(paths.cluster))?.pid === postmaster.pid) {
    if (Date.now() > deadline) {
      throw unusable(
        `PostgreSQL of ${paths.named} (process ${postmaster.pid}) is still stopping; wait for it before you start again.`,
      );
    }
    await pause(5);
  }
  if (postmaster.listening.transport === "socket") await removeSocketFolder(postmaster.listening.folder);
}
