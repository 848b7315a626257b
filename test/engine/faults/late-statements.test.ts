// Fails if an optimistic batch that was given up, because a connection closed, goes on when its delayed read is answered, or if
// its delayed write still counts: the retry has done its commands by then, and they would happen a second time.
import { afterAll, expect, test } from "vitest";
import { connect } from "../../../src/postgres/connect.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { ann, openTestEngine, performed } from "../test-engine.ts";
import { holdingProxy } from "./holding-proxy.ts";

const env = await openTestEngine();
const proxy = await holdingProxy(env.url);
const sql = connect(proxy.url, { maxConnections: 4, ownSessions: true });
afterAll(async () => {
  await sql.end({ timeout: 5 });
  await proxy.close();
});
const caller = env.by(ann);

/** Opens all connections, so that statements do not wait for a new one. */
async function openConnections(): Promise<void> {
  await Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(0.05)`));
}

/** Runs work whose first statement is delayed until it was given up, retried and answered. */
async function runLate<T>(work: () => Promise<T>): Promise<T> {
  await openConnections();
  const held = proxy.holdNext();
  const answer = work();
  await held;
  proxy.closeOther();
  const first = await answer;
  await proxy.release();
  // Statements that follow the late answer are sent before these.
  for (let round = 0; round < 20; round++) await openConnections();
  return first;
}

test("a comment happens once if its row is read after the retry has written it", async () => {
  const { id } = await env.make(ann, "board", { title: "Read late", description: "-" });
  const engine = new Engine(sql, PLUGINS);
  const done = await runLate(() =>
    engine.perform(caller, { task_id: id, action: "comment", comment: "once" }),
  );
  expect(performed(done).event).toMatchObject({ comment: "once" });
  const rows = await env.sql`select from pawl.event where task_id = ${id} and action = 'comment'`;
  expect(rows).toHaveLength(1);
});

test("a claim takes its tasks once if the settings are read after the retry has claimed", async () => {
  for (const title of ["One", "Two"]) await env.make(ann, "code", { title });
  const engine = new Engine(sql, PLUGINS);
  const claimed = await runLate(() => engine.claim(caller, { lifecycle: "code", limit: 1 }));
  expect(claimed).toMatchObject({ kind: "claimed", tasks: [{ task: { status: "claimed" } }] });
  expect(await env.sql`select from pawl.task where lifecycle = 'code' and status = 'claimed'`).toHaveLength(
    1,
  );
});

test("a creation happens once if the settings are read after the retry has created its tasks", async () => {
  const engine = new Engine(sql, PLUGINS);
  const created = await runLate(() => engine.create(caller, [{ lifecycle: "code", title: "Created late" }]));
  expect(created).toMatchObject({ kind: "created", existing: [false] });
  expect(await env.sql`select from pawl.task where title = 'Created late'`).toHaveLength(1);
});

test("a comment happens once if it is written after the retry has written it", async () => {
  const { id } = await env.make(ann, "board", { title: "Written late", description: "-" });
  const engine = new Engine(sql, PLUGINS);
  const say = (comment: string) => engine.perform(caller, { task_id: id, action: "comment", comment });
  // The second command finds the row in the cache, and begins with its write.
  await say("before");
  expect(performed(await runLate(() => say("once"))).event).toMatchObject({ comment: "once" });
  const rows = await env.sql`select from pawl.event where task_id = ${id} and action = 'comment'`;
  expect(rows).toHaveLength(2);
});

test.each([["with a key", true] as const, ["without a key", false] as const])(
  "a claim %s takes its tasks once if it arrives after its retry",
  async (_, keyed) => {
    for (const title of ["One", "Two", "Three"]) await env.make(ann, "code", { title });
    const engine = new Engine(sql, PLUGINS);
    const claim = (key: string) =>
      engine.claim(caller, { lifecycle: "code", limit: 1, ...(keyed ? { client_event_id: key } : {}) });
    const count = async () =>
      (await env.sql`select from pawl.task where lifecycle = 'code' and status = 'claimed'`).length;
    // The second claim finds the settings in the cache, and begins with its write.
    await claim(`${String(keyed)} first`);
    const before = await count();
    expect(await runLate(() => claim(`${String(keyed)} second`))).toMatchObject({ tasks: [{}] });
    expect(await count()).toBe(before + 1);
  },
);

test("a comment happens once if only its answer is lost", async () => {
  const { id } = await env.make(ann, "board", { title: "Answer lost", description: "-" });
  const single = connect(proxy.url, { maxConnections: 1, ownSessions: true });
  const engine = new Engine(single, PLUGINS);
  const say = (comment: string) => engine.perform(caller, { task_id: id, action: "comment", comment });
  // The statement is prepared by then, so the first answer to it is its result.
  await say("before");
  await say("prepared");
  proxy.cutNextAnswer();
  expect(performed(await say("once")).event).toMatchObject({ comment: "once" });
  await single.end({ timeout: 5 });
  const rows = await env.sql`select from pawl.event where task_id = ${id} and comment = 'once'`;
  expect(rows).toHaveLength(1);
});
