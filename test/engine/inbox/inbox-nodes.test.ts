import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { board } from "../../../src/lifecycles/board/index.ts";
import { openPawl } from "../../../src/main/index.ts";
import type { PawlOptions } from "../../../src/main/index.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { listInboxGroups, pickInbox } from "../../../src/engine/sql/pick-inbox.ts";
import type { Tx } from "../../../src/engine/transaction.ts";
import { connect } from "../../../src/postgres/connect.ts";
import { until } from "../../support/until.ts";
import { enqueue, openInboxWorld } from "./inbox-world.ts";
import { GATE, slowNote } from "./slow-note.ts";

const world = await openInboxWorld({ lifecycles: [...PLUGINS, slowNote] });
const { sql, url } = world;
const app = await world.createRole("app");
for (const org of ["main", "other"]) await world.bind(app, "ann", org);
const client = world.as(app);

/** Starts a node that polls the inbox. */
async function startNode(options: PawlOptions = {}) {
  const faults: unknown[] = [];
  const pawl = await openPawl({
    url,
    plugins: [board, slowNote],
    sweepSeconds: 0,
    reconcileSeconds: 0,
    inboxSeconds: 0.05,
    onFault: (error) => faults.push(error),
    ...options,
  });
  onTestFinished(() => pawl.close());
  return { pawl, faults };
}

async function waiting(): Promise<number> {
  const [row] = await sql<
    { n: number }[]
  >`select count(*)::int as n from pawl.inbox where refused_at is null`;
  return row?.n ?? 0;
}

