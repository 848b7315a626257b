import { PLUGINS } from "../../../src/lifecycles/index.ts";
import { openPawl } from "../../../src/main/index.ts";
import type { Contender, ContenderOptions } from "../../contender.ts";
import { chatWorkloads } from "./chat-workloads.ts";
import { dependentWorkloads } from "./dependent-workloads.ts";
import { eventWorkloads } from "./event-workloads.ts";
import { growthWorkloads } from "./growth-workloads.ts";
import { httpWorkloads } from "./http-workloads.ts";
import { orgWorkloads } from "./org-workloads.ts";
import { ERRANDS } from "./errand.ts";
import { stopwatch } from "./stopwatch.ts";

/** Opens Pawl as its users do: journal, guards, database constraints and fsync on. Timers are swept only by the `sweep` workload. */
export async function open({ url, profiles }: ContenderOptions): Promise<Contender> {
  const pawl = await openPawl({
    url,
    plugins: [...PLUGINS, ...ERRANDS],
    sweepSeconds: 0,
    reconcileSeconds: 0,
  });
  const memberOf = async (org_id: string) => {
    await pawl.createOrg(org_id);
    await pawl.createMember({ id: "ann", kind: "worker", roles: ["worker"] }, org_id);
    return pawl.as("ann", org_id);
  };
  const tools = { pawl, memberOf, caller: await memberOf("main"), timed: stopwatch(profiles) };
  return {
    workloads: {
      ...orgWorkloads(tools),
      ...growthWorkloads(tools),
      ...dependentWorkloads(tools),
      ...eventWorkloads(tools),
      ...chatWorkloads(tools),
      ...httpWorkloads(tools),
    },
    close: () => pawl.close(),
  };
}
