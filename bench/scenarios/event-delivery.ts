import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { now } from "../contender.ts";
import { READERS_TOKEN } from "../contenders/pawl/bouts-of-events.ts";
import type { Contestant } from "../contestant.ts";
import { quantile } from "../report.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

const READERS = 500;
const MOST_MS = { p50: 25, p99: 100 };

/** From a commit to each of many readers of the live feed: of the node that committed, and of another. */
export async function eventDelivery(stage: Stage): Promise<Report> {
  const events = stage.quick ? 60 : 400;
  const { contestant: server, url } = await stage.enterPawl();
  const { contestant: elsewhere } = await stage.enterPawl({ url });
  const { figures } = await server.do("openDoor", {});
  const audience = await Audience.gather(figures?.port ?? 0);
  const rows: [string, number[]][] = [];
  try {
    // Once for practice: the first events of a process are its slowest.
    await audience.attend(server, { events: 20, pauseMs: 20 });
    for (const [name, node, pauseMs] of [
      ["committed here, 50 a second", server, 20],
      ["committed here, as fast as one caller can", server, 0],
      ["committed on another node, 50 a second", elsewhere, 20],
    ] as const) {
      stage.tell(name);
      rows.push([name, await audience.attend(node, { events, pauseMs })]);
    }
  } finally {
    audience.leave();
  }
  const [, here = []] = rows[0] ?? [];
  const [p50, p99] = [quantile(here, 0.5), quantile(here, 0.99)];
  return {
    title: `From commit to ${READERS} readers of the live feed`,
    table: [
      ["", "p50", "p99", "worst", "events heard"],
      ...rows.map(([name, ms]) => [
        name,
        ...[0.5, 0.99, 1].map((part) => `${quantile(ms, part).toFixed(1)} ms`),
        ms.length.toLocaleString("en"),
      ]),
    ],
    aims: [
      {
        text: `Half of all readers hear of it within ${MOST_MS.p50} ms, 99 of 100 within ${MOST_MS.p99} ms`,
        figure: `${p50.toFixed(1)} and ${p99.toFixed(1)} ms`,
        met: p50 <= MOST_MS.p50 && p99 <= MOST_MS.p99,
      },
    ],
    notes: [
      "Over HTTP, from the moment the committer knows it is committed to the moment each reader has it. Database, server, committer and all readers share the machine.",
    ],
  };
}

/** Readers who note when they hear what. */
class Audience {
  private readonly sockets: Socket[];
  private heard: { version: number; at: number }[] = [];

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
          if (version !== undefined) this.heard.push({ version: Number(version), at });
        }
      });
    }
  }

  static async gather(port: number): Promise<Audience> {
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
    return new Audience(sockets);
  }

  /** How long each reader waited for each event, in milliseconds. */
  async attend(node: Contestant, terms: { events: number; pauseMs: number }): Promise<number[]> {
    this.heard = [];
    const { figures = {} } = await node.do("commitEvents", terms);
    const deadline = now() + 10_000;
    const committed = () => this.heard.filter(({ version }) => String(version) in figures);
    while (committed().length < terms.events * READERS && now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const all = committed();
    if (all.length !== terms.events * READERS)
      throw new Error(`${all.length} of ${terms.events * READERS} events were heard`);
    // Some are heard before the committer has had his answer.
    return all.map(({ version, at }) => Math.max(0, at - (figures[version] ?? 0)));
  }

  leave(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
