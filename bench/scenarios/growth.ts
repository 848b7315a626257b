import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "../../src/postgres/connect.ts";
import type { ContenderProcess } from "../contender-process.ts";
import type { Params } from "../contender.ts";
import { count, median, times } from "../report.ts";
import type { Aim, Report } from "../report.ts";
import type { Environment } from "../environment.ts";
import { multiplyTasks } from "./multiply-tasks.ts";

type Database = { child: ContenderProcess; sql: Sql; url: string };
type Measure = {
  name: string;
  workload: string;
  params: Params;
  ready?: (database: Database) => Promise<void>;
};

const DUE = 400;
const MAX_COST_RATIO = 1.5;

const MEASURES: readonly Measure[] = [
  { name: "claim of 100", workload: "claim", params: { claims: 4, batch: 100 } },
  { name: "claim of 1", workload: "claim", params: { claims: 20, batch: 1 } },
  { name: `sweep of ${DUE} due`, workload: "sweep", params: { sweeps: 1 }, ready: expireTimers },
  { name: "sweep with nothing due", workload: "sweep", params: { sweeps: 50 } },
];

/** Cost of a claim and of a sweep with many finished and waiting tasks, compared with few. */
export async function growth(env: Environment): Promise<Report> {
  const few = { finished: 10_000, waiting: 10_000 };
  const many = env.quick ? { finished: 100_000, waiting: 20_000 } : { finished: 1_000_000, waiting: 100_000 };
  const small = await build(env, few);
  const large = await build(env, many);
  const costs = await measure(env, small, large);
  await Promise.all([small, large].map(({ child }) => child.stop()));
  const probes = await probesOfIdleSweep(env, large);

  const describe = ({ finished, waiting }: typeof few) =>
    `${count(finished)} finished, ${count(waiting)} waiting`;
  return {
    title: "Cost as the number of tasks grows",
    table: [
      ["", describe(few), describe(many), "ratio"],
      ...costs.map(({ name, smallCost, largeCost }) => [
        name,
        ms(smallCost),
        ms(largeCost),
        times(largeCost / smallCost),
      ]),
    ],
    aims: [
      ...costs.map(({ name, smallCost, largeCost }) => aimOf(name, largeCost / smallCost)),
      {
        text: "A sweep with nothing due is one index probe",
        figure: `${probes.index.toFixed(2)} index probes, ${probes.entries.toFixed(2)} entries read, ${probes.scans.toFixed(2)} table scans`,
        met: Math.round(probes.index) === 1 && probes.entries < 1 && probes.scans < 1,
      },
    ],
    notes: ["One org. Medians of alternating rounds."],
  };
}

async function build(env: Environment, copies: { finished: number; waiting: number }): Promise<Database> {
  env.log(`filling a database with ${count(copies.finished + copies.waiting)} tasks`);
  const { child, url } = await env.startPawl();
  await child.run("churn", { tasks: 1 });
  await child.run("fill", { tasks: 1 });
  const sql = env.connect(url);
  await multiplyTasks(sql, copies);
  return { child, sql, url };
}

async function measure(env: Environment, small: Database, large: Database) {
  const costs = MEASURES.map(({ name }) => ({ name, smallCost: [] as number[], largeCost: [] as number[] }));
  const rounds = env.quick ? 5 : 11;
  for (let round = 0; round <= rounds; round++) {
    env.log(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    for (const [index, { workload, params, ready }] of MEASURES.entries()) {
      const cost = costs[index] as (typeof costs)[number];
      for (const database of round % 2 === 0 ? [small, large] : [large, small]) {
        await ready?.(database);
        const { seconds, done, figures } = await database.child.run(workload, params);
        if (ready && figures?.moved !== DUE)
          throw new Error(`the sweep moved ${figures?.moved ?? 0} tasks instead of ${DUE}`);
        if (round > 0) (database === small ? cost.smallCost : cost.largeCost).push(seconds / done);
      }
    }
  }
  return costs.map(({ name, smallCost, largeCost }) => ({
    name,
    smallCost: median(smallCost),
    largeCost: median(largeCost),
  }));
}

/** Makes some claimed tasks overdue. */
async function expireTimers({ sql }: Database): Promise<void> {
  await sql`
    update pawl.task t set due_at = now() - interval '1 second', attempt = 0,
      leased_at = t.leased_at - interval '1 hour', lease_until = t.lease_until - interval '1 hour'
    where (t.org_id, t.id) in (
      select w.org_id, w.id from pawl.task w where w.status = 'taken' limit ${DUE})`;
}

type Counters = { index: number; entries: number; scans: number };

/** Returns the scans per sweep: those of a process that sweeps often, minus those of one that does not sweep. */
async function probesOfIdleSweep(env: Environment, { sql, url }: Database): Promise<Counters> {
  const sweeps = 100;
  const countedWith = async (params: Params): Promise<Counters> => {
    await waitUntilAlone(sql);
    const before = await readCounters(sql);
    const { child } = await env.startPawl({ url });
    await child.run("sweep", params);
    await child.stop();
    await waitUntilAlone(sql);
    return subtract(await readCounters(sql), before);
  };
  // The first scan removes index entries of deleted rows, which would be counted.
  await countedWith({ sweeps: 1 });
  const none = await countedWith({ sweeps: 0 });
  const { index, entries, scans } = subtract(await countedWith({ sweeps }), none);
  return { index: index / sweeps, entries: entries / sweeps, scans: scans / sweeps };
}

function subtract(a: Counters, b: Counters): Counters {
  return { index: a.index - b.index, entries: a.entries - b.entries, scans: a.scans - b.scans };
}

async function readCounters(sql: Sql): Promise<Counters> {
  // Flush this connection's own statistics now, so that they do not appear later.
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<[Counters]>`
    select sum(i.idx_scan)::float8 as index, sum(i.idx_tup_read)::float8 as entries,
      (select t.seq_scan from pg_stat_user_tables t where t.relid = 'pawl.task'::regclass)::float8 as scans
    from pg_stat_user_indexes i where i.relid = 'pawl.task'::regclass`;
  return row;
}

/** Waits until no other backend is connected: a backend flushes its statistics when it ends at the latest. */
async function waitUntilAlone(sql: Sql): Promise<void> {
  for (;;) {
    const others = await sql`
      select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
    if (others.length === 0) return;
    await pause(20);
  }
}

function aimOf(name: string, ratio: number): Aim {
  return {
    text: `A ${name} costs at most ${MAX_COST_RATIO} × as much`,
    figure: times(ratio),
    met: ratio <= MAX_COST_RATIO,
  };
}

function ms(seconds: number): string {
  return `${(seconds * 1000).toFixed(2)} ms`;
}
