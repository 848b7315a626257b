import { expect, test } from "vitest";
import { startBoardServer } from "./board-server.ts";

const server = await startBoardServer();
const { ann, bob, cat, ask, act, make, sql } = server;
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

type Stats = {
  period_start: string | null;
  period_end: string;
  agents: Record<string, unknown>[];
  workspace: Record<string, unknown>;
};
const stats = async (query: string) =>
  (await ask(`GET /api/board/stats?${query}`, { token: cat })).body as Stats;

/** Moves all events and tasks of a workspace into the past. */
async function age(workspace: string, ms: number): Promise<void> {
  // Triggers protect the journal; only the owner of the database can disable them.
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    const back = `${ms} milliseconds`;
    await tx`update pawl.event set created_at = created_at - ${back}::interval where project_id = ${workspace}`;
    await tx`update pawl.task set created_at = created_at - ${back}::interval, entered_at = entered_at - ${back}::interval
      where project_id = ${workspace}`;
  });
}

test("statistics of a known history match the figures counted by hand", async () => {
  await ask("POST /api/projects", { body: { id: "history" } });
  const here = { workspace_id: "history" };
  // Forty days ago: ann creates and claims a task, and completes it ten minutes later.
  const old = await make(ann, here);
  await act(ann, old.id, "claim");
  await age("history", 10 * MINUTE);
  await act(ann, old.id, "complete");
  await age("history", 39 * DAY);

  // Yesterday evening (20 hours ago): three tasks.
  const [quick, rescued, dropped] = [await make(cat, here), await make(cat, here), await make(cat, here)];
  await age("history", 30 * MINUTE);
  await act(ann, quick.id, "claim");
  await act(ann, rescued.id, "claim");
  await act(bob, dropped.id, "claim");
  await age("history", 60 * MINUTE);
  await act(ann, quick.id, "complete");
  await act(cat, rescued.id, "escalate");
  await act(cat, dropped.id, "cancel");
  await age("history", 20 * 60 * MINUTE);

  // Today: ann's task is stuck, and bob takes it over and completes it; one new task waits, another is in progress.
  await server.testEngine.engine.sweep({ now: Date.now() + 3 * DAY });
  await act(bob, rescued.id, "take_over");
  await age("history", 6 * MINUTE);
  await act(bob, rescued.id, "complete");
  await make(cat, here);
  const busy = await make(cat, here);
  await act(ann, busy.id, "claim");

  const day = await stats("workspace_id=history&period=day");
  const zero = {
    tasks_completed: 0,
    tasks_cancelled: 0,
    tasks_stuck_count: 0,
    tasks_in_progress: 0,
    avg_lead_time_minutes: null,
    avg_cycle_time_minutes: null,
    tasks_taken_over_from_agent: 0,
    tasks_taken_over_by_agent: 0,
    escalations_initiated: 0,
    escalations_received: 0,
  };
  const near = (value: number) => expect.closeTo(value, 0) as unknown;
  expect(day.agents).toEqual([
    {
      ...zero,
      agent_id: "ann",
      agent_name: "Agent ann",
      tasks_completed: 1,
      tasks_stuck_count: 1,
      tasks_in_progress: 1,
      avg_lead_time_minutes: near(90),
      avg_cycle_time_minutes: near(60),
      tasks_taken_over_from_agent: 1,
      escalations_received: 1,
    },
    {
      ...zero,
      agent_id: "bob",
      agent_name: "Agent bob",
      tasks_completed: 1,
      tasks_cancelled: 1,
      // Created 30 + 60 minutes, 20 hours and 6 minutes ago; first in progress 30 minutes later.
      avg_lead_time_minutes: near(30 + 60 + 1200 + 6),
      avg_cycle_time_minutes: near(60 + 1200 + 6),
      tasks_taken_over_by_agent: 1,
    },
    { ...zero, agent_id: "cat", agent_name: "Agent cat", escalations_initiated: 1 },
  ]);
  expect(day.workspace).toEqual({
    total_tasks_created: 5,
    tasks_by_status: { NEW: 1, IN_PROGRESS: 1, BLOCKED: 0, STUCK: 0, DONE: 2, CANCELLED: 1 },
    avg_lead_time_minutes: near((90 + 1296) / 2),
    avg_cycle_time_minutes: near((60 + 1266) / 2),
    overdue_count: 0,
    stuck_count: 0,
    completion_rate_percent: 40,
  });
  expect(Date.parse(day.period_end) - Date.parse(String(day.period_start))).toBe(DAY);

  const all = await stats("workspace_id=history&period=all&agent_id=ann");
  expect(all.period_start).toBeNull();
  expect(all.agents).toMatchObject([
    { agent_id: "ann", tasks_completed: 2, avg_lead_time_minutes: near(50) },
  ]);
  expect(all.workspace).toMatchObject({ total_tasks_created: 6, completion_rate_percent: 50 });
  expect((await stats("workspace_id=history&period=month")).workspace).toMatchObject({
    total_tasks_created: 5,
  });
});

