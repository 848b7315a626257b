import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { BUILT_PAWL } from "../support/built-pawl.ts";
import { stopAbandonedServer } from "../support/abandoned-server.ts";
import { testDatabases } from "../support/postgres.ts";
import { replyOf } from "./test-server.ts";
import type { Reply } from "./test-server.ts";

/** A server in a process of its own. */
export type RunningPawl = {
  child: ChildProcess;
  /** The first line of its output. */
  line: string;
  address: string;
  ask(what: string, token: string | null, body?: object, headers?: Record<string, string>): Promise<Reply>;
  /** Sends a signal and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  ended: Promise<number | null>;
  /** Returns the log so far. */
  log(): string;
  /** Returns the standard output so far. */
  output(): string;
};

/** Registers a cleanup: `onTestFinished` (the default) or `afterAll`. */
type Until = { until?: (end: () => Promise<void>) => void };

/** Starts `pawl start`, and stops it when the test is over. */
export async function startPawl(
  args: readonly string[],
  {
    cwd = tmpdir(),
    env = {},
    program = [...BUILT_PAWL, "start"],
    until = onTestFinished,
  }: { cwd?: string; env?: Record<string, string>; program?: readonly string[] } & Until = {},
): Promise<RunningPawl> {
  const child = spawn(process.execPath, [...program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, PAWL_LOG_LEVEL: "warn", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const ended = once(child, "close").then(([code]) => code as number | null);
  until(async () => {
    if (child.exitCode === null) child.kill("SIGKILL");
    await ended;
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("\n")) resolve(output.slice(0, output.indexOf("\n")));
    });
    void ended.then((code) => {
      reject(new Error(`ended with ${String(code)}: ${errors}`));
    });
  });
  const [address = ""] = /http:\/\/[^\s;]+/.exec(line) ?? [];
  return {
    child,
    line,
    address,
    ended,
    log: () => errors,
    output: () => output,
    ask: async (what, token, body, headers = {}) => {
      const [method = "", path = ""] = what.split(" ");
      const response = await fetch(address + path, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body ? { "content-type": "application/json" } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return replyOf(response);
    },
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Creates a folder that is removed after the test, together with a database server that runs in it. */
export async function scratchData({ until = onTestFinished }: Until = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-start-"));
  until(async () => {
    await stopAbandonedServer(join(folder, "data")).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  });
  return join(folder, "data");
}

/** Creates an empty database on the PostgreSQL of the test run. */
export async function emptyDatabase({ until = onTestFinished }: Until = {}): Promise<string> {
  const databases = testDatabases(inject("postgresUrl"));
  const database = await databases.createDatabase();
  until(async () => {
    await database.drop();
    await databases.close();
  });
  return database.url;
}
