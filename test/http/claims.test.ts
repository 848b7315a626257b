import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { EngineObserver } from "../../src/engine/observer.ts";
import { startTestServer, outcomeOf } from "./test-server.ts";

const NO_POLL_MS = 3_600_000;
/** The maximum of the route. */
const MAX_WAIT_SECONDS = 60;

/** Number of polls of the database by claims. */
let polls = 0;
const observer: EngineObserver = {
  settled: ({ verb, answered }) => {
    if (verb === "claim") polls += answered.length;
  },
};
// A waiting claim polls once when it arrives; after that only a notification makes it poll again.
const server = { claimPollMs: NO_POLL_MS };
const testServer = await startTestServer({ observer, server });
const otherNode = await startTestServer({
  sameDatabaseAs: testServer,
  observer,
  server: { claimPollMs: 100 },
});
const ann = await testServer.member({ id: "ann", roles: ["worker", "agent"] });

type ClaimedTask = { id: string; lease_token: string | null; lease_until: string | null; status: string };

const add = (at = testServer) =>
  at.ask("POST /api/tasks", { token: ann, body: { lifecycle: "code", title: "Mend it" } });
const claim = (
  more: object = {},
  options: { signal?: AbortSignal; at?: typeof testServer; token?: string } = {},
) =>
  (options.at ?? testServer).ask("POST /api/claims", {
    token: options.token ?? ann,
    body: { lifecycle: "code", ...more },
    ...(options.signal ? { signal: options.signal } : {}),
  });
/** Starts claims that wait, and returns their promises once each has polled and found nothing. */
const startWaiting = async (count: number, fields: object = {}, options?: Parameters<typeof claim>[1]) => {
  const before = polls;
  const waiting = Array.from({ length: count }, () =>
    claim({ wait_seconds: MAX_WAIT_SECONDS, ...fields }, options),
  );
  for (const one of waiting) one.catch(() => undefined);
  await expect.poll(() => polls).toBeGreaterThanOrEqual(before + count);
  return waiting as [(typeof waiting)[number], ...typeof waiting];
};
const tasksOf = ({ body }: { body: Record<string, unknown> }) => body.tasks as ClaimedTask[];

test("a claim returns the tasks with their leases; no other answer contains the lease token", async () => {
  const { body: created } = await add();
  const [task] = tasksOf(await claim());
  expect(task).toMatchObject({ id: created.id, status: "claimed", assigned_to: null });
  expect(task?.lease_token).toMatch(/^[0-9a-f-]{36}$/);
  expect(Date.parse(task?.lease_until ?? "")).toBeGreaterThan(Date.now());
  for (const what of ["GET /api/tasks", `GET /api/tasks/${task!.id}`, `GET /api/tasks/${task!.id}/events`])
    expect((await testServer.ask(what, { token: ann })).text).not.toContain(task!.lease_token);
});

test("in a lifecycle without leases the token and its expiry are null", async () => {
  const body = { lifecycle: "board", title: "Paint the shed", description: "x" };
  await testServer.ask("POST /api/tasks", { token: ann, body });
  const [task] = tasksOf(await claim({ lifecycle: "board", comment: "mine" }));
  expect(task).toMatchObject({ status: "IN_PROGRESS", lease_token: null, lease_until: null });
});

test("a claim by an action returns the token too, and only in that answer", async () => {
  const { body: created } = await add();
  const what = `POST /api/tasks/${String(created.id)}/transitions`;
  const moved = await testServer.ask(what, { token: ann, body: { action: "claim" } });
  const { lease_token } = moved.body as { lease_token: string };
  expect(lease_token).toMatch(/^[0-9a-f-]{36}$/);
  const body = { action: "start", lease_token, payload: { worktree: "/w", branch: "b" } };
  expect((await testServer.ask(what, { token: ann, body })).body).toMatchObject({ lease_token: null });
});

test("a heartbeat returns which leases are renewed and which are lost", async () => {
  await add();
  const [task] = tasksOf(await claim());
  const bob = await testServer.member({ id: "bob", roles: ["worker"] });
  const leases = [
    { task_id: task!.id, lease_token: task!.lease_token },
    { task_id: "0197a000-0000-7000-8000-000000000001", lease_token: task!.lease_token },
    { task_id: "nonsense", lease_token: "nonsense" },
  ];
  const lost = [leases[1]!.task_id, "nonsense"];
  const mine = await testServer.ask("POST /api/heartbeats", { token: ann, body: { leases } });
  expect(mine.body).toMatchObject({ extended: [{ task_id: task!.id }], lost });
  const his = await testServer.ask("POST /api/heartbeats", { token: bob, body: { leases } });
  expect(his.body).toEqual({ extended: [], lost: [task!.id, ...lost] });
});

