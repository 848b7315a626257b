// Decisions whose rows, settings or keys have changed before the write, in states that concurrent callers reach only by chance.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { connect } from "../../../src/postgres/connect.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { Directory } from "../../../src/engine/directory/directory.ts";
import type { PublicTask } from "../../../src/engine/read/public-task.ts";
import type { Claimed } from "../../../src/engine/write/claim.ts";
import { member } from "../../support/situation.ts";
import { ann, bob, openTestEngine, performed } from "../test-engine.ts";
import { chore, pickyChore, timeouts, UNTAKABLE } from "./chore.ts";
import { connectPlainly, lockRows } from "./cluster.ts";

const env = await openTestEngine({ lifecycles: [chore, pickyChore] });
const { engine, sql } = env;
const other = env.node();
const directory = new Directory(sql, [chore.lifecycle]);
const [caller, second] = [env.by(ann), env.by(bob)];
const admin = env.by(member("root", ["admin"]));

/** A priority that the database of these tests refuses. */
const REFUSED = 666;
await sql`alter table pawl.task add constraint task_refused_by_test check (priority <> 666)`;

const make = (fields = {}) => env.make(ann, "chore", fields);
const take = (node: Engine, id: string) => node.perform(caller, { task_id: id, action: "take" });
const setMinutes = (minutes: number) =>
  directory.changeProject(admin, "main", { settings: { chore: { minutes } } });
const claim = (node: Engine, more = {}) =>
  node.claim(caller, { lifecycle: "chore", ...more }) as Promise<Claimed>;
const emptyPool = () => claim(engine, { limit: 1_000 });

async function placeOf(id: string): Promise<string> {
  const [row] = await sql<{ place: string }[]>`select ctid::text as place from pawl.task where id = ${id}`;
  return row?.place ?? "";
}

/** Waits until `count` statements wait for a lock, or until `ended` is true. */
async function untilWaiting(count: number, ended: () => boolean = () => false): Promise<void> {
  await expect
    .poll(async () => {
      const rows = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return rows.length >= count || ended();
    })
    .toBe(true);
}

