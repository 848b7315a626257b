import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { startCommitHints } from "../../src/engine/commit-hints.ts";
import { Commits } from "../../src/engine/commits.ts";
import { connect } from "../../src/postgres/connect.ts";
import { COMMITS_CHANNEL } from "../../src/engine/sql/tell-commits.ts";
import { databaseSwitch } from "./database-switch.ts";
import { openFrontDesk } from "./front-desk.ts";
import type { FrontDesk } from "./front-desk.ts";
import { listen, positionsOf } from "./listener.ts";
import type { HeardEvent } from "./listener.ts";
import { emptyDatabase, startPawl } from "./running-pawl.ts";

const HARDLY_EVER_MS = 3_600_000;

const one = await openFrontDesk({ server: { live: { lookMs: 100 } } });
const two = await openFrontDesk({ beside: one, server: { live: { lookMs: 100 } } });
const nodes = [one, two];
const ann = await one.member({ id: "ann", roles: ["worker"] });
const head = () => one.desk.engine.feedPosition("main");
const make = async (node: FrontDesk) => {
  const { body } = await node.ask("POST /api/tasks", {
    token: ann,
    body: { lifecycle: "code", title: "Mend" },
  });
  return String(body.id);
};
const claim = (node: FrontDesk) =>
  node.ask("POST /api/claims", { token: ann, body: { lifecycle: "code", limit: 2 } });
const upTo = (last: number, after = 0) => Array.from({ length: last - after }, (_, n) => after + 1 + n);

/** Writers on both nodes who create and claim until they are told to stop. */
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

