import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { startCommitHints } from "../../src/engine/commit-hints.ts";
import { Commits } from "../../src/engine/commits.ts";
import { connect } from "../../src/postgres/connect.ts";
import { COMMITS_CHANNEL } from "../../src/engine/sql/notify-commits.ts";
import { databaseSwitch } from "./database-switch.ts";
import { startTestServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";
import { listen, positionsOf } from "./listener.ts";
import type { ReceivedEvent } from "./listener.ts";
import { emptyDatabase, startPawl } from "./running-pawl.ts";

const HARDLY_EVER_MS = 3_600_000;

const one = await startTestServer({ server: { live: { pollMs: 100 } } });
const two = await startTestServer({ sameDatabaseAs: one, server: { live: { pollMs: 100 } } });
const nodes = [one, two];
const ann = await one.member({ id: "ann", roles: ["worker"] });
const head = () => one.testEngine.engine.feedPosition("main");
const make = async (node: TestServer) => {
  const { body } = await node.ask("POST /api/tasks", {
    token: ann,
    body: { lifecycle: "code", title: "Mend" },
  });
  return String(body.id);
};
const claim = (node: TestServer) =>
  node.ask("POST /api/claims", { token: ann, body: { lifecycle: "code", limit: 2 } });
const upTo = (last: number, after = 0) => Array.from({ length: last - after }, (_, n) => after + 1 + n);

/** Starts writers on both nodes that create and claim until stopped. */
function keepWriting(callers: number) {
  let stopped = false;
  const work = Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const node = nodes[caller % nodes.length]!;
      while (!stopped) {
        await make(node);
        if (caller % 4 < 2) await claim(node);
      }
    }),
  );
  return async () => {
    stopped = true;
    await work;
  };
}

test("a reader that continues after any position, at any node, gets the rest once and in order, while both nodes write", async () => {
  const stop = keepWriting(8);
  while ((await head()) < 80) await pause(5);
  const readers = await Promise.all(
    Array.from({ length: 80 }, async (_, after) => ({
      after,
      listener: await listen(nodes[after % 2]!.url, ann, { query: `?after=${after}` }),
    })),
  );
  while ((await head()) < 400) await pause(5);
  await stop();
  const last = await head();
  for (const { after, listener } of readers) {
    await listener.until(() => listener.events.length >= last - after);
    expect(positionsOf(listener.events)).toEqual(upTo(last, after));
    listener.close();
  }
});

test("a reader that reconnects repeatedly, to either node, misses and repeats no event", async () => {
  const before = await head();
  const stop = keepWriting(8);
  const received: ReceivedEvent[] = [];
  for (let round = 0; round < 60; round++) {
    const last = received.at(-1)?.position ?? before;
    const listener = await listen(nodes[round % 2]!.url, ann, {
      query: `?after=${before}`,
      headers: { "last-event-id": String(last) },
    });
    const minimum = 1 + (round % 7) * 3;
    await listener.until(() => listener.events.length >= minimum);
    listener.close();
    await listener.ended;
    // Includes events that arrived while it closed.
    received.push(...listener.events);
  }
  await stop();
  expect(positionsOf(received)).toEqual(upTo(received.at(-1)!.position, before));
});

test("readers at both nodes receive the same events", async () => {
  const listeners = await Promise.all(
    [one, two, one, two].map(({ url }, n) => listen(url, ann, { query: n < 2 ? "" : "?lifecycle=code" })),
  );
  const before = await head();
  const stop = keepWriting(4);
  while ((await head()) < before + 300) await pause(5);
  await stop();
  const last = await head();
  for (const listener of listeners) {
    await listener.until(() => listener.events.at(-1)?.position === last);
    expect(positionsOf(listener.events)).toEqual(upTo(last, before));
    expect(listener.events).toEqual(listeners[0]!.events);
  }
  for (const listener of listeners) listener.close();
});

test("events of the sweep and of a caller's own transaction are streamed too", async () => {
  const listener = await listen(two.url, ann);
  const known = await one.directory.authenticate(ann);
  if (known.kind === "refused") throw new Error(known.detail);
  await one.sql.begin((tx) =>
    one.testEngine.engine.create(known, [{ lifecycle: "code", title: "Mend" }], { tx }),
  );
  await listener.until(() => listener.events.length === 1);
  // The lease of the claimed task expires.
  await claim(one);
  await listener.until(() => listener.events.length > 1);
  const countBefore = listener.events.length;
  await one.testEngine.engine.sweep({ now: Date.now() + 30 * 86_400_000 });
  await listener.until(() => listener.events.length > countBefore);
  expect(listener.events.at(-1)?.actor_id).toBeNull();
  listener.close();
});

/** Opens a node that learns of other nodes' commits only by notifications: it polls once an hour. */
async function openListeningNode(url: string, directUrl?: string) {
  const sql = connect(url, { maxConnections: 4, ownSessions: !directUrl });
  const node = await startTestServer({ sameDatabaseAs: one, server: { live: { pollMs: HARDLY_EVER_MS } } });
  const hints = startCommitHints(node.engine.commits, sql, { listens: true, directUrl });
  onTestFinished(async () => {
    await hints.stop();
    await sql.end({ timeout: 1 });
  });
  return node;
}

const telling = connect(one.testEngine.url, { maxConnections: 2 });
const teller = startCommitHints(one.testEngine.engine.commits, telling);
afterAll(async () => {
  await teller.stop();
  await telling.end({ timeout: 1 });
});

