import { expect, test } from "vitest";
import { Metrics } from "../../src/server/ops/metrics.ts";
import { startTestServer } from "./test-server.ts";

const metrics = new Metrics();
const server = await startTestServer({ observer: metrics, server: { metrics } });
const ann = await server.member({ id: "ann", roles: ["agent", "worker"] });

async function figures(): Promise<Map<string, number>> {
  const { text } = await server.ask("GET /metrics");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

test("metrics count tasks and commands in the Prometheus format", async () => {
  const add = () =>
    server.ask("POST /api/tasks", { token: ann, body: { lifecycle: "code", title: "Mend it" } });
  const tasks = await Promise.all([add(), add(), add()]);
  await server.ask("POST /api/claims", { token: ann, body: { lifecycle: "code" } });
  const what = `POST /api/tasks/${String(tasks[2].body.id)}/transitions`;
  await server.ask(what, { token: ann, body: { action: "made up by the caller" } });
  await server.testEngine.engine.sweep();

  const reply = await server.ask("GET /metrics");
  expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const metrics = await figures();
  const of = (name: string, labels: string) => metrics.get(`${name}{${labels}}`);
  expect(of("pawl_tasks", 'lifecycle="code",status="ready"')).toBeGreaterThan(0);
  expect(of("pawl_tasks", 'lifecycle="code",status="claimed"')).toBe(1);
  expect(of("pawl_tasks_needing_attention", 'lifecycle="code",status="claimed"')).toBe(0);
  expect(of("pawl_tasks_waiting", 'lifecycle="code"')).toBeGreaterThan(0);
  expect(of("pawl_tasks_oldest_waiting_seconds", 'lifecycle="code"')).toBeGreaterThan(0);
  expect(metrics.get("pawl_tasks_sweep_lag_seconds")).toBe(0);
  expect(metrics.get("pawl_stream_readers")).toBe(0);
  expect(of("pawl_database_connections", 'state="active"')).toBeGreaterThan(0);
  expect(of("pawl_transitions_total", 'lifecycle="code",action="create",outcome="moved"')).toBe(3);
  expect(of("pawl_transitions_total", 'lifecycle="code",action="claim",outcome="moved"')).toBe(1);
  expect(of("pawl_transitions_total", 'lifecycle="",action="unknown",outcome="refused"')).toBe(1);
  expect(of("pawl_batch_size_count", 'verb="create"')).toBeGreaterThan(0);
  expect(of("pawl_batch_seconds_sum", 'verb="perform"')).toBeGreaterThan(0);
  expect(metrics.get("pawl_sweep_seconds_count")).toBe(1);
  expect(
    of("pawl_http_request_seconds_count", 'method="POST",route="/api/tasks/:id/transitions",status="422"'),
  ).toBe(1);
  expect([...metrics.keys()].join("\n")).not.toContain("made up");
});

test("counting unfinished tasks does not read finished ones", async () => {
  await server.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into pawl.task (org_id, id, lifecycle, lifecycle_version, project_id, status, row_version, title, data, private,
        priority, attempt, open_blockers, open_holds, needs_attention, pooled, final, journal_hash, created_at, updated_at, entered_at)
      select 'main', gen_random_uuid(), 'code', 1, 'main', 'done', 1, 'x', '{}', false,
        0, 0, 0, 0, false, false, true, ''::bytea, now(), now(), now()
      from generate_series(1, 50000)`;
  });
  const before = await blocksRead();
  await server.testEngine.engine.databaseMetrics();
  // The table of 50,000 has more than a thousand blocks.
  expect((await blocksRead()) - before).toBeLessThan(200);

  async function blocksRead(): Promise<number> {
    await server.sql`select pg_stat_force_next_flush()`;
    const [row] = await server.sql<{ blocks: number }[]>`
      select (heap_blks_read + heap_blks_hit)::float8 as blocks from pg_statio_all_tables
      where schemaname = 'pawl' and relname = 'task'`;
    return row!.blocks;
  }
});

test("a gauge of a plugin shows its current values; one that cannot be read does not hide the others", async () => {
  const worker = await server.member({ id: "deliverer", kind: "worker", roles: ["worker"] });
  const outage = { side: "storage", code: "QUOTA_EXCEEDED", reason: "no traffic left" };
  await server.ask("POST /api/delivery/outages", { token: worker, body: outage });
  const paused = 'pawl_delivery_outages{side="storage",code="QUOTA_EXCEEDED"}';
  expect((await figures()).get(paused)).toBe(1);
  await server.ask("POST /api/delivery/outages/end", { token: worker, body: { side: "storage" } });
  expect((await figures()).has(paused)).toBe(false);

  await server.sql`alter table pawl.delivery_outage rename to delivery_outage_away`;
  expect((await figures()).get("pawl_stream_readers")).toBe(0);
  await server.sql`alter table pawl.delivery_outage_away rename to delivery_outage`;
});
