import { readFile, stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { locateBinaries } from "./binaries.ts";
import {
  chooseRunning,
  EMBEDDED_NAME,
  hasCluster,
  linkCluster,
  makeCluster,
  type Place,
  type Running,
} from "./cluster.ts";
import { answerWithin, connect, socketUrl, type Sql } from "./connect.ts";
import { readPostmaster, requestStop, type Postmaster } from "./postmaster.ts";
import type { Listening } from "./server-settings.ts";
import { isPrivate, removeSocketFolder } from "./socket-folder.ts";
import { startServer, type Wish } from "./start-server.ts";
import { codeOf, messageOf, unusable } from "./unusable.ts";

/**
 * Everyone who has the embedded server open holds this lock, shared, on a connection of its own.
 * Whoever leaves and then gets it alone was the last one, and stops the server.
 */
const PRESENCE = 804_213;

/** Locks of this kind belong to a database; this one is always there. */
const PRESENCE_DATABASE = "postgres";

const PATIENCE_MS = 30_000;

export type EmbeddedServer = {
  place: Place;
  wish: Wish;
  launcher: "namespace" | "user" | undefined;
  /** Whether a cluster is made where there is none; not for one who has seen it, to whom an empty one would be a lie. */
  makesCluster: boolean;
  onProgress: (message: string) => void;
};

/** One stay at the server: it runs at least until the stay is left. */
export type Stay = {
  place: Place;
  presence: Sql;
  listening: Listening;
  url: string;
  /** Resolves when the presence is gone: the server was restarted, or died. */
  lost: Promise<void>;
};

/** Joins the running server, or starts one (and makes the cluster first); many may do so at once. */
export async function enter(server: EmbeddedServer, signal?: AbortSignal): Promise<Stay> {
  let running: Running | undefined;
  let { place } = server;
  let obstacle = "it did not start";
  let deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    signal?.throwIfAborted();
    const postmaster = await readPostmaster(place.cluster);
    if (!postmaster) {
      const isFirstTry = !running;
      running ??= await prepare(server);
      place = running.place;
      obstacle = (await startServer(running, server.wish)) ?? obstacle;
      // The deadline limits waiting: initdb and the first start take as long as a busy machine needs.
      if (isFirstTry) deadline = Date.now() + PATIENCE_MS;
    } else if (postmaster.status === "ready") {
      const stay = await join(place, postmaster).catch((error: unknown) => {
        if (!isPassing(error)) throw error;
        obstacle = messageOf(error);
      });
      if (stay) return stay;
    } else {
      obstacle = `it is ${postmaster.status}`;
      // Crash recovery takes as long as it takes.
      if (postmaster.status === "starting") deadline = Date.now() + PATIENCE_MS;
    }
    // Of several that wait, each comes back at another moment.
    await pause(5 + Math.random() * 20);
  }
  throw unusable(
    `PostgreSQL of ${place.named} cannot be reached (${obstacle}); end what holds ${place.cluster}, see ${place.log}, and start again.`,
  );
}

async function prepare(server: EmbeddedServer): Promise<Running> {
  const { place, onProgress, launcher, wish } = server;
  const first = !(await hasCluster(place));
  if (first && !server.makesCluster) throw unusable(`${place.home} is gone; put it back and start again.`);
  onProgress(
    first ? `Preparing PostgreSQL in ${place.named} (first start)` : `Starting PostgreSQL in ${place.named}`,
  );
  const running = await chooseRunning(place, locateBinaries(), launcher);
  if (!(await hasCluster(running.place))) await makeCluster(running, wish.fsync);
  return { ...running, place: await linkCluster(running.place) };
}

