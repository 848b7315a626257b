import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "../../src/postgres/connect.ts";
import { Directory } from "../../src/engine/directory/directory.ts";
import { Engine } from "../../src/engine/engine.ts";
import { buildServer } from "../../src/server/server.ts";
import { LIFECYCLES, PLUGINS } from "../../src/lifecycles/index.ts";
import { databaseSwitch } from "./database-switch.ts";
import { startTestServer, outcomeOf } from "./test-server.ts";
import { listen, positionsOf } from "./listener.ts";
import { openSocket } from "./raw-socket.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

const OUTAGE_MS = 800;

const server = await startTestServer({ server: { live: { heartbeatMs: 100, checkMs: 100 } } });
const otherNode = await startTestServer({ sameDatabaseAs: server });
/** As long as an id may be, so that unread events fill buffers quickly. */
const YARD = "y".repeat(200);
await server.ask("POST /api/projects", { body: { id: YARD } });
const ann = await server.member({ id: "ann", roles: ["worker"] });
const known = await server.directory.authenticate(ann);
if (known.kind === "refused") throw new Error(known.detail);
const { engine } = server;
const head = () => engine.feedPosition("main");
const make = async (count = 1) => {
  const tasks = Array.from({ length: count }, () => ({
    lifecycle: "code",
    title: "Mend it",
    project_id: YARD,
  }));
  const created = await engine.create(known, tasks);
  if (created.kind === "refused") throw new Error(created.detail);
};
const upTo = (last: number, after = 0) => Array.from({ length: last - after }, (_, n) => after + 1 + n);

/** Opens a stream and does not read it. */
function openUnread(url: string, query = ""): Socket {
  const socket = openSocket(url);
  socket.pause();
  socket.write(`GET /api/events${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann}\r\n\r\n`);
  return socket;
}

/** Reads the rest of a stream; returns the positions of its events. */
async function readRest(socket: Socket): Promise<number[]> {
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => (text += part));
  socket.resume();
  if (!socket.closed) await once(socket, "close");
  const whole = text.slice(0, text.lastIndexOf("\n\n"));
  return [...whole.matchAll(/^id: (\d+)\ndata: /gm)].map(([, id]) => Number(id));
}

const openStreams = async () => {
  const connections = await new Promise<number>((resolve) => {
    server.server.getConnections((_, count) => {
      resolve(count);
    });
  });
  return connections;
};

test("a reader that cannot keep up is disconnected, and continues at its position", async () => {
  const fast = await listen(server.url, ann);
  const before = await head();
  const slow = openUnread(server.url);
  await expect.poll(openStreams).toBeGreaterThanOrEqual(2);
  // The socket buffers of the system hold megabytes.
  let cut = false;
  slow.once("close", () => (cut = true));
  const open = await openStreams();
  while ((await openStreams()) === open && (await head()) < 60_000) await make(500);
  expect(cut).toBe(false);
  const read = await readRest(slow);
  const last = await head();
  expect(read.length).toBeLessThan(last - before);
  const rest = await listen(server.url, ann, { headers: { "last-event-id": String(read.at(-1)) } });
  await rest.until(() => rest.events.at(-1)?.position === last);
  const all = [...read, ...positionsOf(rest.events)];
  expect(all).toEqual(upTo(last, all[0]! - 1));
  // The fast reader has received everything.
  await fast.until(() => fast.events.at(-1)?.position === last);
  expect(positionsOf(fast.events)).toEqual(upTo(last, before));
  for (const listener of [fast, rest]) listener.close();
});

test("a reader that starts far back and reads nothing gets only a little", async () => {
  while ((await head()) < 5_000) await make(500);
  const heap = process.memoryUsage().heapUsed;
  const sockets = Array.from({ length: 20 }, () => openUnread(server.url, "?after=0"));
  const reader = await listen(server.url, ann, { query: "?after=0" });
  const last = await head();
  await reader.until(() => reader.events.at(-1)?.position === last);
  expect(reader.events.length).toBe(last);
  expect(process.memoryUsage().heapUsed - heap).toBeLessThan(200e6);
  for (const socket of sockets) socket.destroy();
  reader.close();
});

