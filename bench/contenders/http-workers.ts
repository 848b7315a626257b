import { randomUUID } from "node:crypto";
import { createClient } from "../../src/client/index.ts";
import { startWorker } from "../../src/worker/index.ts";
import type { RunningWorker } from "../../src/worker/index.ts";
import { fromCallers, measurePipeline, timed } from "../contender.ts";
import type { Contender, Terms } from "../contender.ts";
import { errand } from "./pawl/errand.ts";
import { CALLERS_TOKEN } from "./pawl/bouts-of-http.ts";

const FINISH = { action: "finish", payload: { result: "sent" } } as const;
/** Time that a claim waits for a task to appear. */
const WAIT_SECONDS = 1;

/** Workers in a process of their own that reach Pawl over HTTP, by its client. */
export function open(): Promise<Contender> {
  const clientOf = (port = 0) =>
    createClient<typeof errand>({ url: `http://127.0.0.1:${port}`, token: CALLERS_TOKEN });
  return Promise.resolve({
    bouts: {
      /** One `startWorker` that runs `workers` tasks at a time; its start counts. */
      async work({ port, workers = 1, tasks = 0 }: Terms) {
        let worker: RunningWorker | undefined;
        const bout = await timed(tasks, async () => {
          await new Promise<void>((resolve, reject) => {
            let left = tasks;
            const onFinished = () => {
              if (--left === 0) resolve();
            };
            worker = startOn(clientOf(port), workers, { onFinished, onFailed: reject });
          });
        });
        await worker?.stop();
        return bout;
      },
      /** Loops that claim one task and finish it, each call a request of its own. */
      claimOneByOne({ port, workers = 1, tasks = 0 }: Terms) {
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
      pipeline({ port, workers = 1, ...terms }: Terms) {
        const client = clientOf(port);
        const errands = client.lifecycle(errand);
        return measurePipeline(terms, (onFinished) => {
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
