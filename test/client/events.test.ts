import { expect, test } from "vitest";
import { createClient, PawlProblem } from "../../src/client/index.ts";
import type { FeedEvent } from "../../src/client/index.ts";
import type { board } from "../../src/lifecycles/board/lifecycle.ts";
import { openFrontDesk } from "../http/front-desk.ts";
import { openBadLine } from "./bad-line.ts";

const desk = await openFrontDesk();
const ann = await desk.member({ id: "ann", roles: ["agent", "worker"] });
const direct = createClient<typeof board>({ url: desk.url, token: ann }).lifecycle("board");

let numbers = 0;
const makeTask = () => direct.create({ title: `Task ${numbers++} of many`, description: "x" });

/** Gathers events until there are as many as wanted. */
async function take(events: AsyncIterable<FeedEvent>, count: number): Promise<FeedEvent[]> {
  const taken: FeedEvent[] = [];
  for await (const event of events) if (taken.push(event) >= count) break;
  return taken;
}

/** Everything in the feed so far. */
async function wholeFeed(): Promise<number[]> {
  const rows = await desk.sql<{ position: string }[]>`
    select position from pawl.event where org_id = 'main' order by position`;
  return rows.map(({ position }) => Number(position));
}

test("an event tells what happened to a task, and where that stands in the feed", async () => {
  const opened = new AbortController();
  const client = createClient({ url: desk.url, token: ann });
  const events = client.events({
    onConnection: () => {
      opened.abort();
    },
  });
  const first = events.next();
  await expect.poll(() => opened.signal.aborted).toBe(true);
  const task = await makeTask();
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

test("`after` goes on from a position, and 0 is the beginning", async () => {
  const all = await wholeFeed();
  const client = createClient({ url: desk.url, token: ann });
  expect((await take(client.events({ after: 0 }), all.length)).map(({ position }) => position)).toEqual(all);
  const [second] = await take(client.events({ after: all[0]! }), 1);
  expect(second?.position).toBe(all[1]);
});

test("only the tasks that were asked for are told", async () => {
  const [one, other] = [await makeTask(), await makeTask()];
  await direct.act(other.id, "claim", { comment: "mine" });
  await direct.act(one.id, "claim", { comment: "mine" });
  const told = await take(direct.events({ after: 0, task_id: one.id }), 2);
  expect(told.map(({ task_id, type }) => [task_id, type])).toEqual([
    [one.id, "created"],
    [one.id, "claimed"],
  ]);
});

test("a stream that is cut anywhere, again and again, loses nothing and repeats nothing", async () => {
  const line = await openBadLine(desk.url);
  const cuts = Array.from({ length: 6 }, () => 100 + Math.floor(Math.random() * 1_500));
  line.cutStreamAfter = () => cuts.shift() ?? null;
  const start = (await wholeFeed()).at(-1)!;
  const client = createClient({ url: line.url, token: ann });
  const told = take(client.events({ after: start }), 60);
  for (let round = 0; round < 20; round++) {
    const { id } = await makeTask();
    await direct.act(id, "claim", { comment: "mine" });
    await direct.act(id, "complete", { comment: "done" });
  }
  expect((await told).map(({ position }) => position)).toEqual((await wholeFeed()).slice(-60));
  expect(line.requests.length).toBeGreaterThan(3);
});

test("who starts at now and loses the connection before anything happened misses nothing", async () => {
  const line = await openBadLine(desk.url);
  // Where the feed stands has arrived by then, and nothing else.
  line.cutStreamAfter = () => (line.requests.length === 1 ? 24 : null);
  const states: string[] = [];
  const client = createClient({ url: line.url, token: ann });
  const told = take(client.events({ onConnection: (state) => states.push(state) }), 1);
  await expect.poll(() => states).toEqual(["open", "lost"]);
  const { id } = await makeTask();
  expect((await told)[0]?.task_id).toBe(id);
  expect(states).toEqual(["open", "lost", "open"]);
});

test("a server that is stopped and started again is found again, without loss or repetition", async () => {
  const first = await openFrontDesk({ beside: desk });
  const line = await openBadLine(first.url);
  const start = (await wholeFeed()).at(-1)!;
  const states: string[] = [];
  const client = createClient({ url: line.url, token: ann });
  const told = take(client.events({ after: start, onConnection: (state) => states.push(state) }), 9);
  await makeTask();
  await expect.poll(() => states).toEqual(["open"]);
  await first.close();
  for (let round = 0; round < 4; round++) await makeTask();
  const second = await openFrontDesk({ beside: desk });
  line.leadTo(second.url);
  for (let round = 0; round < 4; round++) await makeTask();
  expect((await told).map(({ position }) => position)).toEqual((await wholeFeed()).slice(-9));
  expect(states.at(-1)).toBe("open");
});

test("the signal ends a stream quietly, while it listens and while it waits to connect again", async () => {
  const stop = new AbortController();
  const states: string[] = [];
  const onConnection = (state: string) => states.push(state);
  const client = createClient({ url: desk.url, token: ann });
  const listening = take(client.events({ signal: stop.signal, onConnection }), 1);
  const nobody = createClient({ url: "http://127.0.0.1:9", signal: stop.signal });
  const waiting = take(nobody.events({ onConnection }), 1);
  await expect.poll(() => [...states].sort()).toEqual(expect.arrayContaining(["lost", "open"]));
  stop.abort();
  expect(await Promise.all([listening, waiting])).toEqual([[], []]);
  expect(await take(nobody.events(), 1)).toEqual([]);
});

test("a refusal ends a stream, and a revoked token is one", async () => {
  const wrong = createClient({ url: desk.url, token: "nobody's" });
  await expect(take(wrong.events(), 1)).rejects.toMatchObject({ code: "INVALID_TOKEN", status: 401 });
  const misshapen = createClient({ url: desk.url, token: ann }).events({ task_id: "x" });
  await expect(take(misshapen, 1)).rejects.toBeInstanceOf(PawlProblem);

  const admin = createClient({ url: desk.url, token: desk.admin });
  const { id, token } = await admin.createToken({ id: "ann" });
  const states: string[] = [];
  const onConnection = (state: string) => states.push(state);
  const told = take(createClient({ url: desk.url, token }).events({ onConnection }), 1);
  const refused = expect(told).rejects.toMatchObject({ code: "INVALID_TOKEN" });
  await expect.poll(() => states).toEqual(["open"]);
  await admin.revokeToken({ id });
  await refused;
});
