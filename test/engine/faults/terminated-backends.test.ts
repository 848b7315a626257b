// Breaking rule 1 (one transaction) or rule 10 (a lost connection is re-made, an unknown commit is settled) fails here.
import { afterAll, expect, test } from "vitest";
import { connect } from "../../../src/postgres/connect.ts";
import { WAIT_LIMIT_MS } from "../../support/wait-limit.ts";
import { openDesk } from "../desk.ts";
import { expectKept, Load } from "./load.ts";
import { expectSound } from "./nodes.ts";

const desk = await openDesk({ patienceMs: WAIT_LIMIT_MS });
const killer = connect(desk.url, { maxConnections: 1, applicationName: "killer" });
afterAll(() => killer.end({ timeout: 5 }));

async function terminateAll(): Promise<number> {
  const ended = await killer`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'pawl'`;
  return ended.length;
}

test("the backends of a hundred and sixty callers are terminated again and again: nothing is lost, nothing happens twice", async () => {
  const load = new Load(desk.engine);
  // Enough that batches are shared out among lanes.
  load.start(160);
  let terminated = 0;
  for (let round = 0; round < 150; round++) {
    await load.more(40);
    terminated += await terminateAll();
  }
  await load.stop();
  expect(terminated).toBeGreaterThan(150);
  expect(load.unavailable).toBe(0);
  await expectKept(load, desk.sql);
  await expectSound(desk);
});
