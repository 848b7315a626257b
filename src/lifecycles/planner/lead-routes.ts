import { isRefusal } from "../../core/index.ts";
import type { Instant, Refusal } from "../../core/index.ts";
import { answer, projectRefusal, readClock, serve, visibleProjects, wrongField } from "../../plugin/index.ts";
import type { RouteHost, RouteSet } from "../../plugin/index.ts";
import { AttentionService } from "./attention-service.ts";
import { LEAD_ROUTES } from "./lead-api.ts";
import { ATTENTION_KINDS } from "./lead-shapes.ts";
import { DAY_MS, daysOf, statsOnWire } from "./planner-stats.ts";
import { readPlannerStats } from "./sql/read-planner-stats.ts";

const DEFAULT_DAYS = 28;
const MAX_DAYS = 366;

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
    getPlannerStats: async ({ caller, query: { project_id = null, from, to, time_zone = null } }) => {
      const unknown = await projectRefusal(directory, caller, project_id);
      if (unknown) return unknown;
      const projects = visibleProjects(caller.actor, project_id);
      return engine.transaction(async (tx) => {
        const until = to === undefined ? await readClock(tx) : Date.parse(to);
        const range = {
          from: from === undefined ? until - DEFAULT_DAYS * DAY_MS : Date.parse(from),
          to: until,
        };
        const wrong = rangeRefusal(range);
        if (wrong) return wrong;
        const whole = { ...range, days: await daysOf(range, time_zone) };
        const rows = await readPlannerStats(tx, caller.org_id, { projects, ...whole });
        return answer(200, statsOnWire(rows, whole));
      });
    },
  });
}

function rangeRefusal({ from, to }: { from: Instant; to: Instant }): Refusal | null {
  if (to <= from) return wrongField("to", "must be after `from`");
  return to - from > MAX_DAYS * DAY_MS
    ? wrongField("from", `must be at most ${MAX_DAYS} days before \`to\``)
    : null;
}
