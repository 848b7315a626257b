import { isRefusal } from "../../core/index.ts";
import { answer, projectRefusal, serve } from "../../plugin/index.ts";
import type { RouteHost, RouteSet } from "../../plugin/index.ts";
import { AttentionService } from "./attention-service.ts";
import { LEAD_ROUTES } from "./lead-api.ts";
import { ATTENTION_KINDS } from "./lead-shapes.ts";

/** Serves the routes for leads. */
export function serveLead({ engine, directory }: RouteHost): RouteSet {
  const attention = new AttentionService(engine);
  return serve(LEAD_ROUTES, {
    getPlannerAttention: async ({ caller, query: { project_id = null, kind, cursor = null, limit } }) => {
      const unknown = await projectRefusal(directory, caller, project_id);
      if (unknown) return unknown;
      const kinds = [...new Set(kind ?? ATTENTION_KINDS)];
      const groups = await attention.read(caller, { project_id, kinds, cursor, limit });
      return isRefusal(groups) ? groups : answer(200, { groups });
    },
  });
}
