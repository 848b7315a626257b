import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, cp, mkdtemp, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, test as base } from "vitest";
import { openDatabase, type Database, type DatabaseConfig } from "../../src/postgres/open-database.ts";
import { readPostmaster } from "../../src/postgres/postmaster.ts";
import { findPlace } from "../../src/postgres/cluster.ts";
import { stopAbandonedServer } from "../support/abandoned-server.ts";
import { copyProject } from "./project-copy.ts";

export const IS_ROOT = process.getuid?.() === 0;

/** A process that opens a database, and what it has said. */
export type Visitor = {
  child: ChildProcess;
  lines: string[];
  /** The first line that begins so, said already or yet to come; fails when the process ends without it. */
  says(beginning: string): Promise<string>;
  leave(): Promise<void>;
  kill(): Promise<void>;
  /** The code it ended with. */
  ended: Promise<number | null>;
};

type VisitorOptions = { project?: string; uid?: number; gid?: number };

/** A temporary folder with all that a test starts in it; afterwards nothing of it is left. */
export type Scratch = {
  folder: string;
  /** A data folder that is not there yet. */
  data(name?: string): string;
  /** A data folder with a cluster and no server, as a closed database leaves it; a copy, which takes less time than a first start. */
  preparedData(): Promise<string>;
  /** Opens a database, and closes it at the latest when the test is over, also if it fails. */
  open(config: DatabaseConfig): Promise<Database>;
  /** What else must be undone afterwards. */
  cleanUp(undo: () => Promise<void>): void;
  visitor(
    mode: "stay" | "write" | "rounds",
    config: DatabaseConfig,
    options?: VisitorOptions,
  ): Promise<Visitor>;
};

export const test = base.extend<{ scratch: Scratch }>({
  scratch: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), "pawl-test-"));
    // Other users run in here, too.
    await chmod(folder, 0o755);
    const datas = new Set<string>();
    const undos: (() => Promise<void>)[] = [];
    const visitors: Visitor[] = [];
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
      cleanUp: (undo) => undos.push(undo),
      visitor: async (mode, config, options = {}) => {
        const home = options.project ?? (await sharedProject());
        const visitor = await startVisitor(home, mode, config, options);
        visitors.push(visitor);
        return visitor;
      },
    });
    for (const database of databases) await database.close();
    for (const visitor of visitors) await visitor.kill();
    for (const data of datas) if (await isFolder(data)) await stopAbandonedServer(data);
    for (const undo of undos.reverse()) await undo();
    await rm(folder, { recursive: true, force: true });
  },
});

// What many tests of a file need and none of them changes is made once.
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

/** A copy of the project that every user can read. */
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

/** The process id of the server that runs on a data folder, if one does. */
export async function serverOf(data: string): Promise<number | undefined> {
  return (await readPostmaster((await findPlace(data)).cluster))?.pid;
}

async function startVisitor(
  project: string,
  mode: string,
  config: DatabaseConfig,
  { uid, gid }: VisitorOptions,
): Promise<Visitor> {
  const child = spawn(
    uid === undefined ? process.execPath : await nodeFor(uid, project),
    [join(project, "test/database/visitor.js"), mode, JSON.stringify(config)],
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
  const says = async (beginning: string): Promise<string> => {
    for (;;) {
      const found = lines.find((line) => line.startsWith(beginning));
      if (found !== undefined) return found;
      const more = await Promise.race([once(output, "line").then(() => true), ended.then(() => false)]);
      if (!more && !lines.some((line) => line.startsWith(beginning))) {
        throw new Error(`The process ended without "${beginning}": ${lines.join(" | ")}`);
      }
    }
  };
  return {
    child,
    lines,
    says,
    ended,
    leave: async () => {
      child.stdin.write("leave\n");
      await says("closed");
      await ended;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Node itself may lie where another user cannot run it; then he gets a copy. */
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

/** Where a data folder's cluster is kept instead, if root had to put it elsewhere. */
export async function linkedHome(data: string): Promise<string | undefined> {
  return readlink(join(data, "postgres")).catch(() => undefined);
}
