import type { By, Pawl } from "../../../src/index.ts";
import { fromCallers, timed as justTimed } from "../../contender.ts";
import type { Bouts, Terms } from "../../contender.ts";
import { accepted, createErrands, drain, fill } from "./errands.ts";
import type { Tools } from "./errands.ts";

/** What Pawl and its peers are measured by alike. */
export function boutsOfRaces({ pawl, by, memberOf, timed }: Tools): Bouts {
  /** One in each of so many orgs. */
  const members = (orgs: number) =>
    orgs === 1 ? [by] : Promise.all(Array.from({ length: orgs }, (_, n) => memberOf(`org-${n}`)));
  return {
    fill: ({ tasks = 0, orgs = 1 }: Terms) =>
      justTimed(tasks, async () => {
        for (const member of await members(orgs)) await fill(pawl, member, tasks / orgs);
      }),
    async claimAndComplete({ callers = 1, batch = 1, orgs = 1 }: Terms) {
      const inOrgs = await members(orgs);
      const claimers = Array.from({ length: Math.max(callers, orgs) }, (_, n) => inOrgs[n % orgs] ?? by);
      let drained: number[] = [];
      const bout = await timed("claim-and-complete", 0, async () => {
        drained = await Promise.all(claimers.map((claimer) => drain(pawl, claimer, batch)));
      });
      return { ...bout, done: drained.reduce((sum, done) => sum + done, 0) };
    },
    createInBatches: ({ tasks = 0, callers = 1, batch = 1 }: Terms) =>
      timed("create-in-batches", tasks, () =>
        fromCallers(callers, tasks / batch, () => createErrands(pawl, by, batch)),
      ),
    createOneByOne: ({ tasks = 0, callers = 1 }: Terms) =>
      timed("create-one-by-one", tasks, () => fromCallers(callers, tasks, () => createErrands(pawl, by, 1))),
    async moveOneByOne({ tasks = 0, moves = 0, callers = 1 }: Terms) {
      const ids = await createErrands(pawl, by, tasks);
      return timed("move-one-by-one", moves, () => fromCallers(callers, moves, backAndForth(pawl, by, ids)));
    },
  };
}

/** Each task is opened and closed in turn, with the version that was seen last. */
function backAndForth(pawl: Pawl, by: By, ids: readonly string[]): (n: number) => Promise<void> {
  const versions = ids.map(() => 1);
  return async (n) => {
    const place = n % ids.length;
    const version = versions[place] ?? 0;
    const action = version % 2 === 1 ? "open" : "close";
    const request = { task_id: ids[place] ?? "", action, expected_row_version: version };
    versions[place] = accepted(await pawl.perform(by, request)).task.row_version;
  };
}
