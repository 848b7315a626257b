import { z } from "zod";
import { defineRoutes, fields } from "../../api/index.ts";
import { attention, ATTENTION_KINDS, stats } from "./lead-shapes.ts";
import { OF_PLACE, reads } from "./route-rows.ts";
import { timeZone } from "./shift-api.ts";

const { givenMoment, id, text } = fields;

/** The routes for leads. */
export const LEAD_ROUTES = defineRoutes({
  getPlannerAttention: {
    ...reads,
    path: "/api/planner/attention",
    permission: "attention.read",
    summary: "Everything that needs a lead, by kind",
    about:
      "Open escalations, tasks that are late or will be, tasks that wait for a canceled one, open holds, and tasks that wait for review, each with its reason. Of each kind, the oldest 1,000 are counted and listed.",
    query: z.object({
      project_id: id.optional(),
      kind: z.array(z.enum(ATTENTION_KINDS)).max(20).optional().describe("default all, in this order"),
      limit: z.int().min(1).max(100).default(20).describe("items of each kind"),
      cursor: text.max(200).optional().describe("`cursor` of the group before; needs exactly one `kind`"),
    }),
    replies: { 200: attention },
    refusals: OF_PLACE,
  },
  getPlannerStats: {
    ...reads,
    path: "/api/planner/stats",
    permission: "stats.read",
    summary: "Lead time, yield, rework, load and throughput of a range",
    about: "Computed from the journal. The range is at most 366 days; the default is the last 28 days.",
    query: z.object({
      project_id: id.optional(),
      from: givenMoment.optional().describe("default 28 days before `to`"),
      to: givenMoment.optional().describe("default now; not included"),
      time_zone: timeZone
        .optional()
        .describe("`days` begin at midnight there; without it, they are periods of 24 hours from `from` on"),
    }),
    replies: { 200: stats },
    refusals: OF_PLACE,
  },
});
