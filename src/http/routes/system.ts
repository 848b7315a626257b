import { SYSTEM_ROUTES } from "../../contract/index.ts";
import { PawlError, refuse } from "../../core/index.ts";
import type { Directory } from "../../engine/directory.ts";
import { answer, serve } from "../route-set.ts";
import type { RouteSet } from "../route-set.ts";

const READY_WITHIN_MS = 2_000;

/** Is it there, can it answer, and what can it be asked. */
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
  docs: () => { page: string; policy: string };
  figures: () => Promise<string>;
}): RouteSet {
  return serve(SYSTEM_ROUTES, {
    getLive: () => answer(200, { status: "live" as const }),
    getReady: async () => {
      if (stopping.aborted) throw new PawlError("UNAVAILABLE", "This server is stopping.");
      await directory.ping(READY_WITHIN_MS);
      return answer(200, { status: "ready" as const });
    },
    getMetrics: async ({ by: { org_id } }) =>
      org_id === "main"
        ? answer(200, await figures())
        : refuse("FORBIDDEN", "The figures are of all orgs, and shown to admins of the org main."),
    getOpenApi: () => {
      const { document, serialized } = openApi();
      return answer(200, document, { serialized });
    },
    getDocs: () => {
      const { page, policy } = docs();
      return answer(200, page, { headers: { "content-security-policy": policy } });
    },
  });
}
