import { z } from "zod";
import { moment, name } from "./fields.ts";
import { defineRoutes } from "./route.ts";

export const INSIGHT_WINDOWS = ["hour", "day", "week", "month", "quarter", "year"] as const;

const count = z.int();
const seconds = z.number().nullable();

const durations = {
  p50_seconds: seconds.describe("half of them took at most this long; null if there are none"),
  p85_seconds: seconds.describe("85 % of them took at most this long"),
  p95_seconds: seconds.describe("95 % of them took at most this long"),
};

const statusInsights = z.object({
  status: z.string(),
  final: z.boolean(),
  entered: count.describe("how often a task entered it within the window"),
  left: count.describe("how often a task left it within the window; the durations are computed from these"),
  ...durations,
  flow: z
    .array(count)
    .describe(
      "by bucket: tasks in this status at the end of it; for a final status, tasks that have entered it since the start of the window",
    ),
});

const ageOfStatus = z.object({
  status: z.string(),
  tasks: count,
  oldest_entered_at: moment,
  over_p50: count.describe("tasks that have been in it longer than half of those that left it in the window"),
  over_p85: count,
  over_p95: count,
});

const oldTask = z.object({
  task_id: z.uuid(),
  project_id: z.string(),
  title: z.string(),
  status: z.string(),
  assigned_to: z.string().nullable(),
  entered_at: moment,
  created_at: moment,
  over: z
    .enum(["p50", "p85", "p95"])
    .nullable()
    .describe("the highest percentile of its status that it has exceeded"),
});

const part = { open: count, finished: count, ...durations };

const insights = z
  .object({
    at: moment,
    lifecycle: z.string(),
    window: z.enum(INSIGHT_WINDOWS),
    since: moment.describe("start of the first bucket"),
    bucket_seconds: z.int(),
    behind: count.describe("events that are not in these figures yet"),
    counted_until: moment.nullable().describe("time of the last event that is counted; null if none is"),
    created: z.array(count).nullable().describe("by bucket, oldest first; null for one member"),
    finished: z.array(count).describe("by bucket, oldest first"),
    lead: z
      .object({ finished: count, ...durations })
      .describe("time from creation to the end of finished tasks"),
    statuses: z.array(statusInsights),
    ageing: z.object({
      statuses: z.array(ageOfStatus),
      oldest: z.array(oldTask).describe("longest in their status first; at most 20"),
    }),
    projects: z.array(z.object({ project_id: z.string(), created: count.nullable(), ...part })),
    people: z
      .array(z.object({ member_id: z.string(), ...part }))
      .describe("a task counts for the member that it was assigned to; at most 100, most finished first"),
  })
  .meta({ id: "Insights" });

export type InsightsOnWire = z.output<typeof insights>;

const ABOUT = [
  "Throughput, time in status, cumulative flow and ageing of one lifecycle, for an hour up to a year.",
  "The figures about the past are added up in the background: `behind` and `counted_until` say how far. They cover your",
  "projects, without private tasks and tasks that only some members may see. Open tasks are counted now, as far as you may",
  "see them. A year is 52 weeks. Durations are taken from a histogram and are off by at most 9 %.",
].join(" ");

export const INSIGHT_ROUTES = defineRoutes({
  getInsights: {
    method: "GET",
    path: "/api/insights",
    group: "Overview",
    summary: "Throughput, time in status with percentiles, cumulative flow and ageing, by project and person",
    about: ABOUT,
    query: z.object({
      lifecycle: name,
      window: z.enum(INSIGHT_WINDOWS).default("week"),
      project_id: name.optional(),
      member_id: name.optional().describe("only tasks that were assigned to this member"),
    }),
    replies: { 200: insights },
    refusals: ["NOT_FOUND"],
  },
});
