import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import { loadServer } from "../server/index.ts";
import { consoleOptions } from "./console-options.ts";
import { openPawl } from "./open-pawl.ts";
import type { Pawl, PawlOptions } from "./open-pawl.ts";
import { pluginSettings, resolvePlugins, serverPlugins } from "./plugins.ts";

/** A complete Pawl for tests: engine, API and console, on a free port. */
export type TestServer = {
  /** The address of the API and the console, such as `http://127.0.0.1:41234`. */
  url: string;
  /** The engine, for what the API does not show. */
  pawl: Pawl;
  /** A token of the admin. */
  token: string;
  /** A client that acts as the admin. */
  client: Client;
  /** Creates a member and returns a client with its token. */
  member(member: {
    id: string;
    roles?: string[];
    [field: string]: unknown;
  }): Promise<{ client: Client; token: string }>;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
};

/**
 * Starts Pawl for tests, on an embedded PostgreSQL in a temporary folder, or on the database at `url`. It runs no background
 * jobs: call `pawl.sweep()` to run due timers and the sweeps of plugins.
 *
 * ```ts
 * const server = await startTestServer({ plugins: [invoices] });
 * const { client } = await server.member({ id: "ann", roles: ["accountant"] });
 * const task = await client.lifecycle(invoices.lifecycle).create({ … });
 * expect(task.status).toBe("received");
 * await server.stop();
 * ```
 */
export async function startTestServer(options: PawlOptions = {}): Promise<TestServer> {
  const opened: Close[] = [];
  try {
    return await open(options, opened);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

type Close = () => Promise<unknown>;

async function open(options: PawlOptions, opened: Close[]): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-test-"));
  opened.push(() => rm(folder, { recursive: true, force: true }));
  const times = { sweepSeconds: 0, reconcileSeconds: 0, inboxSeconds: 0, insightsSeconds: 0 };
  const pawl = await openPawl({ data: folder, fsync: false, ...times, ...options });
  opened.push(() => pawl.close());
  const plugins = resolvePlugins(options.plugins ?? []);
  const { buildServer } = await loadServer();
  const server = await buildServer({
    engine: pawl.engine,
    directory: pawl.directory,
    version: "test",
    plugins: serverPlugins(plugins, pluginSettings(plugins, options.settings)),
    console: consoleOptions(plugins),
  });
  opened.push(() => server.close());
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const token = await pawl.directory.resetAdmin("main");
  const client = createClient({ url, token });
  return {
    url,
    pawl,
    token,
    client,
    member: async (member) => {
      await pawl.createMember(member);
      const issued = await client.createToken({ id: member.id });
      return { token: issued.token, client: createClient({ url, token: issued.token }) };
    },
    stop: () => closeAll(opened),
  };
}

/** Closes in reverse order of opening. */
async function closeAll(opened: Close[]): Promise<void> {
  for (let close = opened.pop(); close; close = opened.pop()) await close();
}
