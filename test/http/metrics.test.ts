import { expect, test } from "vitest";
import { Metrics } from "../../src/server/ops/metrics.ts";
import { openFrontDesk } from "./front-desk.ts";

const metrics = new Metrics();
const desk = await openFrontDesk({ observer: metrics, server: { metrics } });
const ann = await desk.member({ id: "ann", roles: ["agent", "worker"] });

async function figures(): Promise<Map<string, number>> {
  const { text } = await desk.ask("GET /metrics");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

test("what there is and what was done is told in Prometheus' words", async () => {
  const add = () =>
    desk.ask("POST /api/tasks", { token: ann, body: { lifecycle: "code", title: "Mend it" } });
  const tasks = await Promise.all([add(), add(), add()]);
  await desk.ask("POST /api/claims", { token: ann, body: { lifecycle: "code" } });
  const what = `POST /api/tasks/${String(tasks[2].body.id)}/transitions`;
  await desk.ask(what, { token: ann, body: { action: "made up by the caller" } });
  await desk.desk.engine.sweep();

  const heard = await desk.ask("GET /metrics");
  expect(heard.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const told = await figures();
  const of = (name: string, labels: string) => told.get(`${name}{${labels}}`);
  expect(of("pawl_tasks", 'lifecycle="code",status="ready"')).toBeGreaterThan(0);
  expect(of("pawl_tasks", 'lifecycle="code",status="claimed"')).toBe(1);
  expect(of("pawl_tasks_needing_attention", 'lifecycle="code",status="claimed"')).toBe(0);
  expect(of("pawl_tasks_waiting", 'lifecycle="code"')).toBeGreaterThan(0);
  expect(of("pawl_tasks_oldest_waiting_seconds", 'lifecycle="code"')).toBeGreaterThan(0);
  expect(told.get("pawl_tasks_sweep_lag_seconds")).toBe(0);
  expect(told.get("pawl_stream_readers")).toBe(0);
  expect(of("pawl_database_connections", 'state="active"')).toBeGreaterThan(0);
  expect(of("pawl_transitions_total", 'lifecycle="code",action="create",outcome="moved"')).toBe(3);
  expect(of("pawl_transitions_total", 'lifecycle="code",action="claim",outcome="moved"')).toBe(1);
  expect(of("pawl_transitions_total", 'lifecycle="",action="unknown",outcome="refused"')).toBe(1);
  expect(of("pawl_batch_size_count", 'verb="create"')).toBeGreaterThan(0);
  expect(of("pawl_batch_seconds_sum", 'verb="perform"')).toBeGreaterThan(0);
  expect(told.get("pawl_sweep_seconds_count")).toBe(1);
  expect(
    of("pawl_http_request_seconds_count", 'method="POST",route="/api/tasks/:id/transitions",status="422"'),
  ).toBe(1);
  expect([...told.keys()].join("\n")).not.toContain("made up");
});

test("finished tasks are not looked at when the others are counted", async () => {
  await desk.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into pawl.task (org_id, id, lifecycle, lifecycle_version, project_id, status, row_version, title, data, private,
        priority, attempt, open_blockers, open_holds, needs_attention, pooled, final, journal_hash, created_at, updated_at, entered_at)
      select 'main', gen_random_uuid(), 'code', 1, 'main', 'done', 1, 'x', '{}', false,
        0, 0, 0, 0, false, false, true, ''::bytea, now(), now(), now()
      from generate_series(1, 50000)`;
  });
  const before = await blocksRead();
  await desk.desk.engine.census();
  // The table of 50,000 has more than a thousand blocks.
  expect((await blocksRead()) - before).toBeLessThan(200);

  async function blocksRead(): Promise<number> {
    await desk.sql`select pg_stat_force_next_flush()`;
    const [row] = await desk.sql<{ blocks: number }[]>`
      select (heap_blks_read + heap_blks_hit)::float8 as blocks from pg_statio_all_tables
      where schemaname = 'pawl' and relname = 'task'`;
    return row!.blocks;
  }
});
