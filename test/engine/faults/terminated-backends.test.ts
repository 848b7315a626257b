// Fails if rule 1 (one transaction) or rule 10 (a lost connection is reopened, an unknown commit is resolved) is broken.
import { afterAll, expect, test } from "vitest";
import { connect } from "../../../src/postgres/connect.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";
import { openTestEngine } from "../test-engine.ts";
import { expectNothingLostOrRepeated, Load } from "./load.ts";
import { expectIntegrity } from "./nodes.ts";

const env = await openTestEngine({ retryTimeoutMs: WAIT_LIMIT_MS });
const killer = connect(env.url, { maxConnections: 1, applicationName: "killer" });
afterAll(() => killer.end({ timeout: 5 }));

async function terminateAll(): Promise<number> {
  const ended = await killer`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'pawl'`;
  return ended.length;
}

test("the backends of 160 callers are terminated repeatedly: nothing is lost, nothing happens twice", async () => {
  const load = new Load(env.engine);
  // Enough callers that both lanes of the queue have batches.
  load.start(160);
  let terminated = 0;
  for (let round = 0; round < 150; round++) {
    await load.more(40);
    terminated += await terminateAll();
  }
  await load.stop();
  expect(terminated).toBeGreaterThan(150);
  expect(load.unavailable).toBe(0);
  await expectNothingLostOrRepeated(load, env.sql);
  await expectIntegrity(env);
});