test("comments are heartbeats with the current position", async () => {
  const listener = await listen(server.url, ann, { query: "?project_id=main" });
  const before = await head();
  await listener.until(() => listener.comments.length >= 3);
  await make();
  await listener.until(() => listener.comments.at(-1) === `at ${before + 1}`);
  expect(listener.events).toEqual([]);
  expect(listener.text()).toMatch(new RegExp(`: at ${before + 1}\\nid: ${before + 1}\\n\\n$`));
  listener.close();
});

test("revoking a token at any node ends its streams, and no others", async () => {
  const { body: issued } = await server.ask("POST /api/members/ann/tokens");
  const [ended, other] = await Promise.all([
    listen(server.url, String(issued.token)),
    listen(server.url, ann),
  ]);
  await otherNode.ask(`DELETE /api/tokens/${String(issued.id)}`);
  await ended.ended;
  expect(outcomeOf(await server.ask("GET /api/events", { token: String(issued.token) }))).toBe(
    "401 INVALID_TOKEN",
  );
  await make();
  await other.until(() => other.events.length === 1);
  expect(ended.events).toEqual([]);
  other.close();
});

test("the stream of an inactive member ends", async () => {
  const bob = await server.member({ id: "bob", roles: ["worker"] });
  const listener = await listen(server.url, bob);
  await server.ask("PATCH /api/members/bob", { body: { active: false } });
  await listener.ended;
  expect(outcomeOf(await server.ask("GET /api/events", { token: bob }))).toBe("401 MEMBER_INACTIVE");
});

test("a stopping server ends its streams with a retry delay, and does not wait for readers that do not read", async () => {
  const node = await startTestServer({ sameDatabaseAs: server });
  const listeners = await Promise.all(Array.from({ length: 20 }, () => listen(node.url, ann)));
  const behind = openUnread(node.url, "?after=0");
  const connections = () =>
    new Promise((resolve) => {
      node.server.getConnections((_, count) => {
        resolve(count);
      });
    });
  await expect.poll(connections).toBe(listeners.length + 1);
  // Without a timeout it would wait forever for the reader that does not read.
  await node.close();
  await Promise.all(listeners.map((listener) => listener.ended));
  for (const { retries, text } of listeners) {
    expect(text()).toMatch(/retry: \d+\n\n$/);
    expect(retries.length).toBe(2);
  }
  // The delays differ.
  expect(new Set(listeners.map(({ retries }) => retries[1])).size).toBeGreaterThan(5);
  behind.destroy();
});

test("a stream loses no event during a database outage", async () => {
  const database = await databaseSwitch(server.testEngine.url);
  const sql = connect(database.url, { maxConnections: 4, connectTimeoutSeconds: 1 });
  const patience = { retryTimeoutMs: 300 };
  const app = await buildServer({
    engine: new Engine(sql, PLUGINS, patience),
    directory: new Directory(sql, LIFECYCLES, patience),
    version: "0.0.0",
    live: { pollMs: 50, checkMs: 50 },
  });
  onTestFinished(async () => {
    await app.close();
    await sql.end({ timeout: 1 });
    await database.close();
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  await make(50);
  const before = await head();
  // On a busy machine the first connections may take longer than this node waits for its database.
  const open = (query: string) =>
    vi.waitFor(() => listen(url, ann, { query }), { timeout: WAIT_LIMIT_MS, interval: 50 });
  const listeners = [await open(""), await open(`?after=${before - 50}`)];
  for (let round = 0; round < 3; round++) {
    await make(10);
    await database.off();
    await make(300);
    // The outage lasts for many polls.
    await pause(OUTAGE_MS);
    await database.on();
    const last = await head();
    for (const [index, listener] of listeners.entries()) {
      await listener.until(() => listener.events.at(-1)?.position === last);
      expect(positionsOf(listener.events)).toEqual(upTo(last, before - 50 * index));
    }
  }
  for (const listener of listeners) listener.close();
});
