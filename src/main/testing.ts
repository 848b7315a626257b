import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../client/index.ts";
import type { Client } from "../client/index.ts";
import { buildServer } from "../server/index.ts";
import { consoleOptions } from "./console-options.ts";
import { openPawl } from "./open-pawl.ts";
import type { Pawl, PawlOptions } from "./open-pawl.ts";
import { pluginSettings, serverPlugins, withBuiltIn } from "./plugins.ts";

/** A whole Pawl for tests: engine, API and console on a port of its own. */
export type TestServer = {
  url: string;
  /** The engine behind it, for what the API does not show. */
  pawl: Pawl;
  /** The admin's token and client. */
  token: string;
  client: Client;
  /** Creates a member and gives a client with a token of the member. */
  member(member: {
    id: string;
    roles?: string[];
    [field: string]: unknown;
  }): Promise<{ client: Client; token: string }>;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
};

/**
 * Starts Pawl for tests, on an embedded PostgreSQL in a temporary folder or on the database at `url`. Nothing runs in the
 * background: call `pawl.sweep()` where a test needs timers.
 *
 * ```ts
 * const server = await startTestServer({ lifecycles: [invoices] });
 * const { client } = await server.member({ id: "ann", roles: ["accountant"] });
 * await client.lifecycle(invoices.lifecycle).create({ … });
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
  const times = { sweepSeconds: 0, reconcileSeconds: 0 };
  const pawl = await openPawl({ data: folder, fsync: false, ...times, ...options });
  opened.push(() => pawl.close());
  const plugins = withBuiltIn(options.lifecycles ?? []);
  const server = await buildServer({
    engine: pawl,
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

/** Closes what was opened last first. */
async function closeAll(opened: Close[]): Promise<void> {
  for (let close = opened.pop(); close; close = opened.pop()) await close();
}
