// The process that a contender runs in: `node contender-child.js <module> <options>`. Requests and replies travel over IPC.
import { fromCallers, measurePipeline, timed } from "./contender.ts";
import type {
  WorkloadReply,
  Contender,
  ContenderModule,
  WorkloadRequest,
  ContenderOptions,
} from "./contender.ts";

const CLOSE_TIMEOUT_MS = 8_000;
const [module = "", options = "{}"] = process.argv.slice(2);
const opening = open();

// Ctrl-C reaches the whole process group, but the parent decides when its contenders end.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => void shutDown());
const contender = await opening;
process.on("message", (request) => void handle(request as WorkloadRequest));
reply({ ready: true });

async function open(): Promise<Contender> {
  const loaded = (await import(module)) as ContenderModule;
  return loaded.open(JSON.parse(options) as ContenderOptions, { timed, fromCallers, measurePipeline });
}

/** Closes the contender and exits. Also runs when the parent crashes, so that no contender outlives it. */
async function shutDown(): Promise<void> {
  setTimeout(() => process.exit(1), CLOSE_TIMEOUT_MS).unref();
  try {
    await (await opening).close();
  } finally {
    process.exit(0);
  }
}

async function handle({ id, workload, params }: WorkloadRequest): Promise<void> {
  try {
    const run = contender.workloads[workload];
    if (!run) throw new Error(`Unknown workload "${workload}"`);
    reply({ id, measurement: await run(params) });
  } catch (error) {
    reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function reply(message: WorkloadReply): void {
  if (process.connected) process.send?.(message);
}
