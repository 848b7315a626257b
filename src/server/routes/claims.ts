import { isRefusal } from "../../core/index.ts";
import { CLAIM_ROUTES, onWire, onWireOrNull, taskOnWire } from "../../api/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Claimed, Engine } from "../../engine/index.ts";
import { claimPatiently } from "../claims/long-poll-claim.ts";
import { claimRefusal, unknownLifecycle } from "../auth/body-permission.ts";
import type { PoolWatch } from "../claims/pool-watch.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

/** Taking tasks from a pool, and keeping them. */
export function serveClaims({ engine, pools }: { engine: Engine; pools: PoolWatch }): RouteSet {
  const { lifecycles } = engine.registry;
  return serve(
    CLAIM_ROUTES,
    {
      claimTasks: async ({ by, body, client_event_id, signal }) => {
        const unknown = unknownLifecycle(lifecycles, body.lifecycle);
        if (unknown) return unknown;
        const { lifecycle, limit, project_id = null, filter, comment = null, wait_seconds } = body;
        const least_priority = filter?.least_priority ?? null;
        const request = { lifecycle, limit, project_id, least_priority, comment, client_event_id };
        const waitMs = wait_seconds * 1_000;
        const claimed = await claimPatiently({ engine, pools }, by, request, { waitMs, signal });
        if (isRefusal(claimed)) return claimed;
        const { tasks, refusal, replayed } = claimed;
        return answer(
          200,
          { tasks: tasks.map(claimedOnWire), refusal: refusal && reasonOf(refusal) },
          { replayed },
        );
      },
      beatLeases: async ({ by, body: { leases } }) => {
        const { extended, lost } = await engine.heartbeat(by, leases);
        const beaten = extended.map((one) => ({ ...one, lease_until: onWire(one.lease_until) }));
        return answer(200, { extended: beaten, lost });
      },
    },
    { claimTasks: ({ by, body }) => claimRefusal(lifecycles, by, body) },
  );
}

function claimedOnWire({ task, lease_token, lease_until }: Claimed["tasks"][number]) {
  return { ...taskOnWire(task), lease_token, lease_until: onWireOrNull(lease_until) };
}

function reasonOf({ code, detail, params }: Refusal) {
  return { code, detail, params };
}
