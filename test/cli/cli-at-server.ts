import { afterAll } from "vitest";
import { emptyDatabase, scratchData, startPawl } from "../http/running-pawl.ts";
import type { RunningPawl } from "../http/running-pawl.ts";
import { pawl } from "./pawl-process.ts";
import type { Ran } from "./pawl-process.ts";

type Way = { env?: Record<string, string>; cwd?: string; token?: string };

export type CliAtServer = {
  server: RunningPawl;
  admin: string;
  databaseUrl: string;
  data: string;
  /** Runs the real command line against the server, as the admin unless told otherwise. */
  cli(line: string | readonly string[], way?: Way): Promise<Ran>;
  /** The same with --json, read; fails where the exit code is not 0. */
  ask<T = Record<string, unknown>>(line: string | readonly string[], way?: Way): Promise<T>;
  /** A new member, and a token of his. */
  member(id: string, ...more: string[]): Promise<string>;
  /** A new task of the board. */
  task(title: string): Promise<string>;
};

/** A server of the test file's own, on real PostgreSQL, in a process of its own. */
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
  const ask = async <T>(line: string | readonly string[], way?: Way) => {
    const args = [...(typeof line === "string" ? line.split(" ") : line), "--json"];
    const { code, stdout, stderr } = await cli(args, way);
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
      const made = await ask<{ id: string }>(["tasks", "create", "board", `title=${title}`, "description=d"]);
      return made.id;
    },
  };
}