async function join(place: Place, postmaster: Postmaster): Promise<Stay | undefined> {
  const { listening } = postmaster;
  if (listening.transport === "socket") {
    // The folder lies where everybody may write: a stranger could have put another in its place.
    const { uid } = await stat(place.cluster);
    if (!(await isPrivate(listening.folder, uid))) {
      throw Object.assign(new Error(`its socket in ${listening.folder} is gone`), { code: "ENOENT" });
    }
  }
  let lose: () => void;
  const lost = new Promise<void>((resolve) => (lose = resolve));
  const presence = connect(
    await urlOf(place, listening, PRESENCE_DATABASE),
    { maxConnections: 1, applicationName: "pawl presence" },
    {
      fetch_types: false,
      // A connection that is renewed now and then would drop the lock.
      max_lifetime: null,
      backoff: () => 0.02,
      connection: { lock_timeout: 5_000 },
      onclose: () => {
        lose();
      },
    },
  );
  try {
    // Waits while the last one leaves and stops the server.
    await answerWithin(undefined, presence`select pg_advisory_lock_shared(${PRESENCE})`);
    // A stopping server drops the leaver's lock, too; but it has written down before that it is stopping.
    const now = await readPostmaster(place.cluster);
    if (now?.pid !== postmaster.pid || now.status !== "ready") throw new Error("it is stopping");
    await ensureDatabase(presence);
    return { place, presence, listening, lost, url: await urlOf(place, listening, EMBEDDED_NAME) };
  } catch (error) {
    await presence.end({ timeout: 0 });
    throw error;
  }
}

async function ensureDatabase(presence: Sql): Promise<void> {
  const found = await presence`select from pg_database where datname = ${EMBEDDED_NAME}`;
  if (found.length > 0) return;
  await presence`create database ${presence(EMBEDDED_NAME)}`.catch((error: unknown) => {
    // Somebody else was first: refused by name, or by the index when both were at it.
    if (!["42P04", "23505"].includes(codeOf(error))) throw error;
  });
}

async function urlOf(place: Place, listening: Listening, database: string): Promise<string> {
  if (listening.transport === "socket") return socketUrl(listening.folder, database, EMBEDDED_NAME);
  const password = (await readFile(place.password, "utf8")).trim();
  return `postgres://${EMBEDDED_NAME}:${encodeURIComponent(password)}@127.0.0.1:${listening.port}/${database}`;
}

/** Failures of a join that go away: the server is on its way up or down, or everybody comes at once. */
function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  if (code === "") return true;
  if (["ECONNREFUSED", "ENOENT", "ECONNRESET", "EPIPE", "EAGAIN"].includes(code)) return true;
  if (code.startsWith("CONNECT")) return true;
  // Operator intervention, lock timeout, too many connections, a database that is being copied.
  return code.startsWith("57P") || ["55P03", "53300", "55006"].includes(code);
}

/** Ends a stay; the last to leave stops the server and waits until it has. */
export async function leave({ place, presence }: Stay): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  try {
    // A server that recovers from a crash of its own answers in a moment, one that died never will.
    while (!(await leaveOnce(place, presence)) && (await readPostmaster(place.cluster))) {
      if (Date.now() > deadline) return;
      await pause(20);
    }
  } finally {
    await presence.end({ timeout: 0 });
  }
}

async function leaveOnce(place: Place, presence: Sql): Promise<boolean> {
  try {
    // If the connection was lost meanwhile, the driver makes a new one that holds nothing: the answer is right all the same.
    await presence`select pg_advisory_unlock_shared(${PRESENCE})`;
    const [answer] = await presence<{ alone: boolean }[]>`select pg_try_advisory_lock(${PRESENCE}) as alone`;
    const postmaster = answer?.alone ? await readPostmaster(place.cluster) : undefined;
    if (postmaster) await stop(place, postmaster);
    return true;
  } catch (error) {
    if (!isPassing(error)) throw error;
    return false;
  }
}

async function stop(place: Place, postmaster: Postmaster): Promise<void> {
  await requestStop(postmaster.pid, locateBinaries);
  const deadline = Date.now() + PATIENCE_MS;
  while ((await readPostmaster(place.cluster))?.pid === postmaster.pid) {
    if (Date.now() > deadline) {
      throw unusable(
        `PostgreSQL of ${place.named} (process ${postmaster.pid}) is still stopping; wait for it before you start again.`,
      );
    }
    await pause(5);
  }
  if (postmaster.listening.transport === "socket") await removeSocketFolder(postmaster.listening.folder);
}
