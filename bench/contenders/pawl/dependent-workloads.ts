import type { Measurement, Workloads, Params } from "../../contender.ts";
import { accepted, createErrands } from "./pawl-queue.ts";
import type { Tools } from "./pawl-queue.ts";
import { watchHeap } from "./growth-workloads.ts";

/** Workloads in which finishing one task affects the tasks that depend on it. */
export function dependentWorkloads({ pawl, caller, timed }: Tools): Workloads {
  const act = async (task_id: string | undefined, action: string) =>
    accepted(await pawl.perform(caller, { task_id: task_id ?? "", action }));

  /** Creates a chain: each task depends on the one before it. */
  const createChain = (count: number) =>
    createErrands(pawl, caller, count, (n) => ({
      ref: String(n),
      ...(n > 0 ? { after: [String(n - 1)], on_failure: "fail" as const } : {}),
    }));

  const watched = async (name: string, done: number, work: () => Promise<unknown>): Promise<Measurement> => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const watch = watchHeap();
    const measurement = await timed(name, done, work);
    return { ...measurement, figures: { heap: (await watch.stop()) - before } };
  };

  return {
    async unblockMany({ tasks = 0 }: Params) {
      const [blocker = ""] = await createErrands(pawl, caller, 1);
      for (let created = 0; created < tasks; created += 500)
        await createErrands(pawl, caller, Math.min(500, tasks - created), () => ({ after: [blocker] }));
      return watched("unblock-many", tasks, () => act(blocker, "skip"));
    },
    createChain: ({ tasks = 0 }: Params) => watched("create-chain", tasks, () => createChain(tasks)),
    async walkChain({ tasks = 0 }: Params) {
      const ids = await createChain(tasks);
      return watched("walk-chain", tasks, async () => {
        for (const id of ids) await act(id, "skip");
      });
    },
    async dropChain({ tasks = 0 }: Params) {
      const [first] = await createChain(tasks);
      return watched("drop-chain", tasks, () => act(first, "drop"));
    },
  };
}
