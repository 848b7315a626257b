import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startTestServer } from "./test-server.ts";
import { openSocket } from "./raw-socket.ts";
import type { ServerMessage } from "./server-process.ts";

const PROGRAM = fileURLToPath(new URL("./server-process.ts", import.meta.url));
const READERS = 2_000;
const MAX_MB = 100;
/** A shorter run than the five minutes for which the limit holds. */
const STEADY_SECONDS = 10;
const MAX_GROWTH_MB = 10;

const server = await startTestServer();
const ann = await server.member({ id: "ann", roles: ["worker"] });

test("2,000 readers cost less than 100 MB, and hardly more during many events", async () => {
  const { child, address } = await startServer();
  const make = () =>
    fetch(`${address}/api/tasks`, {
      method: "POST",
      headers: { authorization: `Bearer ${ann}`, "content-type": "application/json" },
      body: JSON.stringify({ lifecycle: "code", title: "Mend it" }),
    });
  // Warm up, so that compilation and first allocations are not counted.
  for (let n = 0; n < 200; n++) expect((await make()).status).toBe(201);
  const before = await megabytes(child);

  const readers = await gather(address);
  onTestFinished(() => {
    for (const { socket } of readers) socket.destroy();
  });
  const tell = async (seconds: number) => {
    let events = 0;
    for (const until = Date.now() + seconds * 1_000; Date.now() < until; events++) {
      await make();
      await pause(100);
    }
    return events;
  };
  let events = await tell(2);
  const withReaders = await megabytes(child);
  expect(withReaders - before).toBeLessThan(MAX_MB);
  events += await tell(STEADY_SECONDS);
  const afterwards = await megabytes(child);
  expect(afterwards - withReaders).toBeLessThan(MAX_GROWTH_MB);
  await expect.poll(() => readers.filter(({ received }) => received() < events).length).toBe(0);
});

/** Starts a server on the same database, in a process that reports its memory. */
async function startServer(): Promise<{ child: ChildProcess; address: string }> {
  const child = fork(PROGRAM, [server.testEngine.url], { execArgv: ["--expose-gc", "--import", "tsx"] });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  });
  const [message] = (await once(child, "message")) as [ServerMessage];
  if (!("address" in message)) throw new Error("the server did not start");
  return { child, address: message.address };
}

async function megabytes(child: ChildProcess): Promise<number> {
  child.send("measure");
  const [message] = (await once(child, "message")) as [ServerMessage];
  return "rss" in message ? message.rss / 1e6 : NaN;
}

type Reader = { socket: Socket; received: () => number };

/** Opens readers that count their events. */
async function gather(address: string): Promise<Reader[]> {
  const readers: Reader[] = [];
  while (readers.length < READERS) {
    const some = Array.from({ length: 50 }, () => openReader(address));
    await Promise.all(some.map(({ socket }) => once(socket, "data")));
    readers.push(...some);
  }
  return readers;
}

function openReader(address: string): Reader {
  const socket = openSocket(address);
  let events = 0;
  socket.setEncoding("latin1").on("data", (part: string) => {
    events += part.split("\ndata: ").length - 1;
  });
  socket.write(`GET /api/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann}\r\n\r\n`);
  return { socket, received: () => events };
}