test("a commit on one node reaches readers of another at once, without polling", async () => {
  const listeningNode = await openListeningNode(one.testEngine.url);
  const listener = await listen(listeningNode.url, ann);
  // A notification before LISTEN is lost; the next one delivers all earlier events too.
  await expect.poll(() => make(one).then(() => listener.events.length)).toBeGreaterThan(0);
  for (let round = 1; round <= 20; round++) {
    await make(one);
    const last = await head();
    await listener.until(() => listener.events.at(-1)?.position === last);
  }
  listener.close();
});

test("notifications use the direct address if there is one, and resume after an outage", async () => {
  const direct = await databaseSwitch(one.testEngine.url);
  onTestFinished(() => direct.close());
  const listeningNode = await openListeningNode(one.testEngine.url, direct.url);
  const listener = await listen(listeningNode.url, ann);
  const expectNotified = async () => {
    const countBefore = listener.events.length;
    await expect.poll(() => make(one).then(() => listener.events.length)).toBeGreaterThan(countBefore);
    // Wait until nothing is in flight.
    const last = await head();
    await listener.until(() => listener.events.at(-1)?.position === last);
  };
  await expectNotified();
  await direct.off();
  const countBefore = listener.events.length;
  const ear = connect(one.testEngine.url, { maxConnections: 1 });
  onTestFinished(() => ear.end({ timeout: 1 }));
  let sent = 0;
  await ear.listen(COMMITS_CHANNEL, () => sent++);
  // The first may be merged with earlier notifications; the second follows it.
  for (let round = 0; round < 2; round++) {
    const before = sent;
    await make(one);
    await expect.poll(() => sent).toBeGreaterThan(before);
  }
  expect(listener.events).toHaveLength(countBefore);
  await direct.on();
  await expectNotified();
  listener.close();
});

test("a commit is notified, and a refusal is not", async () => {
  let commits = 0;
  onTestFinished(one.testEngine.engine.commits.onCommitted(() => commits++));
  const id = await make(two);
  const refused = {
    action: "start",
    lease_token: crypto.randomUUID(),
    payload: { worktree: "/w", branch: "b" },
  };
  expect((await one.ask(`POST /api/tasks/${id}/transitions`, { token: ann, body: refused })).status).toBe(
    409,
  );
  await one.ask("POST /api/claims", { token: ann, body: { lifecycle: "delivery" } });
  expect(commits).toBe(0);
  await make(one);
  expect(commits).toBe(1);
});

test("an org of any name is notified", async () => {
  const [here, there] = [new Commits(), new Commits()];
  const sql = connect(one.testEngine.url, { maxConnections: 2, ownSessions: true });
  const hints = [startCommitHints(here, sql), startCommitHints(there, sql, { listens: true })];
  onTestFinished(async () => {
    await Promise.all(hints.map((hint) => hint.stop()));
    await sql.end({ timeout: 1 });
  });
  const received = new Set<string>();
  there.onCommitted((org_id, where) => received.add(`${where} ${org_id}`));
  const orgs = ["a b  c", '{"x",}', "é ✓", "main"];
  await expect
    .poll(() => {
      for (const org_id of orgs) here.notify(org_id);
      return [...received].sort();
    })
    .toEqual(orgs.map((org_id) => `elsewhere ${org_id}`).sort());
});

test("no LISTEN through a pooler, where another client would get the session", async () => {
  const [here, there] = [new Commits(), new Commits()];
  const pooled = connect(one.testEngine.url, { maxConnections: 1 });
  const ear = connect(one.testEngine.url, { maxConnections: 1 });
  const hints = [startCommitHints(here, pooled), startCommitHints(there, pooled, { listens: true })];
  onTestFinished(async () => {
    await Promise.all(hints.map((hint) => hint.stop()));
    await Promise.all([pooled, ear].map((sql) => sql.end({ timeout: 1 })));
  });
  let received = 0;
  there.onCommitted(() => received++);
  const notified = new Promise(
    (resolve) =>
      void ear.listen(COMMITS_CHANNEL, resolve, () => {
        here.notify("main");
      }),
  );
  await notified;
  const listening = await pooled`
    select from pg_stat_activity where datname = current_database() and query ilike 'listen %'`;
  expect(listening, "only the ear").toHaveLength(1);
  expect(received).toBe(0);
});

test("two processes behave as one, and a stopped one ends its streams with a retry delay", async () => {
  const env = { DATABASE_URL: await emptyDatabase(), PAWL_ADMIN_TOKEN: "an-admin-of-the-test" };
  const first = await startPawl(["--port", "0"], { env });
  const second = await startPawl(["--port", "0"], { env });
  const body = { id: "ann", roles: ["worker"] };
  await first.ask("POST /api/members", "an-admin-of-the-test", body);
  const { body: issued } = await first.ask("POST /api/members/ann/tokens", "an-admin-of-the-test", {});
  const token = String(issued.token);
  const listener = await listen(second.address, token);
  for (let round = 1; round <= 5; round++) {
    await first.ask("POST /api/tasks", token, { lifecycle: "code", title: "Mend it" });
    await listener.until(() => listener.events.length === round);
  }
  const ended = second.stop();
  await listener.ended;
  expect(listener.text()).toMatch(/retry: \d+\n\n$/);
  expect(await ended).toBe(0);
  const again = await listen(first.address, token, { headers: { "last-event-id": "3" } });
  await again.until(() => again.events.length === 2);
  expect(positionsOf(again.events)).toEqual([4, 5]);
  again.close();
});
