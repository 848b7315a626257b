import { onWire } from "../../api/index.ts";
import { answer, readProjects, serve } from "../../plugin/index.ts";
import type { Engine, RouteSet, Tx } from "../../plugin/index.ts";
import { OUTAGE_ROUTES } from "./api.ts";
import type { DeliveryOutage } from "./api.ts";
import { delivery } from "./lifecycle.ts";
import type { DeliveryService } from "./service.ts";
import { endOutage, openOutage, readOutages, takeProbes } from "./sql/outages.ts";
import type { OutageRow } from "./sql/outages.ts";

/** Maximum delay between two probes. */
const MAX_PROBE_DELAY_SECONDS = 60;

/** Serves outages, and the jobs that failed because of them. */
export function serveOutages(engine: Engine, service: DeliveryService): RouteSet {
  const current = async (tx: Tx, org_id: string) => (await readOutages(tx, org_id)).map(outageOnWire);
  return serve(OUTAGE_ROUTES, {
    listDeliveryOutages: async ({ caller: { org_id } }) =>
      answer(200, { outages: await engine.transaction((tx) => current(tx, org_id)) }),
    reportDeliveryOutage: ({ caller: { org_id }, body: { side, code, reason, retry_after_seconds } }) =>
      engine.transaction(async (tx) => {
        const { baseSeconds } = await probeDelays(engine, tx, org_id);
        const probeAfterSeconds = Math.max(baseSeconds, retry_after_seconds ?? 0);
        await openOutage(tx, org_id, { side, code, reason, probeAfterSeconds });
        return answer(200, { outages: await current(tx, org_id) });
      }),
    takeDeliveryProbes: ({ caller: { org_id }, body: { now } }) =>
      engine.transaction(async (tx) => {
        const probes = await takeProbes(tx, org_id, { now, ...(await probeDelays(engine, tx, org_id)) });
        return answer(200, { outages: await current(tx, org_id), probes });
      }),
    endDeliveryOutage: async ({ caller: { org_id }, body: { side } }) => {
      await engine.transaction((tx) => endOutage(tx, org_id, side));
      return answer(204, undefined);
    },
    listRetryableDeliveryJobs: async ({ caller, query: { since, cursor, limit } }) => {
      const jobs = await service.retryableJobs(caller, { since, after: cursor ?? null, limit: limit + 1 });
      const shown = jobs.slice(0, limit);
      return answer(200, { jobs: shown, cursor: jobs.length > limit ? (shown.at(-1)?.id ?? null) : null });
    },
  });
}

/** The storage and the bot belong to the org; the settings of its project main apply. */
async function probeDelays(engine: Engine, tx: Tx, org_id: string) {
  const { settings } = await readProjects(tx, org_id, ["main"]);
  const own = engine.registry.settingsFor(delivery, settings.get("main"));
  return {
    baseSeconds: Number(own.backoff_base_seconds),
    capSeconds: Math.min(MAX_PROBE_DELAY_SECONDS, Number(own.backoff_cap_seconds)),
  };
}

function outageOnWire({ since, probe_at, ...outage }: OutageRow): DeliveryOutage {
  return { ...outage, since: onWire(since), probe_at: onWire(probe_at) };
}
