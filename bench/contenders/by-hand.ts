import { connect } from "../../src/postgres/connect.ts";
import type { Sql } from "../../src/postgres/connect.ts";
import { fromCallers, timed } from "../contender.ts";
import type { Contender, ContenderOptions, Params } from "../contender.ts";

const TABLES = `
  create table task (
    id bigint primary key, status text not null, version integer not null, updated_at timestamptz not null
  ) with (fillfactor = 75);
  create table journal (
    task_id bigint not null, version integer not null, from_status text not null, to_status text not null,
    actor text not null, created_at timestamptz not null, primary key (task_id, version)
  )`;

// The code that a team would write without Pawl: guards and optimistic lock in SQL, the journal row in the same statement.
const MOVE = `
  with moved as (
    update task set status = $3, version = version + 1, updated_at = now()
    where id = $1 and status = $2 and version = $4
    returning id, version
  )
  insert into journal (task_id, version, from_status, to_status, actor, created_at)
  select id, version, $2, $3, $5, now() from moved
  returning version`;

/** Opens a contender that makes each move with one prepared, hand-written statement, on the same driver as Pawl. */
export async function open({ url }: ContenderOptions): Promise<Contender> {
  const setup = connect(url, { maxConnections: 1 });
  await setup.unsafe(TABLES);
  await setup.end();
  let created = 0;
  return {
    workloads: {
      async moveOneByOne({ tasks = 0, moves = 0, callers = 1, pool = 10 }: Params) {
        const sql = connect(url, { maxConnections: pool });
        const first = created + 1;
        created += tasks;
        await sql`
          insert into task select n, 'waiting', 1, now() from generate_series(${first}::int, ${created}::int) as n`;
        const move = backAndForth(sql, first, tasks);
        // Opens the connections and prepares the statements before the clock starts.
        await fromCallers(pool * 2, tasks, move);
        const measurement = await timed(moves, () => fromCallers(callers, moves, move));
        await sql.end();
        return measurement;
      },
    },
    close: () => Promise.resolve(),
  };
}

function backAndForth(sql: Sql, first: number, tasks: number): (n: number) => Promise<void> {
  const states = Array.from({ length: tasks }, () => ({ status: "waiting", version: 1 }));
  return async (n) => {
    const index = n % tasks;
    const state = states[index] ?? { status: "", version: 0 };
    const to = state.status === "open" ? "closed" : "open";
    const [row] = await sql.unsafe(MOVE, [first + index, state.status, to, state.version, "ann"], {
      prepare: true,
    });
    if (!row) throw new Error("a move was lost");
    states[index] = { status: to, version: row.version as number };
  };
}
