import { timed as justTimed } from "../../contender.ts";
import type { Bouts, Terms } from "../../contender.ts";
import { boutsOfQueue, drain, fill } from "../errand-queue.ts";
import type { ErrandQueue } from "../errand-queue.ts";
import { queueOf } from "./errands.ts";
import type { Tools } from "./errands.ts";

/** What Pawl and its peers are measured by alike, and the same work spread over several orgs. */
export function boutsOfRaces({ pawl, by, memberOf, timed }: Tools): Bouts {
  const queues = async (orgs: number) => {
    if (orgs === 1) return [queueOf(pawl, by)];
    const members = await Promise.all(Array.from({ length: orgs }, (_, n) => memberOf(`org-${n}`)));
    return members.map((member) => queueOf(pawl, member));
  };
  return {
    ...boutsOfQueue(queueOf(pawl, by), timed),
    fillOrgs: ({ tasks = 0, orgs = 1 }: Terms) =>
      justTimed(tasks, async () => {
        for (const queue of await queues(orgs)) await fill(queue, tasks / orgs);
      }),
    async claimAndCompleteInOrgs({ callers = 1, batch = 1, orgs = 1 }: Terms) {
      // At least one caller for every org.
      const perOrg = Math.ceil(callers / orgs);
      const claimers = (await queues(orgs)).flatMap(
        (queue) => new Array(perOrg).fill(queue) as ErrandQueue[],
      );
      let drained: number[] = [];
      const bout = await timed("claim-and-complete-in-orgs", 0, async () => {
        drained = await Promise.all(claimers.map((queue) => drain(queue, { batch })));
      });
      return { ...bout, done: drained.reduce((sum, done) => sum + done, 0) };
    },
  };
}
