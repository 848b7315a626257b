import { connect } from "../../src/postgres/connect.ts";
import type { Sql } from "../../src/postgres/connect.ts";
import { fromCallers, timed } from "../contender.ts";
import type { Contender, Place, Terms } from "../contender.ts";

const TABLES = `
  create table task (
    id bigint primary key, status text not null, version integer not null, updated_at timestamptz not null
  ) with (fillfactor = 75);
  create table journal (
    task_id bigint not null, version integer not null, from_status text not null, to_status text not null,
    actor text not null, created_at timestamptz not null, primary key (task_id, version)
  )`;

// What a team writes that has no Pawl: the guards and the optimistic lock in SQL, the journal row in the same statement.
const MOVE = `
  with moved as (
    update task set status = $3, version = version + 1, updated_at = now()
    where id = $1 and status = $2 and version = $4
    returning id, version
  )
  insert into journal (task_id, version, from_status, to_status, actor, created_at)
  select id, version, $2, $3, $5, now() from moved
  returning version`;

/** One hand-written statement per move, prepared, on the same driver as Pawl. */
export async function open({ url }: Place): Promise<Contender> {
  const setup = connect(url, { maxConnections: 1 });
  await setup.unsafe(TABLES);
  await setup.end();
  let made = 0;
  return {
    bouts: {
      async moveOneByOne({ tasks = 0, moves = 0, callers = 1, pool = 10 }: Terms) {
        const sql = connect(url, { maxConnections: pool });
        const first = made + 1;
        made += tasks;
        await sql`
          insert into task select n, 'waiting', 1, now() from generate_series(${first}::int, ${made}::int) as n`;
        const move = backAndForth(sql, first, tasks);
        // Connections are opened and statements prepared before the clock runs.
        await fromCallers(pool * 2, tasks, move);
        const bout = await timed(moves, () => fromCallers(callers, moves, move));
        await sql.end();
        return bout;
      },
    },
    close: () => Promise.resolve(),
  };
}

function backAndForth(sql: Sql, first: number, tasks: number): (n: number) => Promise<void> {
  const states = Array.from({ length: tasks }, () => ({ status: "waiting", version: 1 }));
  return async (n) => {
    const place = n % tasks;
    const state = states[place] ?? { status: "", version: 0 };
    const to = state.status === "open" ? "closed" : "open";
    const [row] = await sql.unsafe(MOVE, [first + place, state.status, to, state.version, "ann"], {
      prepare: true,
    });
    if (!row) throw new Error("a move was lost");
    states[place] = { status: to, version: row.version as number };
  };
}
