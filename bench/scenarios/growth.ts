import { setTimeout as pause } from "node:timers/promises";
import type { Sql } from "../../src/postgres/connect.ts";
import type { Contestant } from "../contestant.ts";
import type { Terms } from "../contender.ts";
import { count, median, times } from "../report.ts";
import type { Aim, Report } from "../report.ts";
import type { Stage } from "../stage.ts";
import { multiplyTasks } from "./multiply-tasks.ts";

type House = { contestant: Contestant; sql: Sql; url: string };
type Measure = { name: string; bout: string; terms: Terms; ready?: (house: House) => Promise<void> };

const DUE = 400;
const MOST_TIMES_DEARER = 1.5;

const MEASURES: readonly Measure[] = [
  { name: "claim of 100", bout: "claim", terms: { claims: 4, batch: 100 } },
  { name: "claim of 1", bout: "claim", terms: { claims: 20, batch: 1 } },
  { name: `sweep of ${DUE} due`, bout: "sweep", terms: { sweeps: 1 }, ready: letTimersRunOut },
  { name: "sweep of nothing due", bout: "sweep", terms: { sweeps: 50 } },
];

/** What a claim and a sweep cost where much is finished and much waits, beside what they cost where little is. */
export async function growth(stage: Stage): Promise<Report> {
  const few = { finished: 10_000, waiting: 10_000 };
  const many = stage.quick
    ? { finished: 100_000, waiting: 20_000 }
    : { finished: 1_000_000, waiting: 100_000 };
  const small = await build(stage, few);
  const large = await build(stage, many);
  const costs = await measure(stage, small, large);
  await Promise.all([small, large].map(({ contestant }) => contestant.stop()));
  const probes = await probesOfIdleSweep(stage, large);

  const words = ({ finished, waiting }: typeof few) =>
    `${count(finished)} finished, ${count(waiting)} waiting`;
  return {
    title: "Cost as work grows",
    table: [
      ["", words(few), words(many), "dearer"],
      ...costs.map(({ name, cheap, dear }) => [name, ms(cheap), ms(dear), times(dear / cheap)]),
    ],
    aims: [
      ...costs.map(({ name, cheap, dear }) => aimOf(name, dear / cheap)),
      {
        text: "A sweep with nothing due is one index probe",
        figure: `${probes.index.toFixed(2)} probes of the tasks' indexes, ${probes.entries.toFixed(2)} entries read, ${probes.whole.toFixed(2)} scans of the table`,
        met: Math.round(probes.index) === 1 && probes.entries < 1 && probes.whole < 1,
      },
    ],
    notes: ["One org. Medians of alternating rounds."],
  };
}

async function build(stage: Stage, copies: { finished: number; waiting: number }): Promise<House> {
  stage.tell(`filling a database with ${count(copies.finished + copies.waiting)} tasks`);
  const { contestant, url } = await stage.enterPawl();
  await contestant.do("churn", { tasks: 1 });
  await contestant.do("fill", { tasks: 1 });
  const sql = stage.connect(url);
  await multiplyTasks(sql, copies);
  return { contestant, sql, url };
}

async function measure(stage: Stage, small: House, large: House) {
  const costs = MEASURES.map(({ name }) => ({ name, cheap: [] as number[], dear: [] as number[] }));
  const rounds = stage.quick ? 5 : 11;
  for (let round = 0; round <= rounds; round++) {
    stage.tell(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    for (const [place, { bout, terms, ready }] of MEASURES.entries()) {
      const cost = costs[place] as (typeof costs)[number];
      for (const house of round % 2 === 0 ? [small, large] : [large, small]) {
        await ready?.(house);
        const { seconds, done, figures } = await house.contestant.do(bout, terms);
        if (ready && figures?.moved !== DUE)
          throw new Error(`the sweep moved ${figures?.moved ?? "nothing"}`);
        if (round > 0) (house === small ? cost.cheap : cost.dear).push(seconds / done);
      }
    }
  }
  return costs.map(({ name, cheap, dear }) => ({ name, cheap: median(cheap), dear: median(dear) }));
}

/** Some that are taken have been silent for too long. */
async function letTimersRunOut({ sql }: House): Promise<void> {
  await sql`
    update pawl.task t set due_at = now() - interval '1 second', attempt = 0,
      leased_at = t.leased_at - interval '1 hour', lease_until = t.lease_until - interval '1 hour'
    where (t.org_id, t.id) in (
      select w.org_id, w.id from pawl.task w where w.status = 'taken' limit ${DUE})`;
}

type Counters = { index: number; entries: number; whole: number };

/** What the server counted per sweep: in a process that did many, less what it counted in one that did none. */
async function probesOfIdleSweep(stage: Stage, { sql, url }: House): Promise<Counters> {
  const sweeps = 100;
  const countedWith = async (terms: Terms): Promise<Counters> => {
    await untilAlone(sql);
    const before = await readCounters(sql);
    const { contestant } = await stage.enterPawl({ url });
    await contestant.do("sweep", terms);
    await contestant.stop();
    await untilAlone(sql);
    return less(await readCounters(sql), before);
  };
  // Whoever comes first clears away index entries of rows that are gone, and is counted for it.
  await countedWith({ sweeps: 1 });
  const none = await countedWith({ sweeps: 0 });
  const { index, entries, whole } = less(await countedWith({ sweeps }), none);
  return { index: index / sweeps, entries: entries / sweeps, whole: whole / sweeps };
}

function less(a: Counters, b: Counters): Counters {
  return { index: a.index - b.index, entries: a.entries - b.entries, whole: a.whole - b.whole };
}

async function readCounters(sql: Sql): Promise<Counters> {
  // What this connection did before must not be told later.
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<[Counters]>`
    select sum(i.idx_scan)::float8 as index, sum(i.idx_tup_read)::float8 as entries,
      (select t.seq_scan from pg_stat_user_tables t where t.relid = 'pawl.task'::regclass)::float8 as whole
    from pg_stat_user_indexes i where i.relid = 'pawl.task'::regclass`;
  return row;
}

/** A process of the server tells its counts at the latest when it ends. */
async function untilAlone(sql: Sql): Promise<void> {
  for (;;) {
    const others = await sql`
      select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
    if (others.length === 0) return;
    await pause(20);
  }
}

function aimOf(name: string, dearer: number): Aim {
  return {
    text: `A ${name}: at most ${MOST_TIMES_DEARER} × dearer`,
    figure: times(dearer),
    met: dearer <= MOST_TIMES_DEARER,
  };
}

function ms(seconds: number): string {
  return `${(seconds * 1000).toFixed(2)} ms`;
}
