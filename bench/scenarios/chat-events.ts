import { setTimeout as pause } from "node:timers/promises";
import type { Contestant } from "../contestant.ts";
import { count, quantile } from "../report.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

const PROCESSES = 2;
const MOST_MS = 100;
const PATIENCE_MS = 20_000;

/** From a commit to the one reader of its chat, while very many chats are open on one server. */
export async function chatEvents(stage: Stage): Promise<Report> {
  const chats = stage.quick ? 600 : 10_000;
  const { contestant: server } = await stage.enterPawl();
  const { figures } = await server.do("openChats", {});
  const port = figures?.port ?? 0;
  const readers = Array.from({ length: PROCESSES }, () => stage.enterReaders());
  const share = chats / PROCESSES;
  const opened = await Promise.all(
    readers.map((one, n) => one.do("listen", { port, first: n * share, chats: share })),
  );
  const seconds = Math.max(...opened.map((one) => one.seconds));
  stage.tell(`${count(chats)} chats are open after ${seconds.toFixed(1)} s`);
  const rows: [name: string, ms: number[]][] = [];
  await attend(server, readers, { events: 20, chats, aSecond: 20 });
  for (const [aSecond, events] of stage.quick ? QUICK : FULL) {
    const name = `${count(aSecond)} a second`;
    stage.tell(name);
    rows.push([name, await attend(server, readers, { events, chats, aSecond })]);
  }
  const { figures: weight } = await server.do("weigh", {});
  const [, slow = []] = rows[0] ?? [];
  const p99 = quantile(slow, 0.99);
  return {
    title: `From commit to the reader of its chat, of ${count(chats)} open chats`,
    table: [
      ["events in all chats", "p50", "p99", "worst", "events heard"],
      ...rows.map(([name, ms]) => [
        name,
        ...[0.5, 0.99, 1].map((part) => `${quantile(ms, part).toFixed(1)} ms`),
        count(ms.length),
      ]),
    ],
    aims: [
      {
        text: `With an event each second, 99 of 100 are heard within ${MOST_MS} ms`,
        figure: `${p99.toFixed(1)} ms`,
        met: p99 <= MOST_MS,
      },
    ],
    notes: [
      `Each chat has one reader, over HTTP/1.1; they are in ${PROCESSES} processes of their own. The chats were open after ${seconds.toFixed(1)} s; the server then held ${count((weight?.rss ?? 0) / 1e6)} MB.`,
    ],
  };
}

const QUICK = [
  [20, 40],
  [200, 400],
] as const;
const FULL = [
  [1, 60],
  [100, 2_000],
  [1_000, 10_000],
] as const;

/** How long each event took, in milliseconds. */
async function attend(
  server: Contestant,
  readers: readonly Contestant[],
  terms: { events: number; chats: number; aSecond: number },
): Promise<number[]> {
  const { figures: committed = {} } = await server.do("actInChats", terms);
  const heard = new Map<string, number>();
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    for (const { figures = {} } of await Promise.all(readers.map((one) => one.do("tell", {}))))
      for (const [action, at] of Object.entries(figures)) heard.set(action, at);
    if (heard.size >= terms.events) break;
    if (Date.now() > deadline) throw new Error(`${heard.size} of ${terms.events} events were heard`);
    await pause(50);
  }
  // Some are heard before the committer has had his answer.
  return Object.entries(committed).map(([action, at]) => Math.max(0, (heard.get(action) ?? Infinity) - at));
}
