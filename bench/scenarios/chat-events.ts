import { setTimeout as pause } from "node:timers/promises";
import type { ContenderProcess } from "../contender-process.ts";
import { count, quantile } from "../report.ts";
import type { Report } from "../report.ts";
import type { Environment } from "../environment.ts";

const PROCESSES = 2;
const MAX_LATENCY_MS = 100;
const TIMEOUT_MS = 20_000;
const TICK_MS = 10;

type Row = { chats: number; perSecond: number; ms: number[]; timerDelaysMs: number[] };

/** Measures the latency from a commit to the reader of its chat, while 10,000 chats are open on one server. */
export async function chatEvents(env: Environment): Promise<Report> {
  const [few, many] = env.quick ? [60, 600] : [100, 10_000];
  const { child: server } = await env.startPawl();
  const { figures } = await server.run("startChatServer", {});
  const readers = Array.from({ length: PROCESSES }, () => env.startChatReaders());
  const rows: Row[] = [];
  const measureAll = async (chats: number, plan: Plan) => {
    for (const [perSecond, events] of plan) {
      env.log(`${count(perSecond)} events a second in ${count(chats)} chats`);
      rows.push({
        chats,
        perSecond,
        ...(await measureEvents(server, readers, { events, chats, perSecond })),
      });
    }
  };
  const params = { port: figures?.port ?? 0, processes: PROCESSES };
  await openChats(readers, { ...params, chats: few });
  await measureEvents(server, readers, { events: 20, chats: few, perSecond: 20 });
  await measureAll(few, env.quick ? QUICK : FEW_CHATS);
  const seconds = await openChats(readers, { ...params, chats: many });
  await measureAll(many, env.quick ? QUICK : MANY_CHATS);
  const { figures: memory } = await server.run("measureMemory", {});
  const slowestRate = rows.find(({ chats }) => chats === many);
  const [p99, maxDelay] = [
    quantile(slowestRate?.ms ?? [], 0.99),
    quantile(slowestRate?.timerDelaysMs ?? [], 1),
  ];
  return {
    title: `Latency from commit to the chat's reader, with ${count(many)} open chats`,
    table: [
      ["open chats", "event rate", "p50", "p99", "max", "events received", "delay of an idle timer (p99)"],
      ...rows.map(({ chats, perSecond, ms, timerDelaysMs }) => [
        count(chats),
        `${count(perSecond)} a second`,
        ...[0.5, 0.99, 1].map((part) => `${quantile(ms, part).toFixed(1)} ms`),
        count(ms.length),
        `${quantile(timerDelaysMs, 0.99).toFixed(1)} ms`,
      ]),
    ],
    aims: [
      {
        text: `With ${count(many)} open chats, 99% of events arrive within ${MAX_LATENCY_MS} ms plus the largest delay of an idle timer`,
        figure: `${p99.toFixed(1)} ms, largest delay ${maxDelay.toFixed(1)} ms`,
        met: p99 <= MAX_LATENCY_MS + maxDelay,
      },
    ],
    notes: [
      `Each chat has one reader over HTTP/1.1; the readers run in ${PROCESSES} separate processes. Opening all chats took ${seconds.toFixed(1)} s; the server then used ${count((memory?.rss ?? 0) / 1e6)} MB.`,
      "The idle timer runs in a process that does nothing else, so its delay shows how busy the machine is.",
    ],
  };
}

type Plan = readonly (readonly [perSecond: number, events: number])[];
const QUICK: Plan = [[100, 150]];
const FEW_CHATS: Plan = [[100, 1_000]];
const MANY_CHATS: Plan = [
  [1, 60],
  [100, 2_000],
  [1_000, 10_000],
];

/** Opens the chats that are not open yet; returns the time in seconds. */
async function openChats(
  readers: readonly ContenderProcess[],
  { port, chats, processes }: { port: number; chats: number; processes: number },
): Promise<number> {
  const opened = await Promise.all(
    readers.map((one, part) => one.run("openChats", { port, part, processes, chats })),
  );
  return Math.max(...opened.map(({ seconds }) => seconds));
}

/** Measures the latency of each event, and the delay of an idle process's timer meanwhile, in milliseconds. */
async function measureEvents(
  server: ContenderProcess,
  readers: readonly ContenderProcess[],
  params: { events: number; chats: number; perSecond: number },
): Promise<{ ms: number[]; timerDelaysMs: number[] }> {
  const timerDelaysMs: number[] = [];
  let before = performance.now();
  const idle = setInterval(() => {
    timerDelaysMs.push(Math.max(0, performance.now() - before - TICK_MS));
    before = performance.now();
  }, TICK_MS);
  const { figures: committed = {} } = await server.run("actInChats", params);
  clearInterval(idle);
  const received = new Map<string, number>();
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    for (const { figures = {} } of await Promise.all(readers.map((one) => one.run("takeReceived", {}))))
      for (const [action, at] of Object.entries(figures)) received.set(action, at);
    if (received.size >= params.events) break;
    if (Date.now() > deadline)
      throw new Error(`Only ${received.size} of ${params.events} events were received`);
    await pause(50);
  }
  // A reader may receive an event before the writer gets the answer to its commit.
  const latencyOf = ([action, at]: [string, number]) => Math.max(0, (received.get(action) ?? Infinity) - at);
  return { ms: Object.entries(committed).map(latencyOf), timerDelaysMs };
}
