import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { EngineObserver } from "../../src/engine/observer.ts";
import { openFrontDesk, wordOf } from "./front-desk.ts";

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
const server = { claimLookMs: NO_POLL_MS };
const desk = await openFrontDesk({ observer, server });
const beside = await openFrontDesk({ beside: desk, observer, server: { claimLookMs: 100 } });
const ann = await desk.member({ id: "ann", roles: ["worker", "agent"] });

type ClaimedTask = { id: string; lease_token: string | null; lease_until: string | null; status: string };

const add = (at = desk) =>
  at.ask("POST /api/tasks", { token: ann, body: { lifecycle: "code", title: "Mend it" } });
const claim = (more: object = {}, how: { signal?: AbortSignal; at?: typeof desk; token?: string } = {}) =>
  (how.at ?? desk).ask("POST /api/claims", {
    token: how.token ?? ann,
    body: { lifecycle: "code", ...more },
    ...(how.signal ? { signal: how.signal } : {}),
  });
/** Starts claims that wait, and returns their promises once each has polled and found nothing. */
const startWaiting = async (count: number, ...how: Parameters<typeof claim>) => {
  const before = polls;
  const waiting = Array.from({ length: count }, () =>
    claim({ wait_seconds: MAX_WAIT_SECONDS, ...how[0] }, how[1]),
  );
  for (const one of waiting) one.catch(() => undefined);
  await expect.poll(() => polls).toBeGreaterThanOrEqual(before + count);
  return waiting as [(typeof waiting)[number], ...typeof waiting];
};
const tasksOf = ({ body }: { body: Record<string, unknown> }) => body.tasks as ClaimedTask[];

test("a claim gives the tasks with their leases; nobody else is ever told the token", async () => {
  const { body: made } = await add();
  const [task] = tasksOf(await claim());
  expect(task).toMatchObject({ id: made.id, status: "claimed", assigned_to: null });
  expect(task?.lease_token).toMatch(/^[0-9a-f-]{36}$/);
  expect(Date.parse(task?.lease_until ?? "")).toBeGreaterThan(Date.now());
  for (const what of ["GET /api/tasks", `GET /api/tasks/${task!.id}`, `GET /api/tasks/${task!.id}/events`])
    expect((await desk.ask(what, { token: ann })).text).not.toContain(task!.lease_token);
});

test("where a lifecycle has no leases the token and its end are null", async () => {
  const body = { lifecycle: "board", title: "Paint the shed", description: "x" };
  await desk.ask("POST /api/tasks", { token: ann, body });
  const [task] = tasksOf(await claim({ lifecycle: "board", comment: "mine" }));
  expect(task).toMatchObject({ status: "IN_PROGRESS", lease_token: null, lease_until: null });
});

test("a claim by a move gives the token as well, and only there", async () => {
  const { body: made } = await add();
  const what = `POST /api/tasks/${String(made.id)}/transitions`;
  const moved = await desk.ask(what, { token: ann, body: { action: "claim" } });
  const { lease_token } = moved.body as { lease_token: string };
  expect(lease_token).toMatch(/^[0-9a-f-]{36}$/);
  const body = { action: "start", lease_token, payload: { worktree: "/w", branch: "b" } };
  expect((await desk.ask(what, { token: ann, body })).body).toMatchObject({ lease_token: null });
});

test("a heartbeat tells which leases are renewed and which are lost", async () => {
  await add();
  const [task] = tasksOf(await claim());
  const bob = await desk.member({ id: "bob", roles: ["worker"] });
  const leases = [
    { task_id: task!.id, lease_token: task!.lease_token },
    { task_id: "0197a000-0000-7000-8000-000000000001", lease_token: task!.lease_token },
    { task_id: "nonsense", lease_token: "nonsense" },
  ];
  const lost = [leases[1]!.task_id, "nonsense"];
  const mine = await desk.ask("POST /api/heartbeats", { token: ann, body: { leases } });
  expect(mine.body).toMatchObject({ extended: [{ task_id: task!.id }], lost });
  const his = await desk.ask("POST /api/heartbeats", { token: bob, body: { leases } });
  expect(his.body).toEqual({ extended: [], lost: [task!.id, ...lost] });
});