test("whoever goes on after any position, at any node, gets the rest once and in order, while both nodes write", async () => {
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

test("a reader who loses his connection again and again, now here and now there, misses nothing and hears nothing twice", async () => {
  const before = await head();
  const stop = keepWriting(8);
  const heard: HeardEvent[] = [];
  for (let round = 0; round < 60; round++) {
    const last = heard.at(-1)?.position ?? before;
    const listener = await listen(nodes[round % 2]!.url, ann, {
      query: `?after=${before}`,
      headers: { "last-event-id": String(last) },
    });
    const wanted = 1 + (round % 7) * 3;
    await listener.until(() => listener.events.length >= wanted);
    listener.close();
    await listener.ended;
    // Also what came while he left.
    heard.push(...listener.events);
  }
  await stop();
  expect(positionsOf(heard)).toEqual(upTo(heard.at(-1)!.position, before));
});

test("readers at both nodes are told the same", async () => {
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

test("what is swept, and what is done inside a caller's own transaction, is told as well", async () => {
  const listener = await listen(two.url, ann);
  const known = await one.directory.authenticate(ann);
  if (known.kind === "refused") throw new Error(known.detail);
  await one.sql.begin((tx) => one.desk.engine.create(known, [{ lifecycle: "code", title: "Mend" }], { tx }));
  await listener.until(() => listener.events.length === 1);
  // The lease of what was claimed runs out.
  await claim(one);
  await listener.until(() => listener.events.length > 1);
  const told = listener.events.length;
  await one.desk.engine.sweep({ now: Date.now() + 30 * 86_400_000 });
  await listener.until(() => listener.events.length > told);
  expect(listener.events.at(-1)?.actor_id).toBeNull();
  listener.close();
});

/** A node that hears others only by what they tell: it would look by itself in an hour. */
async function openHearer(url: string, directUrl?: string) {
  const sql = connect(url, { maxConnections: 4, ownSessions: !directUrl });
  const node = await openFrontDesk({ beside: one, server: { live: { lookMs: HARDLY_EVER_MS } } });
  const hints = startCommitHints(node.engine.commits, sql, { hears: true, directUrl });
  onTestFinished(async () => {
    await hints.stop();
    await sql.end({ timeout: 1 });
  });
  return node;
}

const telling = connect(one.desk.url, { maxConnections: 2 });
const teller = startCommitHints(one.desk.engine.commits, telling);
afterAll(async () => {
  await teller.stop();
  await telling.end({ timeout: 1 });
});

test("what one node commits another is told at once, without looking", async () => {
  const hearer = await openHearer(one.desk.url);
  const listener = await listen(hearer.url, ann);
  // What is told before it listens is not heard; the next time it is, with all that came before.
  await expect.poll(() => make(one).then(() => listener.events.length)).toBeGreaterThan(0);
  for (let round = 1; round <= 20; round++) {
    await make(one);
    const last = await head();
    await listener.until(() => listener.events.at(-1)?.position === last);
  }
  listener.close();
});

test("nodes are heard at a direct address where there is one, and again after it was gone", async () => {
  const direct = await databaseSwitch(one.desk.url);
  onTestFinished(() => direct.close());
  const hearer = await openHearer(one.desk.url, direct.url);
  const listener = await listen(hearer.url, ann);
  const isHeard = async () => {
    const told = listener.events.length;
    await expect.poll(() => make(one).then(() => listener.events.length)).toBeGreaterThan(told);
    // Nothing is still on its way.
    const last = await head();
    await listener.until(() => listener.events.at(-1)?.position === last);
  };
  await isHeard();
  await direct.off();
  const told = listener.events.length;
  const ear = connect(one.desk.url, { maxConnections: 1 });
  onTestFinished(() => ear.end({ timeout: 1 }));
  let sent = 0;
  await ear.listen(COMMITS_CHANNEL, () => sent++);
  // The first may be told together with earlier commits; the second is told after it.
  for (let round = 0; round < 2; round++) {
    const before = sent;
    await make(one);
    await expect.poll(() => sent).toBeGreaterThan(before);
  }
  expect(listener.events).toHaveLength(told);
  await direct.on();
  await isHeard();
  listener.close();
});

test("a commit is told of, and what was refused is not", async () => {
  let commits = 0;
  onTestFinished(one.desk.engine.commits.onCommitted(() => commits++));
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

test("an org of any name is told of", async () => {
  const [here, there] = [new Commits(), new Commits()];
  const sql = connect(one.desk.url, { maxConnections: 2, ownSessions: true });
  const hints = [startCommitHints(here, sql), startCommitHints(there, sql, { hears: true })];
  onTestFinished(async () => {
    await Promise.all(hints.map((hint) => hint.stop()));
    await sql.end({ timeout: 1 });
  });
  const heard = new Set<string>();
  there.onCommitted((org_id, where) => heard.add(`${where} ${org_id}`));
  const orgs = ["a b  c", '{"x",}', "é ✓", "main"];
  await expect
    .poll(() => {
      for (const org_id of orgs) here.tell(org_id);
      return [...heard].sort();
    })
    .toEqual(orgs.map((org_id) => `elsewhere ${org_id}`).sort());
});

test("through a pooler nobody is listened to: the session there would be somebody else's", async () => {
  const [here, there] = [new Commits(), new Commits()];
  const pooled = connect(one.desk.url, { maxConnections: 1 });
  const ear = connect(one.desk.url, { maxConnections: 1 });
  const hints = [startCommitHints(here, pooled), startCommitHints(there, pooled, { hears: true })];
  onTestFinished(async () => {
    await Promise.all(hints.map((hint) => hint.stop()));
    await Promise.all([pooled, ear].map((sql) => sql.end({ timeout: 1 })));
  });
  let heard = 0;
  there.onCommitted(() => heard++);
  const told = new Promise(
    (resolve) =>
      void ear.listen(COMMITS_CHANNEL, resolve, () => {
        here.tell("main");
      }),
  );
  await told;
  const listening = await pooled`
    select from pg_stat_activity where datname = current_database() and query ilike 'listen %'`;
  expect(listening, "only the ear").toHaveLength(1);
  expect(heard).toBe(0);
});

test("two processes behave as one, and one that is stopped sends its readers away with a hint", async () => {
  const env = { DATABASE_URL: await emptyDatabase(), PAWL_ADMIN_TOKEN: "sesame" };
  const first = await startPawl(["--port", "0"], { env });
  const second = await startPawl(["--port", "0"], { env });
  const body = { id: "ann", roles: ["worker"] };
  await first.ask("POST /api/members", "sesame", body);
  const { body: issued } = await first.ask("POST /api/members/ann/tokens", "sesame", {});
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
