import type { Sql } from "../../src/postgres/connect.ts";
import { count, times } from "../report.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

/** One step replaces a fifth of the tasks; that is when autovacuum would run. */
const STEPS_PER_TURN = 5;
/** Number of steps whose finished tasks are kept. */
const KEPT_STEPS = 2;
const MAX_GROWTH = 1.3;

type Sizes = { tables: number; indexes: number };

/** Creates and prunes tasks at a constant total: do tables and indexes keep their size? */
export async function churn(env: Environment): Promise<Report> {
  const total = env.quick ? 1_000 : 10_000;
  const turns = env.quick ? 10 : 50;
  const { child, url } = await env.startPawl();
  const sql = env.connect(url);
  const tables = await tablesOf(sql);
  const perStep = total / STEPS_PER_TURN;
  // The waiting tasks; the rest of the total are the tasks finished last.
  await child.run("fill", { tasks: total - KEPT_STEPS * perStep });
  const startTimes: number[] = [];
  const sizes: Sizes[] = [];
  for (let turn = 0; turn <= turns; turn++) {
    for (let step = 0; step < STEPS_PER_TURN; step++) {
      startTimes.push(Date.now());
      const before = startTimes.at(-1 - KEPT_STEPS) ?? 0;
      await child.run("churn", { tasks: perStep, before });
      await sql.unsafe(`vacuum ${tables}`);
    }
    sizes.push(await sizesOf(sql));
    if (turn % 5 === 0) env.log(`${turn} of ${turns} × ${count(total)} tasks`);
  }
  const each = await bytesPerRow(sql);

  const [first = { tables: 0, indexes: 0 }] = sizes;
  const max = (which: keyof Sizes) => Math.max(...sizes.map((size) => size[which]));
  const growth = { tables: max("tables") / first.tables, indexes: max("indexes") / first.indexes };
  return {
    title: `Table size while ${turns} × ${count(total)} tasks are created and pruned`,
    table: [
      ["", "after the first turn", "largest", "at the end", "growth"],
      ...(["tables", "indexes"] as const).map((which) => [
        which,
        mb(first[which]),
        mb(max(which)),
        mb(sizes.at(-1)?.[which] ?? 0),
        times(growth[which]),
      ]),
    ],
    aims: (["tables", "indexes"] as const).map((which) => ({
      text: `The ${which} grow to at most ${MAX_GROWTH} ×`,
      figure: times(growth[which]),
      met: growth[which] <= MAX_GROWTH,
    })),
    notes: [
      `A task takes ${count(each.task)} bytes plus ${count(each.task_indexes)} in indexes, a journal row ${count(each.event)} plus ${count(each.event_indexes)}.`,
      "Each task is created, claimed, finished and pruned; a vacuum runs whenever a fifth of the tasks has changed.",
    ],
  };
}

async function tablesOf(sql: Sql): Promise<string> {
  const [row] = await sql<[{ names: string }]>`
    select string_agg(c.oid::regclass::text, ', ') as names from pg_class c
    where c.relnamespace = 'pawl'::regnamespace and c.relkind = 'r'`;
  return row.names;
}

async function sizesOf(sql: Sql): Promise<Sizes> {
  const [row] = await sql<[Sizes]>`
    select sum(pg_table_size(c.oid))::float8 as tables, sum(pg_indexes_size(c.oid))::float8 as indexes
    from pg_class c where c.relnamespace = 'pawl'::regnamespace and c.relkind = 'r'`;
  return row;
}

type Bytes = { task: number; task_indexes: number; event: number; event_indexes: number };

async function bytesPerRow(sql: Sql): Promise<Bytes> {
  const [row] = await sql<[Bytes]>`
    select pg_table_size('pawl.task') / tasks as task, pg_indexes_size('pawl.task') / tasks as task_indexes,
      pg_table_size('pawl.event') / events as event, pg_indexes_size('pawl.event') / events as event_indexes
    from (select (select count(*) from pawl.task)::float8 as tasks,
                 (select count(*) from pawl.event)::float8 as events) as n`;
  return row;
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
