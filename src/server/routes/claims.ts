import { isRefusal } from "../../core/index.ts";
import { CLAIM_ROUTES, claimedOnWire, onWire } from "../../api/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Engine } from "../../engine/index.ts";
import { longPollClaim } from "../claims/long-poll-claim.ts";
import { claimRefusal, unknownLifecycle } from "../auth/body-permission.ts";
import type { PoolWatch } from "../claims/pool-watch.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** Claims from a pool, and heartbeats. */
export function serveClaims({ engine, pools }: { engine: Engine; pools: PoolWatch }): RouteSet {
  const { lifecycles } = engine.registry;
  return serve(
    CLAIM_ROUTES,
    {
      claimTasks: async ({ caller, body, client_event_id, signal }) => {
        const unknown = unknownLifecycle(lifecycles, body.lifecycle);
        if (unknown) return unknown;
        const { lifecycle, limit, project_id = null, filter, comment = null, wait_seconds } = body;
        const least_priority = filter?.least_priority ?? null;
        const fields = filter?.fields ?? null;
        const request = { lifecycle, limit, project_id, least_priority, fields, comment, client_event_id };
        const waitMs = wait_seconds * 1_000;
        const claimed = await longPollClaim({ engine, pools }, caller, request, { waitMs, signal });
        if (isRefusal(claimed)) return claimed;
        const { tasks, refusal, replayed } = claimed;
        return answer(
          200,
          { tasks: tasks.map(claimedOnWire), refusal: refusal && reasonOf(refusal) },
          { replayed },
        );
      },
      beatLeases: async ({ caller, body: { leases } }) => {
        const { extended, lost } = await engine.heartbeat(caller, leases);
        const renewed = extended.map((one) => ({ ...one, lease_until: onWire(one.lease_until) }));
        return answer(200, { extended: renewed, lost });
      },
    },
    { claimTasks: ({ caller, body }) => claimRefusal(lifecycles, caller, body) },
  );
}

function reasonOf({ code, detail, params }: Refusal) {
  return { code, detail, params };
}
