import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { now } from "../contender.ts";
import { READERS_TOKEN } from "../contenders/pawl/event-workloads.ts";
import type { ContenderProcess } from "../contender-process.ts";
import { quantile } from "../report.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

const READERS = 500;
const MAX_MS = { p50: 25, p99: 100 };

/** Latency from a commit to each of many readers of the live feed, on the same node and on another. */
export async function eventDelivery(env: Environment): Promise<Report> {
  const events = env.quick ? 60 : 400;
  const { child: server, url } = await env.startPawl();
  const { child: otherNode } = await env.startPawl({ url });
  const { figures } = await server.run("startEventServer", {});
  const readers = await FeedReaders.connect(figures?.port ?? 0);
  const rows: [string, number[]][] = [];
  try {
    // Warm-up: the first events of a process are its slowest.
    await readers.measureEvents(server, { events: 20, pauseMs: 20 });
    for (const [name, node, pauseMs] of [
      ["same node, 50 events/s", server, 20],
      ["same node, as fast as one caller can", server, 0],
      ["another node, 50 events/s", otherNode, 20],
    ] as const) {
      env.log(name);
      rows.push([name, await readers.measureEvents(node, { events, pauseMs })]);
    }
  } finally {
    readers.close();
  }
  const [, here = []] = rows[0] ?? [];
  const [p50, p99] = [quantile(here, 0.5), quantile(here, 0.99)];
  return {
    title: `From commit to ${READERS} readers of the live feed`,
    table: [
      ["", "p50", "p99", "max", "events received"],
      ...rows.map(([name, ms]) => [
        name,
        ...[0.5, 0.99, 1].map((part) => `${quantile(ms, part).toFixed(1)} ms`),
        ms.length.toLocaleString("en"),
      ]),
    ],
    aims: [
      {
        text: `On the same node p50 ≤ ${MAX_MS.p50} ms and p99 ≤ ${MAX_MS.p99} ms`,
        figure: `${p50.toFixed(1)} and ${p99.toFixed(1)} ms`,
        met: p50 <= MAX_MS.p50 && p99 <= MAX_MS.p99,
      },
    ],
    notes: [
      "Over HTTP, from the moment the committer knows of the commit to the moment each reader has the event. Database, server, committer and all readers share the machine.",
    ],
  };
}

/** Readers that record when they receive each event. */
class FeedReaders {
  private readonly sockets: Socket[];
  private received: { version: number; at: number }[] = [];

  private constructor(sockets: Socket[]) {
    this.sockets = sockets;
    for (const socket of sockets) {
      let rest = "";
      socket.on("data", (part: string) => {
        const at = now();
        const blocks = (rest + part).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const [, version] = /"row_version":(\d+)/.exec(block) ?? [];
          if (version !== undefined) this.received.push({ version: Number(version), at });
        }
      });
    }
  }

  static async connect(port: number): Promise<FeedReaders> {
    const sockets: Socket[] = [];
    while (sockets.length < READERS) {
      const some = Array.from({ length: 50 }, () => connect(port, "127.0.0.1").setEncoding("utf8"));
      for (const socket of some)
        socket.write(
          `GET /api/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${READERS_TOKEN}\r\n\r\n`,
        );
      await Promise.all(some.map((socket) => once(socket, "data")));
      sockets.push(...some);
    }
    return new FeedReaders(sockets);
  }

  /** Measures how long each reader waits for each event, in milliseconds. */
  async measureEvents(
    node: ContenderProcess,
    params: { events: number; pauseMs: number },
  ): Promise<number[]> {
    this.received = [];
    const { figures = {} } = await node.run("commitEvents", params);
    const deadline = now() + 10_000;
    const committed = () => this.received.filter(({ version }) => String(version) in figures);
    while (committed().length < params.events * READERS && now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const all = committed();
    if (all.length !== params.events * READERS)
      throw new Error(`Only ${all.length} of ${params.events * READERS} events were received`);
    // Some readers receive an event before the committer gets its answer.
    return all.map(({ version, at }) => Math.max(0, at - (figures[version] ?? 0)));
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
