import { randomUUID } from "node:crypto";
import { createClient } from "../../src/client/index.ts";
import { startWorker } from "../../src/worker/index.ts";
import type { RunningWorker } from "../../src/worker/index.ts";
import { fromCallers, measurePipeline, timed } from "../contender.ts";
import type { Contender, Params } from "../contender.ts";
import { errand } from "./pawl/errand.ts";
import { CALLERS_TOKEN } from "./pawl/http-workloads.ts";

const FINISH = { action: "finish", payload: { result: "sent" } } as const;
/** Time that a claim waits for a task to appear. */
const WAIT_SECONDS = 1;

/** Opens workers in their own process that reach Pawl over HTTP with its client. */
export function open(): Promise<Contender> {
  const clientOf = (port = 0) =>
    createClient<typeof errand>({ url: `http://127.0.0.1:${port}`, token: CALLERS_TOKEN });
  return Promise.resolve({
    workloads: {
      /** One `startWorker` that runs `workers` tasks at a time; the time includes its start. */
      async work({ port, workers = 1, tasks = 0 }: Params) {
        let worker: RunningWorker | undefined;
        const measurement = await timed(tasks, async () => {
          await new Promise<void>((resolve, reject) => {
            let left = tasks;
            const onFinished = () => {
              if (--left === 0) resolve();
            };
            worker = startOn(clientOf(port), workers, { onFinished, onFailed: reject });
          });
        });
        await worker?.stop();
        return measurement;
      },
      /** Loops that claim one task and finish it, with one request per call. */
      claimOneByOne({ port, workers = 1, tasks = 0 }: Params) {
        const errands = clientOf(port).lifecycle(errand);
        return timed(tasks, () =>
          fromCallers(workers, tasks, async () => {
            const claim = () => errands.claim({ limit: 1, wait_seconds: WAIT_SECONDS });
            const [task] = (await claim()).tasks;
            if (!task) throw new Error("a claim found nothing, though tasks are left");
            await errands.act(task.id, "finish", { payload: FINISH.payload, lease_token: task.lease_token });
          }),
        );
      },
      pipeline({ port, workers = 1, ...params }: Params) {
        const client = clientOf(port);
        const errands = client.lifecycle(errand);
        return measurePipeline(params, (onFinished) => {
          const onFailed = (error: Error) => {
            throw error;
          };
          const worker = startOn(client, workers, { onFinished, onFailed });
          return {
            create: (file) => errands.create({ file, client_event_id: randomUUID() }),
            stop: () => worker.stop(),
          };
        });
      },
    },
    close: () => Promise.resolve(),
  });
}

function startOn(
  client: ReturnType<typeof createClient<typeof errand>>,
  concurrency: number,
  { onFinished, onFailed }: { onFinished: (file: string) => void; onFailed: (error: Error) => void },
): RunningWorker {
  return startWorker({
    client,
    lifecycle: errand,
    concurrency,
    run: () => Promise.resolve(FINISH),
    failed: () => null,
    onEvent: (event) => {
      if (event.kind === "finished") onFinished(event.task.data.file);
      else if (event.kind !== "claimed" && event.kind !== "started")
        onFailed(new Error(JSON.stringify(event)));
    },
  });
}
