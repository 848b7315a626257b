import { afterAll } from "vitest";
import { emptyDatabase, scratchData, startPawl } from "../http/running-pawl.ts";
import type { RunningPawl } from "../http/running-pawl.ts";
import { pawl } from "./pawl-process.ts";
import type { RunResult } from "./pawl-process.ts";

type RunOptions = { env?: Record<string, string>; cwd?: string; token?: string };

export type CliAtServer = {
  server: RunningPawl;
  admin: string;
  databaseUrl: string;
  data: string;
  /** Runs the real command line against the server, by default as the admin. */
  cli: (line: string | readonly string[], options?: RunOptions) => Promise<RunResult>;
  /** Runs it with --json and parses the output; throws if the exit code is not 0. */
  ask: <T = Record<string, unknown>>(line: string | readonly string[], options?: RunOptions) => Promise<T>;
  /** Adds a member and returns a token for it. */
  member: (id: string, ...more: string[]) => Promise<string>;
  /** Creates a task on the board and returns its id. */
  task: (title: string) => Promise<string>;
};

/** Starts a server for the test file, on real PostgreSQL and in its own process. */
export async function openCliAtServer(): Promise<CliAtServer> {
  const databaseUrl = await emptyDatabase({ until: afterAll });
  const data = await scratchData({ until: afterAll });
  const admin = "token-of-the-admin";
  const server = await startPawl(["--port", "0", "--data", data], {
    env: { DATABASE_URL: databaseUrl, PAWL_ADMIN_TOKEN: admin },
    until: afterAll,
  });
  const cli: CliAtServer["cli"] = (line, { env = {}, cwd, token = admin } = {}) =>
    pawl(typeof line === "string" ? line.split(" ") : line, {
      env: { PAWL_URL: server.address, PAWL_TOKEN: token, ...env },
      ...(cwd === undefined ? {} : { cwd }),
    });
  const ask = async <T>(line: string | readonly string[], options?: RunOptions) => {
    const args = [...(typeof line === "string" ? line.split(" ") : line), "--json"];
    const { code, stdout, stderr } = await cli(args, options);
    if (code !== 0) throw new Error(`pawl ${args.join(" ")} ended with ${String(code)}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  return {
    server,
    admin,
    databaseUrl,
    data,
    cli,
    ask,
    member: async (id, ...more) => {
      await ask(["members", "add", id, ...more]);
      const { token } = await ask<{ token: string }>(["tokens", "create", id]);
      return token;
    },
    task: async (title) => {
      const task = await ask<{ id: string }>(["tasks", "create", "board", `title=${title}`, "description=d"]);
      return task.id;
    },
  };
}