test("a claim that waits is answered as soon as there is a task", async () => {
  for (let round = 0; round < 5; round++) {
    const before = polls;
    const [waiting] = await startWaiting(1);
    const { body: made } = await add();
    expect(tasksOf(await waiting)).toMatchObject([{ id: made.id }]);
    expect(polls).toBe(before + 2);
  }
});

test("a task of another node's is found by one who waits, though nobody tells him", async () => {
  const [waiting] = await startWaiting(1, {}, { at: beside });
  const { body: made } = await add();
  expect(tasksOf(await waiting)).toMatchObject([{ id: made.id }]);
});

test("many who wait get one task each", async () => {
  // Notified claims can meet at the same task; the one that gets nothing finds another by its own poll.
  const usual = await openFrontDesk({ beside: desk, observer });
  const waiting = await startWaiting(10, {}, { at: usual });
  const made = await Promise.all(Array.from({ length: 10 }, () => add(usual)));
  const got = (await Promise.all(waiting)).flatMap(tasksOf);
  expect(got.map(({ id }) => id).sort()).toEqual(made.map(({ body }) => String(body.id)).sort());
});

test("a claim that waited in vain is empty when its time is over", async () => {
  const before = Date.now();
  const heard = await claim({ wait_seconds: 0.3 });
  expect([heard.status, tasksOf(heard)]).toEqual([200, []]);
  expect(Date.now() - before).toBeGreaterThanOrEqual(290);
});

test("an empty claim says why, where there is a task that was not for this one", async () => {
  const lead = await desk.member({ id: "lea", roles: ["lead"] });
  const joe = await desk.member({ id: "joe", roles: ["executor"], skill_level: 5 });
  for (const title of ["Weld", "Grind"])
    await desk.ask("POST /api/tasks", {
      token: lead,
      body: { lifecycle: "planner", title, client_event_id: title },
    });
  const take = (client_event_id: string) => claim({ lifecycle: "planner", client_event_id }, { token: joe });
  expect(tasksOf(await take("one"))).toHaveLength(1);
  expect((await take("another")).body).toMatchObject({ tasks: [], refusal: { code: "WIP_LIMIT" } });
});

test("who is gone takes no task: it stays for the next", async () => {
  const leaving = new AbortController();
  const arrived = once(desk.server, "request") as Promise<[unknown, ServerResponse]>;
  const [gone] = await startWaiting(1, {}, { signal: leaving.signal });
  const [, response] = await arrived;
  const noticed = once(response, "close");
  leaving.abort();
  await expect(gone).rejects.toThrow();
  await noticed;
  // The server notifies the claim that has waited longest: one that is gone would be notified before this one.
  const [next] = await startWaiting(1);
  const { body: made } = await add();
  expect(tasksOf(await next)).toMatchObject([{ id: made.id }]);
});

test("who waits with a key gets his tasks again by it", async () => {
  const [waiting] = await startWaiting(1, { client_event_id: "waited" });
  await add();
  const first = await waiting;
  const again = await claim({ wait_seconds: MAX_WAIT_SECONDS, client_event_id: "waited" });
  expect(tasksOf(again)).toEqual(tasksOf(first));
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

test("a server that stops answers those who wait, and lets what is under way finish", async () => {
  const node = await openFrontDesk({ beside: desk, observer, server });
  const [elsewhere] = await startWaiting(1);
  const [waiting] = await startWaiting(1, {}, { at: node });
  const order: string[] = [];
  void elsewhere.then(() => order.push("elsewhere"));
  void waiting.then(() => order.push("at the stopped server"));
  const closing = node.close();
  const heard = await waiting;
  await closing;
  expect([wordOf(heard), tasksOf(heard)]).toEqual(["200", []]);
  expect(heard.headers.get("connection")).toBe("close");
  // The other claim began earlier and waits as long: at the end of its time it would have been answered first.
  expect(order).toEqual(["at the stopped server"]);
  await expect(node.ask("GET /live")).rejects.toThrow();
  const { body: made } = await add();
  expect(tasksOf(await elsewhere)).toMatchObject([{ id: made.id }]);
});
