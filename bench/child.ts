// The process a contender runs in: node child.js <its module> <its place>. Orders come and bouts go over IPC.
import { fromCallers, measurePipeline, timed } from "./contender.ts";
import type { Answer, Contender, ContenderModule, Order, Place } from "./contender.ts";

const MOST_MS_TO_CLOSE = 8_000;
const [module = "", place = "{}"] = process.argv.slice(2);
const opening = open();

// Ctrl-C reaches the whole group of processes: the parent decides when its contenders end.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => void leave());
const contender = await opening;
process.on("message", (order) => void obey(order as Order));
tell({ ready: true });

async function open(): Promise<Contender> {
  const loaded = (await import(module)) as ContenderModule;
  return loaded.open(JSON.parse(place) as Place, { timed, fromCallers, measurePipeline });
}

/** Closes what is open; a parent that is gone, however it went, takes its contenders with it. */
async function leave(): Promise<void> {
  setTimeout(() => process.exit(1), MOST_MS_TO_CLOSE).unref();
  try {
    await (await opening).close();
  } finally {
    process.exit(0);
  }
}

async function obey({ id, bout, terms }: Order): Promise<void> {
  try {
    const work = contender.bouts[bout];
    if (!work) throw new Error(`there is no bout "${bout}"`);
    tell({ id, bout: await work(terms) });
  } catch (error) {
    tell({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function tell(answer: Answer): void {
  if (process.connected) process.send?.(answer);
}
