import type { Sql } from "../../src/postgres/connect.ts";

type Copies = { finished: number; waiting: number };

/**
 * Copies the existing finished task and the existing waiting task with their journals; the engine would take an hour to create
 * that many. Triggers are off meanwhile, and the copies have the seals of the originals.
 */
export async function multiplyTasks(sql: Sql, { finished, waiting }: Copies): Promise<void> {
  await sql.unsafe("set session_replication_role = replica");
  await copyTask(sql, finished, "t.final", {});
  await copyTask(sql, waiting, "t.pooled", {
    // A waiting task has a timer in the far future, which the sweep must not read.
    due_at: "now() + interval '30 days' + random() * interval '1 day'",
    due_action: "'give_up'",
  });
  await sql.unsafe(
    "update pawl.org o set feed_position = (select max(position) from pawl.event where org_id = o.id)",
  );
  await sql.unsafe("reset session_replication_role");
  await sql.unsafe("vacuum (analyze) pawl.task, pawl.event, pawl.heartbeat");
}

async function copyTask(
  sql: Sql,
  count: number,
  condition: string,
  overrides: Record<string, string>,
): Promise<void> {
  const task = await columnsOf(sql, "task", { id: "copy.id", ...overrides });
  const event = await columnsOf(sql, "event", {
    task_id: "copy.id",
    // Each version has its own range, so that positions are unique without a counter.
    position: "feed.base + row.row_version * feed.room + copy.n",
  });
  await sql.unsafe(`create temporary table copy as
    select n::bigint, uuidv7(interval '-1 hour') as id from generate_series(1, ${count}) as n`);
  await sql.unsafe(`create temporary table original as select * from pawl.task t where ${condition} limit 1`);
  await sql.unsafe(
    `insert into pawl.task (${task.names}) select ${task.values} from original as row cross join copy`,
  );
  await sql.unsafe(`insert into pawl.event (${event.names}) select ${event.values}
    from pawl.event row join original o on o.org_id = row.org_id and o.id = row.task_id
    cross join (select max(position) as base, ${count}::bigint as room from pawl.event) as feed
    cross join copy`);
  await sql.unsafe("drop table copy, original");
}

/** Lists all columns, so that a new one in the schema needs no change here. */
async function columnsOf(sql: Sql, table: string, overrides: Record<string, string>) {
  const columns = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'pawl' and table_name = ${table} and is_generated = 'NEVER' order by ordinal_position`;
  const names = columns.map(({ name }) => name);
  return {
    names: names.join(", "),
    values: names.map((name) => overrides[name] ?? `row.${name}`).join(", "),
  };
}