/** Runs work while a psql session holds what `statement` locks; the work decides when it is released. */
async function whileLocked<T>(
  statement: string,
  work: (release: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const plain = connectPlainly(env.url, 1);
  const session = await plain.reserve();
  await session.unsafe(`begin; ${statement}`);
  try {
    return await work(async () => {
      await session`commit`;
    });
  } finally {
    session.release();
    await plain.end({ timeout: 0 });
  }
}

async function expectNoGaps(): Promise<void> {
  const [feed] = await sql`
    select o.feed_position::int as position, count(*)::int as events, max(e.position)::int as last
    from pawl.org o join pawl.event e on e.org_id = o.id where o.id = 'main' group by o.id`;
  expect(feed).toEqual({
    position: feed?.events as number,
    events: feed?.events as number,
    last: feed?.events as number,
  });
}

test("a changed row at the place of the cached one is not taken for it", async () => {
  const { id } = await make();
  await take(engine, id);
  const cached = await placeOf(id);
  // Changes of an indexed column leave the place, and a vacuum frees it: after a few, the row is back.
  await expect
    .poll(async () => {
      await sql`update pawl.task set due_at = due_at + interval '1 s', open_holds = 2 where id = ${id}`;
      await sql`vacuum pawl.task`;
      return placeOf(id);
    })
    .toBe(cached);
  const finished = performed(await engine.perform(caller, { task_id: id, action: "finish" }));
  expect(finished.task).toMatchObject({ status: "done", open_holds: 2 });
});

test("a command that the cached row would refuse is decided on the current row", async () => {
  const { id } = await make();
  await take(engine, id);
  await sql`update pawl.task set status = 'dropped', final = true where id = ${id}`;
  const refused = await engine.perform(caller, { task_id: id, action: "take" });
  expect(refused).toMatchObject({ kind: "refused", params: { status: "dropped" } });
});

test("a heartbeat on another node is visible in the answer to a move that keeps the lease", async () => {
  const { id } = await make();
  const { lease_token } = performed(await take(engine, id));
  const beaten = await other.heartbeat(caller, [{ task_id: id, lease_token: lease_token! }]);
  const remarked = performed(await engine.perform(caller, { task_id: id, action: "remark" }));
  expect(remarked.task.lease?.until).toBe(beaten.extended[0]?.lease_until);
});

test("the heartbeat of an earlier lease does not renew the next one", async () => {
  const { id } = await make();
  const { task } = performed(await take(engine, id));
  await sql`
    insert into pawl.heartbeat (org_id, task_id, token, beat_at, until)
    values ('main', ${id}, ${randomUUID()}, now(), now() + interval '1 day')`;
  expect(await other.find(caller, id)).toMatchObject({ lease: { until: task.lease?.until } });
});

test("a heartbeat of another member, or with another token, renews nothing", async () => {
  const { id } = await make();
  const { lease_token } = performed(await take(engine, id));
  const lost = { extended: [], lost: [{}] };
  expect(await engine.heartbeat(second, [{ task_id: id, lease_token: lease_token! }])).toMatchObject(lost);
  expect(await engine.heartbeat(caller, [{ task_id: id, lease_token: randomUUID() }])).toMatchObject(lost);
});

test("a request that is repeated on a node without the row gets the first answer", async () => {
  const { id } = await make();
  const request = { task_id: id, action: "take", client_event_id: randomUUID() };
  const first = performed(await engine.perform(caller, request));
  expect(await env.node().perform(caller, request)).toEqual({ ...first, replayed: true });
});

/** Each prepares a decision and returns the function that runs it. */
const DECISIONS: Record<string, () => Promise<() => Promise<PublicTask>>> = {
  "a creation": () => Promise.resolve(() => make()),
  "a move": async () => {
    const { id } = await make();
    // Caches the row.
    await engine.perform(caller, { task_id: id, action: "remark" });
    return async () => performed(await take(engine, id)).task;
  },
  "a claim": async () => {
    await emptyPool();
    await make();
    return async () => (await claim(engine)).tasks[0]!.task;
  },
};

test.each(Object.entries(DECISIONS))(
  "%s after a change of the settings on another node uses the new settings",
  async (_, prepare) => {
    await setMinutes(10);
    // The first decision caches the settings.
    await (
      await prepare()
    )();
    const decide = await prepare();
    await setMinutes(1_000);
    const { due_at, entered_at } = await decide();
    expect(Number(due_at) - entered_at).toBe(1_000 * 60_000);
  },
);

test("a claim gets no task that its rule refuses because of a field that the pool does not guarantee", async () => {
  await env.make(ann, "picky-chore", { priority: UNTAKABLE });
  const claimed = await engine.claim(caller, { lifecycle: "picky-chore" });
  expect(claimed).toMatchObject({ tasks: [], refusal: { code: "INVALID_TRANSITION" } });
});

test("a command whose rule reads a fact gets it", async () => {
  const { id } = await make();
  expect(await engine.perform(caller, { task_id: id, action: "inspect" })).toMatchObject({
    kind: "performed",
  });
});

test("behind a pooler every transaction sets its timeouts", async () => {
  const pooled = connect(env.url, { maxConnections: 1, ownSessions: false });
  const { id } = await make();
  timeouts.length = 0;
  await new Engine(pooled, [chore]).perform(caller, { task_id: id, action: "inspect" });
  await pooled.end({ timeout: 5 });
  expect(timeouts).toEqual(["30s"]);
});

test("a claim passes over a locked task", async () => {
  await emptyPool();
  const [best, next] = [await make({ priority: 9 }), await make()];
  const release = await lockRows(sql, [best]);
  const claimed = await claim(engine);
  await release();
  expect(claimed.tasks.map(({ task }) => task.id)).toEqual([next.id]);
});

test("a command without the permission is refused while its row is locked", async () => {
  const { id } = await make();
  const release = await lockRows(sql, [{ id }]);
  const stranger = env.by(member("eve", ["observer"]));
  const refused = await engine.perform(stranger, { task_id: id, action: "take" });
  await release();
  expect(refused).toMatchObject({ kind: "refused", code: "FORBIDDEN" });
});

test("a sweep passes over a locked task", async () => {
  const [locked, free] = [await make(), await make()];
  await sql`update pawl.task set due_at = now() - interval '1 s', entered_at = now() - interval '1 day'
    where id = any(${[locked.id, free.id]})`;
  const release = await lockRows(sql, [locked]);
  await engine.sweep();
  await release();
  expect(await engine.find(caller, free.id)).toMatchObject({ status: "dropped" });
  expect(await engine.find(caller, locked.id)).toMatchObject({ status: "open" });
});

test("a task that changes while a claim waits is left out, without a gap in the feed", async () => {
  await emptyPool();
  const [best, next] = [await make({ priority: 9 }), await make()];
  const lock = "select pg_advisory_xact_lock(hashtextextended('main chore', 0))";
  const claimed = await whileLocked(lock, async (release) => {
    const running = claim(engine, { limit: 2 });
    await untilWaiting(1);
    await sql`update pawl.task set open_holds = open_holds where id = ${best.id}`;
    await release();
    return running;
  });
  expect(claimed.tasks.map(({ task }) => task.id)).toEqual([next.id]);
  await expectNoGaps();
});

test.each([
  ["an optimistic claim", "chore"],
  ["a locked claim", "picky-chore"],
])("the key of %s that still runs makes its repetition wait", async (_, lifecycle) => {
  const request = { lifecycle, client_event_id: randomUUID() };
  await engine.claim(caller, { lifecycle, limit: 1_000 });
  const { id } = await env.make(ann, lifecycle, { priority: 9 });
  const [one, two] = await whileLocked("select from pawl.org for update", async (release) => {
    const running = engine.claim(caller, request);
    await untilWaiting(1);
    let isAnswered = false;
    const repeated = other.claim(caller, request).finally(() => (isAnswered = true));
    await untilWaiting(2, () => isAnswered);
    await release();
    return Promise.all([running, repeated]);
  });
  expect(one).toMatchObject({ tasks: [{ task: { id } }], replayed: false });
  expect(two).toMatchObject({ tasks: [{ task: { id } }], replayed: true });
});

test.each([
  ["the caller's", (work: (tx: never) => Promise<unknown>) => sql.begin((tx) => work(tx as never))],
  [
    "the engine's own",
    (work: (tx: never) => Promise<unknown>) => engine.transaction((tx) => work(tx as never)),
  ],
])("a creation that a constraint refuses leaves %s transaction usable", async (_, begin) => {
  const later = await begin(async (tx: never) => {
    const refused = await engine.create(caller, [{ lifecycle: "chore", priority: REFUSED }], { tx });
    expect(refused).toMatchObject({ kind: "refused", code: "VERSION_CONFLICT" });
    return engine.create(caller, [{ lifecycle: "chore" }], { tx });
  });
  expect(later).toMatchObject({ kind: "created" });
});

test("a move whose row is changed by its own effect fails, and nothing of it is kept", async () => {
  const { id } = await make();
  await expect(engine.perform(caller, { task_id: id, action: "disturb" })).rejects.toThrow();
  expect(await engine.find(caller, id)).toMatchObject({ status: "open", row_version: 1 });
});

test("the database refuses two events with one position", async () => {
  await make();
  await expect(
    sql`
      insert into pawl.event select (jsonb_populate_record(e, jsonb_build_object('row_version', 99))).*
      from pawl.event e where e.org_id = 'main' order by e.position limit 1`,
  ).rejects.toMatchObject({ constraint_name: "event_position_unique" });
});
