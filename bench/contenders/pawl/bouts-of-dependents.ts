import type { Bout, Bouts, Terms } from "../../contender.ts";
import { accepted, createErrands } from "./errands.ts";
import type { Tools } from "./errands.ts";
import { watchHeap } from "./bouts-of-growth.ts";

/** What finishing one task does to those who wait for it. */
export function boutsOfDependents({ pawl, by, timed }: Tools): Bouts {
  const act = async (task_id: string | undefined, action: string) =>
    accepted(await pawl.perform(by, { task_id: task_id ?? "", action }));

  /** Each waits for the one before it. */
  const createChain = (count: number) =>
    createErrands(pawl, by, count, (n) => ({
      ref: String(n),
      ...(n > 0 ? { after: [String(n - 1)], on_failure: "fail" as const } : {}),
    }));

  const watched = async (name: string, done: number, work: () => Promise<unknown>): Promise<Bout> => {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const watch = watchHeap();
    const bout = await timed(name, done, work);
    return { ...bout, figures: { heap: (await watch.stop()) - before } };
  };

  return {
    async unblockMany({ tasks = 0 }: Terms) {
      const [blocker = ""] = await createErrands(pawl, by, 1);
      for (let made = 0; made < tasks; made += 500)
        await createErrands(pawl, by, Math.min(500, tasks - made), () => ({ after: [blocker] }));
      return watched("unblock-many", tasks, () => act(blocker, "skip"));
    },
    createChain: ({ tasks = 0 }: Terms) => watched("create-chain", tasks, () => createChain(tasks)),
    async walkChain({ tasks = 0 }: Terms) {
      const ids = await createChain(tasks);
      return watched("walk-chain", tasks, async () => {
        for (const id of ids) await act(id, "skip");
      });
    },
    async dropChain({ tasks = 0 }: Terms) {
      const [first] = await createChain(tasks);
      return watched("drop-chain", tasks, () => act(first, "drop"));
    },
  };
}
