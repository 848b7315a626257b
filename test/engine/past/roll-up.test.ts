// The figures of the roll-up job equal those added up from the journal, for random histories on two nodes.
// PAWL_HISTORY_SEED sets the seed of the first history; the name of a test has its seed.
import { fork } from "node:child_process";
import { once } from "node:events";
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../../src/postgres/connect.ts";
import { until } from "../../support/until.ts";
import { rollUpOrg } from "../../../src/engine/upkeep/roll-up.ts";
import { DAY_MS, openPastWorld } from "./past-world.ts";

const FIRST_SEED = Number(process.env.PAWL_HISTORY_SEED ?? randomInt(1_000_000_000));
const world = await openPastWorld();
const { engine, sql } = world;
const second = world.node();

/** A small generator of pseudo-random numbers (mulberry32), so that a seed repeats a history. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Rolls up on both nodes at once, in small batches, until nothing is left. */
async function rollUp(org_id: string, random: () => number): Promise<void> {
  const batch = 1 + Math.floor(random() * 60);
  for (let events = 1; events > 0;) {
    const done = await Promise.all([
      engine.past.rollUp({ org_id, batch }),
      second.past.rollUp({ org_id, batch: batch + 7 }),
    ]);
    events = done[0] + done[1];
  }
}

test.each([0, 1, 2].map((n) => FIRST_SEED + n))("history with seed %i", async (seed) => {
  const random = generator(seed);
  const org_id = await world.newOrg();
  const now = Date.now();
  await world.play(org_id, random, { from: now - 390 * DAY_MS, to: now - 90 * DAY_MS });
  await rollUp(org_id, random);
  await world.play(org_id, random, { from: now - 30 * DAY_MS, to: now - DAY_MS / 2 });
  const ids = await world.tasks(org_id);
  const some = ids.filter(() => random() < 0.2);
  for (const id of some) await world.restrict(org_id, id, ["ann"]);
  // The work of the jobs and new moves overlap.
  await Promise.all([world.play(org_id, random), rollUp(org_id, random)]);
  for (const id of some.filter(() => random() < 0.5)) await world.restrict(org_id, id, null);
  await rollUp(org_id, random);

  const expected = await world.expected(org_id);
  expect(await world.stored(org_id)).toEqual(expected);
  for (const rows of Object.values(expected)) expect(rows.length).toBeGreaterThan(3);
  expect(expected.flow!.some((row) => / (waiting|inside|resting) -: /.test(row))).toBe(true);
  expect(expected.flow!.some((row) => / - (waiting|inside|resting)/.test(row))).toBe(true);
});

test("pruning does not change figures, and waits for events that are not counted yet", async () => {
  const random = generator(FIRST_SEED);
  const org_id = await world.newOrg();
  await world.play(org_id, random);
  const expected = await world.expected(org_id);
  // Nothing is counted any more, and nothing can be, because another node has locked the figures.
  await engine.past.rollUp({ org_id, batch: 1 });
  await sql`update pawl.insight_progress set position = 0 where org_id = ${org_id}`;
  await sql`delete from pawl.insight_flow where org_id = ${org_id}`;
  await sql`delete from pawl.insight_stay where org_id = ${org_id}`;
  await sql`delete from pawl.insight_finish where org_id = ${org_id}`;
  await sql`delete from pawl.insight_level where org_id = ${org_id}`;
  await sql.begin(async (tx) => {
    await tx`select from pawl.insight_progress where org_id = ${org_id} for update`;
    const exported: string[] = [];
    const onExport = (line: string) => void exported.push(line);
    const blocked = await second.prune({ org_id, before: Date.now() + DAY_MS, onExport });
    expect(blocked.pruned).toBe(0);
    expect(exported).toEqual([]);
  });
  const pruned = await second.prune({ org_id, before: Date.now() + DAY_MS });
  expect(pruned.pruned).toBeGreaterThan(0);
  expect(await world.stored(org_id)).toEqual(expected);
  await engine.past.rollUp({ org_id });
  expect(await world.stored(org_id)).toEqual(expected);
});

test("a run ends although new events arrive while it counts", async () => {
  const org_id = await world.newOrg();
  await world.play(org_id, generator(FIRST_SEED));
  let runs = 0;
  const events = await rollUpOrg(async (work) => {
    if (++runs > 2) throw new Error("the run goes on");
    const answer = await engine.transaction(work);
    await world.play(org_id, generator(FIRST_SEED));
    return answer;
  }, org_id);
  expect(events).toBeGreaterThan(0);
});

test("an org whose figures cannot be written does not stop those after it", async () => {
  const failing = await world.newOrg();
  const other = await world.newOrg();
  for (const org_id of [failing, other]) await world.play(org_id, generator(FIRST_SEED));
  await sql.unsafe(`
    create function public.fail_org() returns trigger language plpgsql as $$
    begin
      if new.org_id = '${failing}' then raise exception 'no figures today'; end if;
      return new;
    end $$;
    create trigger fail_org before insert on pawl.insight_level for each row execute function public.fail_org()`);
  await expect(engine.past.rollUp()).rejects.toThrow("no figures today");
  expect(await world.stored(other)).toEqual(await world.expected(other));
  await sql`drop trigger fail_org on pawl.insight_level`;
  await engine.past.rollUp();
  expect(await world.stored(failing)).toEqual(await world.expected(failing));
});

test("a node that is killed while it counts loses and repeats nothing", async () => {
  const org_id = await world.newOrg();
  await world.play(org_id, generator(FIRST_SEED));
  // The process waits in the middle of its second transaction.
  const gate = connect(world.url, { maxConnections: 1 });
  onTestFinished(() => gate.end({ timeout: 5 }));
  await sql.unsafe(`
    create function public.wait_at_gate() returns trigger language plpgsql as $$
    begin
      if current_setting('application_name') = 'killed node'
        and exists (select from pawl.insight_progress p where p.org_id = '${org_id}' and p.position > 0)
      then perform pg_advisory_xact_lock_shared(815); end if;
      return null;
    end $$;
    create trigger wait_at_gate after insert on pawl.insight_level for each statement execute function public.wait_at_gate()`);
  await gate`select pg_advisory_lock(815)`;
  const program = fileURLToPath(new URL("./roll-up-process.ts", import.meta.url));
  const child = fork(program, [world.url, org_id], { execArgv: ["--import", "tsx"] });
  const exited = once(child, "exit");
  const waits = async () =>
    (await sql`select from pg_locks where locktype = 'advisory' and objid = 815 and not granted`).length > 0;
  await until(waits);
  expect(await second.past.rollUp({ org_id })).toBe(0);
  child.kill("SIGKILL");
  await exited;
  await gate`select pg_advisory_unlock(815)`;
  await until(
    async () => (await sql`select from pg_stat_activity where application_name = 'killed node'`).length === 0,
  );
  expect(await second.past.rollUp({ org_id })).toBeGreaterThan(0);
  expect(await world.stored(org_id)).toEqual(await world.expected(org_id));
});
