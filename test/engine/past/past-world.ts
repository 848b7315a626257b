import type { Engine } from "../../../src/engine/index.ts";
import { createOrg } from "../../../src/engine/directory/members.ts";
import { member } from "../../support/situation.ts";
import { openTestEngine } from "../test-engine.ts";
import type { TestEngine } from "../test-engine.ts";
import { comparable, expectedFigures } from "./expected-figures.ts";
import type { Figures, JournalRow } from "./expected-figures.ts";
import { visit } from "./visit.ts";

export const DAY_MS = 86_400_000;
const PEOPLE = ["ann", "bob", "cat", "dan"].map((id) => member(id, ["agent"]));
const [CREATOR] = PEOPLE as [(typeof PEOPLE)[number]];
const ACTIONS = ["enter", "enter", "rest", "wake", "leave", "send_away", "hide", "show", "give", "remove"];

export type PastWorld = TestEngine & {
  newOrg(): Promise<string>;
  /** Makes random moves by several members on both nodes, and then stretches their times over a period of the past. */
  play(org_id: string, random: () => number, period?: { from: number; to: number }): Promise<void>;
  /** Sets the readers of a task as a plugin does. */
  restrict(org_id: string, task_id: string, readers: readonly string[] | null): Promise<void>;
  /** Reads the stored figures. */
  stored(org_id: string): Promise<Record<string, string[]>>;
  /** Adds the figures up from the journal. */
  expected(org_id: string): Promise<Record<string, string[]>>;
  tasks(org_id: string): Promise<string[]>;
};

export async function openPastWorld(): Promise<PastWorld> {
  const env = await openTestEngine({ lifecycles: [visit] });
  const { sql } = env;
  // Journals of the past are made by changing the times of new ones.
  await sql`alter table pawl.event disable trigger event_never_changed`;
  let orgs = 0;
  const nodes: Engine[] = [env.engine, env.node()];
  return {
    ...env,
    newOrg: async () => {
      const id = `org-${++orgs}`;
      await createOrg(sql, id);
      await sql`insert into pawl.project (org_id, id, name) values (${id}, 'north', 'North'), (${id}, 'south', 'South')`;
      return id;
    },
    play: async (org_id, random, period) => {
      const [{ position, begun }] = await readPosition(env, org_id);
      await makeMoves(nodes, org_id, random, await listTasks(env, org_id));
      if (!period) return;
      const [{ begun: ended }] = await readPosition(env, org_id);
      const factor = (period.to - period.from) / (ended - begun);
      await sql`
        update pawl.event e set created_at = to_timestamp(round(
          (${period.from}::float8 + (extract(epoch from e.created_at) * 1000 - ${begun}::float8) * ${factor}::float8)::numeric) / 1000)
        where e.org_id = ${org_id} and e.position > ${position}::float8`;
    },
    restrict: async (org_id, task_id, readers) => {
      await sql.begin(async (tx) => {
        await tx`update pawl.task set readers = ${readers as string[] | null} where org_id = ${org_id} and id = ${task_id}`;
        await tx`
          with feed as (
            update pawl.org set feed_position = feed_position + 1 where id = ${org_id} returning feed_position
          )
          insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, patch, private, hash, created_at)
          select ${org_id}, gen_random_uuid(), 0, feed_position, 'visit', 'north', 'readers_changed', 'set_readers', '{}', false, '', now()
          from feed`;
      });
    },
    stored: async (org_id) => comparable(await readStored(env, org_id), Date.now()),
    expected: async (org_id) => comparable(expectedFigures(await readJournals(env, org_id)), Date.now()),
    tasks: (org_id) => listTasks(env, org_id),
  };
}

async function makeMoves(
  nodes: readonly Engine[],
  org_id: string,
  random: () => number,
  known: readonly string[],
): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const ids = [...known];
  for (let wave = 0; wave < 12; wave++) {
    const created = await pick(nodes).create(
      { org_id, actor: CREATOR },
      Array.from({ length: 1 + Math.floor(random() * 4) }, (_, n) => ({
        lifecycle: "visit",
        project_id: pick(["north", "south"]),
        title: `visit ${wave}.${n}`,
        hidden: random() < 0.1,
      })),
    );
    if (created.kind === "refused") throw new Error(created.detail);
    ids.push(...created.tasks.map(({ id }) => id));
    // Many of these are refused, because the status is another one by then.
    await Promise.all(
      Array.from({ length: 40 }, () => {
        const action = pick(ACTIONS);
        const payload = action === "give" ? { to: pick(["ann", "bob", null]) } : {};
        return pick(nodes).perform({ org_id, actor: pick(PEOPLE) }, { task_id: pick(ids), action, payload });
      }),
    );
  }
}

async function readPosition({ sql }: TestEngine, org_id: string) {
  return sql<[{ position: number; begun: number }]>`
    select o.feed_position::float8 as position, (extract(epoch from clock_timestamp()) * 1000)::float8 as begun
    from pawl.org o where o.id = ${org_id}`;
}

async function listTasks({ sql }: TestEngine, org_id: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from pawl.task where org_id = ${org_id} order by id`;
  return rows.map(({ id }) => id);
}

/** Reads the journals of tasks without readers. A deleted task that was hidden stays so. */
async function readJournals({ sql }: TestEngine, org_id: string): Promise<JournalRow[][]> {
  const rows = await sql<JournalRow[]>`
    select e.task_id, e.row_version::int as row_version, e.lifecycle, e.project_id, e.type, e.from_status, e.to_status,
      e.private, e.patch::jsonb ? 'assigned_to' as given, e.patch ->> 'assigned_to' as assigned_to,
      (extract(epoch from e.created_at) * 1000)::float8 as created_at
    from pawl.event e left join pawl.task t on t.org_id = e.org_id and t.id = e.task_id
    where e.org_id = ${org_id} and e.row_version > 0 and t.readers is null
      and (t.id is not null or not exists (
        select from pawl.insight_hidden h where h.org_id = e.org_id and h.task_id = e.task_id))
    order by e.task_id, e.row_version`;
  const journals = new Map<string, JournalRow[]>();
  for (const { given, ...row } of rows as unknown as (JournalRow & { given: boolean })[]) {
    const journal = journals.get(row.task_id) ?? [];
    journals.set(row.task_id, journal);
    journal.push(given ? row : { ...row, assigned_to: undefined });
  }
  return [...journals.values()];
}

async function readStored({ sql }: TestEngine, org_id: string): Promise<Figures> {
  const read = async (text: string) => {
    const rows = await sql.unsafe<{ key: string; count: number }[]>(text, [org_id]);
    return new Map(rows.map(({ key, count }) => [key, count]));
  };
  const ms = "(extract(epoch from start) * 1000)::bigint";
  return {
    flow: await read(
      `select concat_ws(' ', grain, ${ms}, lifecycle, project_id, from_status, to_status) as key, moves::float8 as count
       from pawl.insight_flow where org_id = $1`,
    ),
    stay: await read(
      `select concat_ws(' ', grain, ${ms}, lifecycle, person, project_id, status, bin) as key, stays::float8 as count
       from pawl.insight_stay where org_id = $1`,
    ),
    finish: await read(
      `select concat_ws(' ', grain, ${ms}, lifecycle, project_id, person, bin) as key, tasks::float8 as count
       from pawl.insight_finish where org_id = $1`,
    ),
    level: await read(
      `select concat_ws(' ', lifecycle, project_id, status) as key, tasks::float8 as count
       from pawl.insight_level where org_id = $1`,
    ),
  };
}