/** The number of tasks that were created with a key that begins so. */
async function created(prefix: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from pawl.event
    where row_version = 1 and client_event_id like ${`${prefix}%`}`;
  return row?.n ?? 0;
}

const note = { lifecycle: "slow-note", input: { title: "x" } };

test("a node with default settings creates the task of a request when its transaction is committed", async () => {
  const pawl = await openPawl({ url, plugins: [board], sweepSeconds: 0, reconcileSeconds: 0 });
  onTestFinished(() => pawl.close());
  await client.begin(async (tx) => {
    await enqueue(tx, { key: "soon" });
    await enqueue(world.as(app), { key: "before" });
    await until(async () => (await created("before")) === 1);
    expect(await created("soon")).toBe(0);
  });
  await until(async () => (await created("soon")) === 1);
});

test("a node behind a pooler in transaction mode, without LISTEN and prepared statements, creates it too", async () => {
  await startNode({ prepare: false, hints: { listens: false } });
  await enqueue(client, { key: "pooled" });
  await until(async () => (await created("pooled")) === 1);
});

test("three nodes that race create each of 3,000 tasks once", async () => {
  await client`
    select pawl.enqueue('main', 'board', '{"title": "Pack it", "description": "y"}'::jsonb, 'race ' || n % 2500, 'ann')
    from generate_series(1, 3000) as n`;
  const nodes = await Promise.all([startNode(), startNode(), startNode()]);
  await until(async () => (await waiting()) === 0);
  expect(await created("race ")).toBe(2_500);
  expect(nodes.flatMap(({ faults }) => faults)).toEqual([]);
  expect(await sql`select from pawl.inbox`).toHaveLength(0);
  expect((await world.engine.verify("main")).differences).toEqual([]);
});

test("requests that one node admits are passed over by another, which admits the next ones", async () => {
  const group = { org_id: "main", lifecycle: "board" };
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push(await enqueue(client, { key: `shared ${n}` }));
  const other = world.node();
  const pickIds = async (tx: Tx, limit: number) =>
    (await pickInbox(tx, group, { limit })).map(({ id }) => id);
  await world.engine.transaction(async (tx) => {
    expect(await pickIds(tx, 2)).toEqual(ids.slice(0, 2));
    expect(await other.transaction((second) => pickIds(second, 10))).toEqual(ids.slice(2));
  });
  expect(await world.admitAll(other)).toBe(4);
});

test("a node that is killed in the middle of a creation loses and repeats nothing", async () => {
  const gate = connect(url, { maxConnections: 1 });
  onTestFinished(() => gate.end({ timeout: 5 }));
  await gate`select pg_advisory_lock(${GATE})`;
  for (let n = 0; n < 3; n++) await enqueue(client, { ...note, key: `killed ${n}` });
  const program = fileURLToPath(new URL("./inbox-node-process.ts", import.meta.url));
  const child = fork(program, [url], { execArgv: ["--import", "tsx"] });
  await once(child, "message");
  const waitsAtGate = async () =>
    (await sql`select from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted`).length >
    0;
  await until(waitsAtGate);
  // The requests are locked by the node, so that no other one decides them.
  expect(await world.engine.inbox.admit({ org_id: "main", lifecycle: "slow-note" }, 10)).toEqual([]);
  child.kill("SIGKILL");
  await once(child, "exit");
  await gate`select pg_advisory_unlock(${GATE})`;
  await startNode();
  await until(async () => (await waiting()) === 0);
  expect(await created("killed ")).toBe(3);
});

test("requests of an org whose commits wait do not stop those of another org", async () => {
  await startNode();
  const holder = connect(url, { maxConnections: 1 });
  onTestFinished(() => holder.end({ timeout: 5 }));
  await holder.begin(async (tx) => {
    await tx`select from pawl.org where id = 'main' for update`;
    await enqueue(client, { key: "held" });
    await enqueue(client, { org: "other", key: "other org" });
    await until(async () => (await created("other org")) === 1);
    expect(await created("held")).toBe(0);
  });
  await until(async () => (await created("held")) === 1);
});

test("a request that is too much for the database is put off alone", async () => {
  const gate = connect(url, { maxConnections: 1 });
  onTestFinished(() => gate.end({ timeout: 5 }));
  await gate`select pg_advisory_lock(${GATE})`;
  await enqueue(client, { ...note, key: "too slow" });
  const { faults } = await startNode({ statementTimeoutMs: 200, retryTimeoutMs: 1_000 });
  const [row] = await until(async () => {
    const rows = await sql<{ attempts: number }[]>`select attempts from pawl.inbox where attempts > 0`;
    return rows.length > 0 && rows;
  });
  expect(row?.attempts).toBe(1);
  expect(String(faults[0])).toMatch(
    /^Error: request .* in the inbox of org main failed; it is tried again later$/,
  );
  await gate`select pg_advisory_unlock(${GATE})`;
  await until(async () => (await created("too slow")) === 1);
});

test("the cost of a poll does not grow with refused and postponed requests", async () => {
  const few = await blocksOfPoll(2_000);
  // An index may be a level deeper; a poll that read what is kept would need hundreds of blocks more.
  for (const [index, blocks] of (await blocksOfPoll(20_000)).entries())
    expect(blocks).toBeLessThanOrEqual((few[index] ?? 0) + 2);
  await sql`truncate pawl.inbox`;
});

/** Counts the blocks that each statement of a poll reads in an inbox with kept requests, half refused and half postponed. */
async function blocksOfPoll(kept: number): Promise<number[]> {
  // Not `delete`: deleted rows stay in the index until no transaction can see them, and would be counted.
  await sql`truncate pawl.inbox`;
  await sql`
    insert into pawl.inbox (org_id, id, lifecycle, input, input_bytes, key, member_id, role_name, created_at, due_at, refused_at, refusal)
    select 'main', gen_random_uuid(), 'board', '{}', 2, 'kept ' || n, 'ann', 'x', now(),
      case when n % 2 = 0 then now() else now() + interval '1 hour' end,
      case when n % 2 = 0 then now() end, case when n % 2 = 0 then '{"code": "FORBIDDEN", "detail": "", "params": {}}'::jsonb end
    from generate_series(1, ${kept}::int) as n`;
  await sql`analyze pawl.inbox`;
  const statements: ((tx: Tx) => Promise<unknown>)[] = [
    (tx) => listInboxGroups(tx, ["board"]),
    (tx) => pickInbox(tx, { org_id: "main", lifecycle: "board" }, { limit: 200 }),
  ];
  const blocks: number[] = [];
  for (const run of statements) {
    const [row] = (await world.engine.transaction((tx) => run(explaining(tx)))) as [
      { "QUERY PLAN": unknown },
    ];
    const [{ Plan: plan }] = row["QUERY PLAN"] as [{ Plan: Record<string, number> }];
    blocks.push((plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0));
  }
  return blocks;
}

/** A transaction that explains its statements. */
function explaining(tx: Tx): Tx {
  return {
    savepoint: (work) => tx.savepoint(work),
    unsafe: (text, params, options) =>
      tx.unsafe(`explain (analyze, buffers, format json) ${text}`, params, options),
  };
}
