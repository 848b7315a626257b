import { setTimeout as pause } from "node:timers/promises";
import type { Contestant } from "../contestant.ts";
import { count, quantile } from "../report.ts";
import type { Report } from "../report.ts";
import type { Stage } from "../stage.ts";

const PROCESSES = 2;
const MOST_MS = 100;
const PATIENCE_MS = 20_000;
const TICK_MS = 10;

type Heard = { chats: number; aSecond: number; ms: number[]; lateMs: number[] };

/** From a commit to the one reader of its chat, while very many chats are open on one server. */
export async function chatEvents(stage: Stage): Promise<Report> {
  const [few, many] = stage.quick ? [60, 600] : [100, 10_000];
  const { contestant: server } = await stage.enterPawl();
  const { figures } = await server.do("openChats", {});
  const readers = Array.from({ length: PROCESSES }, () => stage.enterReaders());
  const rows: Heard[] = [];
  const attended = async (chats: number, plan: Plan) => {
    for (const [aSecond, events] of plan) {
      stage.tell(`${count(aSecond)} events a second in ${count(chats)} chats`);
      rows.push({ chats, aSecond, ...(await attend(server, readers, { events, chats, aSecond })) });
    }
  };
  const terms = { port: figures?.port ?? 0, processes: PROCESSES };
  await openChats(readers, { ...terms, chats: few });
  await attend(server, readers, { events: 20, chats: few, aSecond: 20 });
  await attended(few, stage.quick ? QUICK : AMONG_FEW);
  const seconds = await openChats(readers, { ...terms, chats: many });
  await attended(many, stage.quick ? QUICK : AMONG_MANY);
  const { figures: weight } = await server.do("weigh", {});
  const slowest = rows.find(({ chats }) => chats === many);
  const [p99, late] = [quantile(slowest?.ms ?? [], 0.99), quantile(slowest?.lateMs ?? [], 1)];
  return {
    title: `From commit to the reader of its chat, of ${count(many)} open chats`,
    table: [
      ["open chats", "events in all", "p50", "p99", "worst", "events heard", "an idle timer is late (p99)"],
      ...rows.map(({ chats, aSecond, ms, lateMs }) => [
        count(chats),
        `${count(aSecond)} a second`,
        ...[0.5, 0.99, 1].map((part) => `${quantile(ms, part).toFixed(1)} ms`),
        count(ms.length),
        `${quantile(lateMs, 0.99).toFixed(1)} ms`,
      ]),
    ],
    aims: [
      {
        text: `Of ${count(many)} open chats 99 of 100 events are heard within ${MOST_MS} ms, beyond what an idle process is late on this machine`,
        figure: `${p99.toFixed(1)} ms, and ${late.toFixed(1)} ms late`,
        met: p99 <= MOST_MS + late,
      },
    ],
    notes: [
      `Each chat has one reader, over HTTP/1.1, in ${PROCESSES} processes of their own. They were open after ${seconds.toFixed(1)} s; the server then held ${count((weight?.rss ?? 0) / 1e6)} MB.`,
      "An idle timer is one of the parent's, which only waits: what it is late by is the machine's.",
    ],
  };
}

type Plan = readonly (readonly [aSecond: number, events: number])[];
const QUICK: Plan = [[100, 150]];
const AMONG_FEW: Plan = [[100, 1_000]];
const AMONG_MANY: Plan = [
  [1, 60],
  [100, 2_000],
  [1_000, 10_000],
];

/** Opens as many chats as are not open yet; says how long that took. */
async function openChats(
  readers: readonly Contestant[],
  { port, chats, processes }: { port: number; chats: number; processes: number },
): Promise<number> {
  const opened = await Promise.all(
    readers.map((one, part) => one.do("listen", { port, part, processes, chats })),
  );
  return Math.max(...opened.map(({ seconds }) => seconds));
}

/** How long each event took, and how late the timer of an idle process was meanwhile, in milliseconds. */
async function attend(
  server: Contestant,
  readers: readonly Contestant[],
  terms: { events: number; chats: number; aSecond: number },
): Promise<{ ms: number[]; lateMs: number[] }> {
  const lateMs: number[] = [];
  let before = performance.now();
  const idle = setInterval(() => {
    lateMs.push(Math.max(0, performance.now() - before - TICK_MS));
    before = performance.now();
  }, TICK_MS);
  const { figures: committed = {} } = await server.do("actInChats", terms);
  clearInterval(idle);
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
  const took = ([action, at]: [string, number]) => Math.max(0, (heard.get(action) ?? Infinity) - at);
  return { ms: Object.entries(committed).map(took), lateMs };
}