test("overdue and stuck tasks are counted as of now", async () => {
  await ask("POST /api/projects", { body: { id: "late" } });
  const overdue = await make(cat, { workspace_id: "late" });
  const stuck = await make(cat, { workspace_id: "late" });
  await sql`update pawl.task set due_at = now() - interval '1 minute' where id = ${stuck.id}`;
  await server.testEngine.engine.sweep();
  await sql`update pawl.task set due_at = now() - interval '1 minute' where id = ${overdue.id}`;
  expect((await stats("workspace_id=late")).workspace).toMatchObject({ overdue_count: 1, stuck_count: 1 });
  const listed = await ask("GET /api/board/tasks?workspace_id=late&overdue=true", { token: cat });
  expect(listed.body).toMatchObject({ total: 1, tasks: [{ id: overdue.id, is_overdue: true }] });
});

test.each([
  ["period=year", 422],
  ["agent_id=", 200],
  ["workspace_id=nowhere", 404],
] as const)("a request with %s is answered with %i", async (query, expected) => {
  const { status } = await ask(`GET /api/board/stats?${query}`, { token: cat });
  expect(status).toBe(expected);
});

test("figures of a day cost the same on a board with ten times the history", async () => {
  const [few, many] = [await pagesOfDay(10_000), await pagesOfDay(100_000)];
  expect(many).toBeLessThan(few * 2);
});

/** Counts the pages that figures of a day read on a board with a long history; times on a shared machine vary too much. */
async function pagesOfDay(tasks: number): Promise<number> {
  // With one connection, one backend counts all pages and can flush its statistics at once.
  const other = await startBoardServer({ maxConnections: 1 });
  await other.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      with made as (
        insert into pawl.task (org_id, id, lifecycle, lifecycle_version, project_id, status, row_version, title, data,
          created_by, private, priority, attempt, open_blockers, open_holds, needs_attention, pooled, final,
          journal_hash, created_at, updated_at, entered_at)
        select 'main', gen_random_uuid(), 'board', 1, 'main', 'DONE', 1, 'Long ago', '{}', 'cat', false, 0, 0, 0, 0,
          false, false, true, '', now() - interval '9 days', now() - interval '9 days', now() - interval '9 days'
        from generate_series(1, ${tasks}::integer) returning id
      ), feed as (
        update pawl.org set feed_position = feed_position + ${tasks} where id = 'main'
        returning feed_position - ${tasks} as base
      )
      insert into pawl.event (org_id, task_id, row_version, position, lifecycle, project_id, type, action, to_status,
        actor_id, patch, private, hash, created_at)
      select 'main', made.id, 1, feed.base + row_number() over (), 'board', 'main', 'created', 'create', 'DONE', 'cat',
        '{}', false, '', now() - interval '9 days' from made, feed`;
  });
  for (let n = 0; n < 20; n++) await other.make(other.cat);
  await other.sql`vacuum analyze pawl.task`;
  await other.sql`vacuum analyze pawl.event`;
  const figuresOfDay = () => other.ask("GET /api/board/stats?period=day", { token: other.cat });
  const pages = async () => {
    await other.sql`select pg_stat_force_next_flush()`;
    const [row] = await other.sql<{ pages: number }[]>`
      select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8 as pages
      from pg_statio_user_tables where relname in ('task', 'event')`;
    return row?.pages ?? 0;
  };
  expect((await figuresOfDay()).body.workspace).toMatchObject({ total_tasks_created: 20 });
  const before = await pages();
  for (let n = 0; n < 20; n++) await figuresOfDay();
  return ((await pages()) - before) / 20;
}