test("a waiting claim is answered as soon as there is a task", async () => {
  for (let round = 0; round < 5; round++) {
    const before = polls;
    const [waiting] = await startWaiting(1);
    const { body: created } = await add();
    expect(tasksOf(await waiting)).toMatchObject([{ id: created.id }]);
    expect(polls).toBe(before + 2);
  }
});

test("a waiting claim finds a task of another node without a notification", async () => {
  const [waiting] = await startWaiting(1, {}, { at: otherNode });
  const { body: created } = await add();
  expect(tasksOf(await waiting)).toMatchObject([{ id: created.id }]);
});

test("many waiting claims get one task each", async () => {
  // Notified claims can meet at the same task; the one that gets nothing finds another by its own poll.
  const usual = await startTestServer({ sameDatabaseAs: testServer, observer });
  const waiting = await startWaiting(10, {}, { at: usual });
  const created = await Promise.all(Array.from({ length: 10 }, () => add(usual)));
  const got = (await Promise.all(waiting)).flatMap(tasksOf);
  expect(got.map(({ id }) => id).sort()).toEqual(created.map(({ body }) => String(body.id)).sort());
});

test("a claim that finds nothing is empty when its time is over", async () => {
  const before = Date.now();
  const reply = await claim({ wait_seconds: 0.3 });
  expect([reply.status, tasksOf(reply)]).toEqual([200, []]);
  expect(Date.now() - before).toBeGreaterThanOrEqual(290);
});

test("an empty claim has the reason if there was a task that the caller may not claim", async () => {
  const lead = await testServer.member({ id: "lea", roles: ["lead"] });
  const joe = await testServer.member({ id: "joe", roles: ["executor"], skill_level: 5 });
  for (const title of ["Weld", "Grind"])
    await testServer.ask("POST /api/tasks", {
      token: lead,
      body: { lifecycle: "planner", title, client_event_id: title },
    });
  const take = (client_event_id: string) => claim({ lifecycle: "planner", client_event_id }, { token: joe });
  expect(tasksOf(await take("one"))).toHaveLength(1);
  expect((await take("another")).body).toMatchObject({ tasks: [], refusal: { code: "WIP_LIMIT" } });
});

test("a claim whose caller has disconnected takes no task", async () => {
  const leaving = new AbortController();
  const arrived = once(testServer.server, "request") as Promise<[unknown, ServerResponse]>;
  const [gone] = await startWaiting(1, {}, { signal: leaving.signal });
  const [, response] = await arrived;
  const noticed = once(response, "close");
  leaving.abort();
  await expect(gone).rejects.toThrow();
  await noticed;
  // The server notifies the claim that has waited longest: one that is gone would be notified before this one.
  const [next] = await startWaiting(1);
  const { body: created } = await add();
  expect(tasksOf(await next)).toMatchObject([{ id: created.id }]);
});

test("a repeated waiting claim with the same key returns the same tasks", async () => {
  const [waiting] = await startWaiting(1, { client_event_id: "waited" });
  await add();
  const first = await waiting;
  const again = await claim({ wait_seconds: MAX_WAIT_SECONDS, client_event_id: "waited" });
  expect(tasksOf(again)).toEqual(tasksOf(first));
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

test("a stopping server answers waiting claims and finishes running requests", async () => {
  const node = await startTestServer({ sameDatabaseAs: testServer, observer, server });
  const [elsewhere] = await startWaiting(1);
  const [waiting] = await startWaiting(1, {}, { at: node });
  const order: string[] = [];
  void elsewhere.then(() => order.push("elsewhere"));
  void waiting.then(() => order.push("at the stopped server"));
  const closing = node.close();
  const reply = await waiting;
  await closing;
  expect([outcomeOf(reply), tasksOf(reply)]).toEqual(["200", []]);
  expect(reply.headers.get("connection")).toBe("close");
  // The other claim began earlier and waits as long: at the end of its time it would have been answered first.
  expect(order).toEqual(["at the stopped server"]);
  await expect(node.ask("GET /live")).rejects.toThrow();
  const { body: created } = await add();
  expect(tasksOf(await elsewhere)).toMatchObject([{ id: created.id }]);
});
