// Fails if rule 10 (a lost connection is reopened, an unknown commit is resolved) is broken.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { findClusterPaths } from "../../../src/postgres/cluster.ts";
import { openDatabase } from "../../../src/postgres/open-database.ts";
import { readPostmaster } from "../../../src/postgres/postmaster.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { createOrg } from "../../../src/engine/directory/members.ts";
import { migrate } from "../../../src/engine/upkeep/migrate.ts";
import { registerLifecycles } from "../../../src/engine/upkeep/register-lifecycles.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { migrationSources } from "../../../src/main/plugins.ts";
import { expectNothingLostOrRepeated, Load } from "./load.ts";
import { expectIntegrity } from "./nodes.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";

const data = await mkdtemp(join(tmpdir(), "pawl-restart-"));
const database = await openDatabase({ data, fsync: true });
const { sql } = database;
await migrate(sql, { sources: migrationSources(PLUGINS) });
await registerLifecycles(sql, PLUGINS);
await createOrg(sql, "main");
const engine = new Engine(sql, PLUGINS, { retryTimeoutMs: WAIT_LIMIT_MS });

afterAll(async () => {
  await database.close();
  await rm(data, { recursive: true, force: true });
});

async function server(): Promise<{ pid: number; status: string } | undefined> {
  return readPostmaster((await findClusterPaths(data)).cluster);
}

/** Sends a signal to the server, and returns its process id. */
async function signalServer(signal: NodeJS.Signals): Promise<number> {
  const { pid } = await vi.waitUntil(server, { timeout: WAIT_LIMIT_MS, interval: 5 });
  process.kill(pid, signal);
  return pid;
}

// SIGINT ends all sessions and writes a checkpoint; SIGQUIT ends at once, and the next start runs crash recovery.
const SIGNALS = ["SIGINT", "SIGQUIT", "SIGINT", "SIGQUIT", "SIGINT", "SIGQUIT"] as const;

test("PostgreSQL is stopped and started while thirty-two callers work: nothing is lost, nothing happens twice", async () => {
  const load = new Load(engine);
  load.start(32);
  for (const signal of SIGNALS) {
    await load.more(200);
    const before = await signalServer(signal);
    // The process that has the database open restarts it at the same address.
    await vi.waitUntil(
      async () => {
        const now = await server();
        return now?.status === "ready" && now.pid !== before;
      },
      { timeout: WAIT_LIMIT_MS, interval: 5 },
    );
  }
  await load.more(200);
  await load.stop();
  expect(load.unavailable).toBe(0);
  await expectNothingLostOrRepeated(load, sql);
  await expectIntegrity({ engine, sql });
});

test("callers of an unavailable database get an error in time, and are served when it is back", async () => {
  const impatient = new Engine(sql, PLUGINS, { retryTimeoutMs: 0 });
  const load = new Load(impatient);
  load.start(8);
  await load.more(50);
  await signalServer("SIGINT");
  await vi.waitUntil(() => load.unavailable > 0, { timeout: WAIT_LIMIT_MS, interval: 5 });
  await vi.waitUntil(async () => (await server())?.status === "ready", {
    timeout: WAIT_LIMIT_MS,
    interval: 5,
  });
  await load.more(400);
  await load.stop();
  await expectIntegrity({ engine, sql });
});
