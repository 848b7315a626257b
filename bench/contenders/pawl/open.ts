import { openPawl } from "../../../src/main/index.ts";
import type { Contender, Place } from "../../contender.ts";
import { boutsOfChats } from "./bouts-of-chats.ts";
import { boutsOfDependents } from "./bouts-of-dependents.ts";
import { boutsOfEvents } from "./bouts-of-events.ts";
import { boutsOfGrowth } from "./bouts-of-growth.ts";
import { boutsOfHttp } from "./bouts-of-http.ts";
import { boutsOfRaces } from "./bouts-of-races.ts";
import { errand } from "./errand.ts";
import { stopwatch } from "./stopwatch.ts";

/** Pawl as its users open it: journal, guards, database defences and fsync on; timers are swept when a bout says so. */
export async function open({ url, profiles }: Place): Promise<Contender> {
  const pawl = await openPawl({ url, lifecycles: [errand], sweepSeconds: 0, reconcileSeconds: 0 });
  const memberOf = async (org_id: string) => {
    await pawl.createOrg(org_id);
    await pawl.createMember({ id: "ann", kind: "worker", roles: ["worker"] }, org_id);
    return pawl.as("ann", org_id);
  };
  const tools = { pawl, memberOf, by: await memberOf("main"), timed: stopwatch(profiles) };
  return {
    bouts: {
      ...boutsOfRaces(tools),
      ...boutsOfGrowth(tools),
      ...boutsOfDependents(tools),
      ...boutsOfEvents(tools),
      ...boutsOfChats(tools),
      ...boutsOfHttp(tools),
    },
    close: () => pawl.close(),
  };
}
