import { SYSTEM_ROUTES } from "../../api/index.ts";
import { PawlError, refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import type { Caller, Directory } from "../../engine/index.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";

const READY_TIMEOUT_MS = 2_000;

/** Liveness, readiness, metrics and API documentation. */
export function serveSystem({
  directory,
  stopping,
  openApi,
  docs,
  figures,
}: {
  directory: Directory;
  stopping: AbortSignal;
  openApi: () => { document: Record<string, unknown>; serialized: Buffer };
  docs: () => { page: string; policy: string; serialized: Buffer };
  figures: () => Promise<string>;
}): RouteSet {
  return serve(SYSTEM_ROUTES, {
    getLive: () => answer(200, { status: "live" as const }),
    getReady: async () => {
      if (stopping.aborted) throw new PawlError("UNAVAILABLE", "This server is stopping.");
      await directory.ping(READY_TIMEOUT_MS);
      return answer(200, { status: "ready" as const });
    },
    getMetrics: async ({ caller }) => metricsRefusal(caller) ?? answer(200, await figures()),
    getOpenApi: () => {
      const { document, serialized } = openApi();
      return answer(200, document, { serialized });
    },
    getDocs: () => {
      const { page, policy, serialized } = docs();
      return answer(200, page, { serialized, headers: { "content-security-policy": policy } });
    },
  });
}

function metricsRefusal({ org_id, actor }: Caller): Refusal | null {
  if (org_id === "main" && actor.project_ids === null) return null;
  return refuse(
    "FORBIDDEN",
    "Metrics cover all orgs and projects: only an admin of the org main with access to every project may read them.",
  );
}
