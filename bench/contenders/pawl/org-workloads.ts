import { timed as timedOnly } from "../../contender.ts";
import type { Workloads, Params } from "../../contender.ts";
import { queueWorkloads, drain, fill } from "../errand-queue.ts";
import type { ErrandQueue } from "../errand-queue.ts";
import { queueOf } from "./pawl-queue.ts";
import type { Tools } from "./pawl-queue.ts";

/** The workloads that the peers have too, and the same work spread over several orgs. */
export function orgWorkloads({ pawl, caller, memberOf, timed }: Tools): Workloads {
  const queues = async (orgs: number) => {
    if (orgs === 1) return [queueOf(pawl, caller)];
    const members = await Promise.all(Array.from({ length: orgs }, (_, n) => memberOf(`org-${n}`)));
    return members.map((member) => queueOf(pawl, member));
  };
  return {
    ...queueWorkloads(queueOf(pawl, caller), timed),
    fillOrgs: ({ tasks = 0, orgs = 1 }: Params) =>
      timedOnly(tasks, async () => {
        for (const queue of await queues(orgs)) await fill(queue, tasks / orgs);
      }),
    async claimAndCompleteInOrgs({ callers = 1, batch = 1, orgs = 1 }: Params) {
      // At least one caller per org.
      const perOrg = Math.ceil(callers / orgs);
      const claimers = (await queues(orgs)).flatMap(
        (queue) => new Array(perOrg).fill(queue) as ErrandQueue[],
      );
      let drained: number[] = [];
      const measurement = await timed("claim-and-complete-in-orgs", 0, async () => {
        drained = await Promise.all(claimers.map((queue) => drain(queue, { batch })));
      });
      return { ...measurement, done: drained.reduce((sum, done) => sum + done, 0) };
    },
  };
}
