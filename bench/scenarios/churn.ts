import type { Sql } from "../../src/postgres/connect.ts";
import { count, times } from "../report.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

/** A step changes a fifth of the standing number: then autovacuum comes, where it keeps pace. */
const STEPS_PER_TURN = 5;
/** The finished tasks of so many steps are kept. */
const KEPT_STEPS = 2;
const MOST_TIMES_LARGER = 1.3;

type Sizes = { tables: number; indexes: number };

/** Tasks come and go at a steady number of them: do tables and indexes stay as small as they were? */
export async function churn(stage: Stage): Promise<Report> {
  const standing = stage.quick ? 1_000 : 10_000;
  const turns = stage.quick ? 10 : 50;
  const { contestant, url } = await stage.enterPawl();
  const sql = stage.connect(url);
  const tables = await tablesOf(sql);
  const perStep = standing / STEPS_PER_TURN;
  // Those that wait; the others of the standing number are the last that were finished.
  await contestant.do("fill", { tasks: standing - KEPT_STEPS * perStep });
  const begun: number[] = [];
  const sizes: Sizes[] = [];
  for (let turn = 0; turn <= turns; turn++) {
    for (let step = 0; step < STEPS_PER_TURN; step++) {
      begun.push(Date.now());
      const before = begun.at(-1 - KEPT_STEPS) ?? 0;
      await contestant.do("churn", { tasks: perStep, before });
      await sql.unsafe(`vacuum ${tables}`);
    }
    sizes.push(await sizesOf(sql));
    if (turn % 5 === 0) stage.tell(`${turn} of ${turns} times ${count(standing)} tasks`);
  }
  const each = await bytesPerRow(sql);

  const [first = { tables: 0, indexes: 0 }] = sizes;
  const most = (which: keyof Sizes) => Math.max(...sizes.map((size) => size[which]));
  const larger = { tables: most("tables") / first.tables, indexes: most("indexes") / first.indexes };
  return {
    title: `Size while ${turns} times ${count(standing)} tasks come and go`,
    table: [
      ["", "after the first turn", "at its largest", "at the end", "larger"],
      ...(["tables", "indexes"] as const).map((which) => [
        which,
        mb(first[which]),
        mb(most(which)),
        mb(sizes.at(-1)?.[which] ?? 0),
        times(larger[which]),
      ]),
    ],
    aims: (["tables", "indexes"] as const).map((which) => ({
      text: `The ${which} stay within ${MOST_TIMES_LARGER} ×`,
      figure: times(larger[which]),
      met: larger[which] <= MOST_TIMES_LARGER,
    })),
    notes: [
      `A task takes ${count(each.task)} bytes and ${count(each.task_indexes)} in indexes, a journal row ${count(each.event)} and ${count(each.event_indexes)}.`,
      "Each is created, claimed, finished and pruned; a vacuum runs whenever a fifth of the standing number has changed.",
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
