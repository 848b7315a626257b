import { expect, test } from "vitest";
import { createClient, PawlProblem } from "../../src/client/index.ts";
import type { FeedEvent } from "../../src/client/index.ts";
import type { board } from "../../src/lifecycles/board/lifecycle.ts";
import { startTestServer } from "../http/test-server.ts";
import { openBadLine } from "./faulty-proxy.ts";

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["agent", "worker"] });
const direct = createClient<typeof board>({ url: server.url, token: ann }).lifecycle("board");

let numbers = 0;
const createTask = () => direct.create({ title: `Task ${numbers++} of many`, description: "x" });

/** Collects `count` events. */
async function take(events: AsyncIterable<FeedEvent>, count: number): Promise<FeedEvent[]> {
  const received: FeedEvent[] = [];
  for await (const event of events) if (received.push(event) >= count) break;
  return received;
}

/** Returns all positions of the feed. */
async function feedPositions(): Promise<number[]> {
  const rows = await server.sql<{ position: string }[]>`
    select position from pawl.event where org_id = 'main' order by position`;
  return rows.map(({ position }) => Number(position));
}

test("an event has the change of its task and its position in the feed", async () => {
  const opened = new AbortController();
  const client = createClient({ url: server.url, token: ann });
  const events = client.events({
    onConnection: () => {
      opened.abort();
    },
  });
  const first = events.next();
  await expect.poll(() => opened.signal.aborted).toBe(true);
  const task = await createTask();
  const { value: created } = await first;
  expect(created).toMatchObject({
    type: "created",
    lifecycle: "board",
    project_id: "main",
    task_id: task.id,
    row_version: 1,
    action: "create",
    from_status: null,
    to_status: "NEW",
    actor_id: "ann",
  });
  await direct.act(task.id, "claim", { comment: "mine" });
  const { value: claimed } = await events.next();
  expect(claimed).toMatchObject({ type: "claimed", position: (created as FeedEvent).position + 1 });
  await events.return();
});

test("`after` continues from a position, and 0 is the beginning", async () => {
  const all = await feedPositions();
  const client = createClient({ url: server.url, token: ann });
  expect((await take(client.events({ after: 0 }), all.length)).map(({ position }) => position)).toEqual(all);
  const [second] = await take(client.events({ after: all[0]! }), 1);
  expect(second?.position).toBe(all[1]);
});

test("a filter by task yields only that task's events", async () => {
  const [one, other] = [await createTask(), await createTask()];
  await direct.act(other.id, "claim", { comment: "mine" });
  await direct.act(one.id, "claim", { comment: "mine" });
  const received = await take(direct.events({ after: 0, task_id: one.id }), 2);
  expect(received.map(({ task_id, type }) => [task_id, type])).toEqual([
    [one.id, "created"],
    [one.id, "claimed"],
  ]);
});

test("a stream that is cut repeatedly at any byte loses and repeats no event", async () => {
  const line = await openBadLine(server.url);
  const cuts = Array.from({ length: 6 }, () => 100 + Math.floor(Math.random() * 1_500));
  line.cutStreamAfter = () => cuts.shift() ?? null;
  const start = (await feedPositions()).at(-1)!;
  const client = createClient({ url: line.url, token: ann });
  const received = take(client.events({ after: start }), 60);
  for (let round = 0; round < 20; round++) {
    const { id } = await createTask();
    await direct.act(id, "claim", { comment: "mine" });
    await direct.act(id, "complete", { comment: "done" });
  }
  expect((await received).map(({ position }) => position)).toEqual((await feedPositions()).slice(-60));
  expect(line.requests.length).toBeGreaterThan(3);
});

test("a stream from now that is cut before the first event misses no event", async () => {
  const line = await openBadLine(server.url);
  // By then only the position of the feed has arrived.
  line.cutStreamAfter = () => (line.requests.length === 1 ? 24 : null);
  const states: string[] = [];
  const client = createClient({ url: line.url, token: ann });
  const received = take(client.events({ onConnection: (state) => states.push(state) }), 1);
  await expect.poll(() => states).toEqual(["open", "lost"]);
  const { id } = await createTask();
  expect((await received)[0]?.task_id).toBe(id);
  expect(states).toEqual(["open", "lost", "open"]);
});

test("a client reconnects to a restarted server, without loss or repetition", async () => {
  const first = await startTestServer({ sameDatabaseAs: server });
  const line = await openBadLine(first.url);
  const start = (await feedPositions()).at(-1)!;
  const states: string[] = [];
  const client = createClient({ url: line.url, token: ann });
  const received = take(client.events({ after: start, onConnection: (state) => states.push(state) }), 9);
  await createTask();
  await expect.poll(() => states).toEqual(["open"]);
  await first.close();
  for (let round = 0; round < 4; round++) await createTask();
  const second = await startTestServer({ sameDatabaseAs: server });
  line.leadTo(second.url);
  for (let round = 0; round < 4; round++) await createTask();
  expect((await received).map(({ position }) => position)).toEqual((await feedPositions()).slice(-9));
  expect(states.at(-1)).toBe("open");
});

test("the signal ends a stream without an error, while it is open and while it waits to reconnect", async () => {
  const stop = new AbortController();
  const states: string[] = [];
  const onConnection = (state: string) => states.push(state);
  const client = createClient({ url: server.url, token: ann });
  const listening = take(client.events({ signal: stop.signal, onConnection }), 1);
  const unreachable = createClient({ url: "http://127.0.0.1:9", signal: stop.signal });
  const waiting = take(unreachable.events({ onConnection }), 1);
  await expect.poll(() => [...states].sort()).toEqual(expect.arrayContaining(["lost", "open"]));
  stop.abort();
  expect(await Promise.all([listening, waiting])).toEqual([[], []]);
  expect(await take(unreachable.events(), 1)).toEqual([]);
});

test("a refusal ends a stream, also when its token is revoked", async () => {
  const wrong = createClient({ url: server.url, token: "unknown-token" });
  await expect(take(wrong.events(), 1)).rejects.toMatchObject({ code: "INVALID_TOKEN", status: 401 });
  const invalid = createClient({ url: server.url, token: ann }).events({ task_id: "x" });
  await expect(take(invalid, 1)).rejects.toBeInstanceOf(PawlProblem);

  const admin = createClient({ url: server.url, token: server.admin });
  const { id, token } = await admin.createToken({ id: "ann" });
  const states: string[] = [];
  const onConnection = (state: string) => states.push(state);
  const received = take(createClient({ url: server.url, token }).events({ onConnection }), 1);
  const refused = expect(received).rejects.toMatchObject({ code: "INVALID_TOKEN" });
  await expect.poll(() => states).toEqual(["open"]);
  await admin.revokeToken({ id });
  await refused;
});
