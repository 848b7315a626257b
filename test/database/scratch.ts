import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, cp, mkdtemp, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, test as base } from "vitest";
import { openDatabase, type Database, type DatabaseConfig } from "../../src/postgres/open-database.ts";
import { readPostmaster } from "../../src/postgres/postmaster.ts";
import { findClusterPaths } from "../../src/postgres/cluster.ts";
import { stopAbandonedServer } from "../support/abandoned-server.ts";
import { copyProject } from "./project-copy.ts";

export const IS_ROOT = process.getuid?.() === 0;

/** A process that opens a database, and the lines that it has printed. */
export type DatabaseProcess = {
  child: ChildProcess;
  lines: string[];
  /** Returns the first line with this prefix, printed already or later; fails if the process ends without it. */
  waitForLine(prefix: string): Promise<string>;
  /** Asks the process to close its database and waits for its end. */
  leave(): Promise<void>;
  kill(): Promise<void>;
  /** The exit code. */
  ended: Promise<number | null>;
};

type ProcessOptions = { project?: string; uid?: number; gid?: number };

/** A temporary folder for one test. Everything started in it is stopped and removed after the test. */
export type Scratch = {
  folder: string;
  /** Returns the path of a data folder that does not exist yet. */
  data(name?: string): string;
  /** Creates a data folder with a cluster but no running server, by a copy, which is faster than a first start. */
  preparedData(): Promise<string>;
  /** Opens a database, and closes it after the test if it is still open. */
  open(config: DatabaseConfig): Promise<Database>;
  /** Registers a step to run after the test. */
  onCleanUp(step: () => Promise<void>): void;
  startProcess(
    mode: "stay" | "write" | "rounds",
    config: DatabaseConfig,
    options?: ProcessOptions,
  ): Promise<DatabaseProcess>;
};

export const test = base.extend<{ scratch: Scratch }>({
  scratch: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "pawl-test-"));
    // Some tests run processes of other users in this folder.
    await chmod(folder, 0o755);
    const datas = new Set<string>();
    const cleanUpSteps: (() => Promise<void>)[] = [];
    const processes: DatabaseProcess[] = [];
    const databases: Database[] = [];
    await use({
      folder,
      data: (name = "data") => {
        const data = join(folder, name);
        datas.add(data);
        return data;
      },
      preparedData: async () => {
        const data = join(folder, "data");
        datas.add(data);
        await cp(await preparedCluster(), data, { recursive: true });
        return data;
      },
      open: async (config) => {
        const database = await openDatabase(config);
        databases.push(database);
        return database;
      },
      onCleanUp: (step) => cleanUpSteps.push(step),
      startProcess: async (mode, config, options = {}) => {
        const home = options.project ?? (await sharedProject());
        const started = await startDatabaseProcess(home, mode, config, options);
        processes.push(started);
        return started;
      },
    });
    for (const database of databases) await database.close();
    for (const started of processes) await started.kill();
    for (const data of datas) if (await isFolder(data)) await stopAbandonedServer(data);
    for (const step of cleanUpSteps.reverse()) await step();
    await rm(folder, { recursive: true, force: true });
  },
});

// Created once per test file, because no test changes them.
let prepared: Promise<string> | undefined;
let project: Promise<string> | undefined;

async function preparedCluster(): Promise<string> {
  prepared ??= (async () => {
    const data = await mkdtemp(join(tmpdir(), "pawl-test-prepared-"));
    const database = await openDatabase({ data, fsync: false });
    await database.close();
    return data;
  })();
  return prepared;
}

/** Returns a copy of the project that every user can read. */
async function sharedProject(): Promise<string> {
  project ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), "pawl-test-project-"));
    await chmod(folder, 0o755);
    return copyProject(folder, "copied");
  })();
  return project;
}

afterAll(async () => {
  for (const folder of [prepared, project])
    if (folder) await rm(await folder, { recursive: true, force: true });
});

/** Returns the process id of the server that runs on a data folder, if there is one. */
export async function serverOf(data: string): Promise<number | undefined> {
  return (await readPostmaster((await findClusterPaths(data)).cluster))?.pid;
}

async function startDatabaseProcess(
  project: string,
  mode: string,
  config: DatabaseConfig,
  { uid, gid }: ProcessOptions,
): Promise<DatabaseProcess> {
  const child = spawn(
    uid === undefined ? process.execPath : await nodeFor(uid, project),
    [join(project, "test/database/database-process.js"), mode, JSON.stringify(config)],
    {
      cwd: project,
      stdio: ["pipe", "pipe", "inherit"],
      ...(uid === undefined ? {} : { uid, gid: gid ?? uid }),
    },
  );
  const lines: string[] = [];
  const output = createInterface(child.stdout);
  output.on("line", (line) => lines.push(line));
  const ended = once(child, "close").then(([code]) => code as number | null);
  const waitForLine = async (prefix: string): Promise<string> => {
    for (;;) {
      const found = lines.find((line) => line.startsWith(prefix));
      if (found !== undefined) return found;
      const more = await Promise.race([once(output, "line").then(() => true), ended.then(() => false)]);
      if (!more && !lines.some((line) => line.startsWith(prefix))) {
        throw new Error(`The process ended without a line "${prefix}": ${lines.join(" | ")}`);
      }
    }
  };
  return {
    child,
    lines,
    waitForLine,
    ended,
    leave: async () => {
      child.stdin.write("leave\n");
      await waitForLine("closed");
      await ended;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Returns a Node binary that the user can run: a copy if the user cannot access this one. */
async function nodeFor(uid: number, project: string): Promise<string> {
  const probe = spawn(process.execPath, ["--version"], { uid, gid: uid, cwd: "/", stdio: "ignore" });
  const runs = await Promise.race([
    once(probe, "exit").then(([code]) => code === 0),
    once(probe, "error").then(() => false),
  ]);
  if (runs) return process.execPath;
  const copy = join(project, "node");
  await copyFile(process.execPath, copy);
  await chmod(copy, 0o755);
  return copy;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Returns where the cluster of a data folder is, if root had to store it elsewhere. */
export async function linkedCluster(data: string): Promise<string | undefined> {
  return readlink(join(data, "postgres")).catch(() => undefined);
}
