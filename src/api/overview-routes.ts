import { z } from "zod";
import { moment, name } from "./fields.ts";
import { defineRoutes } from "./route.ts";

/** The time windows of the overview, and the length of one bar of their charts. */
export const OVERVIEW_WINDOWS = {
  hour: { seconds: 3_600, bucket_seconds: 60 },
  day: { seconds: 86_400, bucket_seconds: 1_800 },
  week: { seconds: 604_800, bucket_seconds: 14_400 },
} as const;

const count = z.int();

const statusFigures = z.object({
  status: z.string(),
  final: z.boolean(),
  tasks: count.nullable().describe("tasks in this status now; null for a final status, which is not counted"),
  entered: count.describe("how often a task entered it within the window"),
  oldest_entered_at: moment.nullable().describe("when the task that has been in it longest entered it"),
  left: count.describe(
    "number of recent moves out of this status; the two durations below are computed from them",
  ),
  median_seconds: z.number().nullable().describe("median time that a task stayed in it"),
  slow_seconds: z.number().nullable().describe("90th percentile of that time"),
});

const lifecycleFigures = z
  .object({
    name: z.string(),
    open: count,
    attention: count.describe("open tasks that are stuck, overdue or flagged"),
    statuses: z.array(statusFigures),
    moves: z.array(
      z
        .object({ from: z.string(), to: z.string(), action: z.string(), count })
        .describe("moves between two statuses by one action, within the window"),
    ),
    created: z.array(count).describe("by bucket, oldest first"),
    finished: z.array(count).describe("by bucket, oldest first"),
  })
  .meta({ id: "LifecycleFigures" });

/** A task that needs attention, and why. */
const attention = z
  .object({
    task_id: z.uuid(),
    lifecycle: z.string(),
    project_id: z.string(),
    title: z.string(),
    status: z.string(),
    assigned_to: z.string().nullable(),
    since: moment.describe("when it entered its status"),
    due_at: moment.nullable(),
    reasons: z.array(z.enum(["flagged", "overdue", "stuck"])),
  })
  .meta({ id: "Attention" });

const worker = z
  .object({
    member_id: z.string(),
    name: z.string(),
    kind: z.string().nullable().describe("null if the member no longer exists"),
    tasks: count.describe("unfinished tasks assigned to the worker"),
    leases: count,
    heartbeat_at: moment.nullable(),
    lease_until: moment.nullable().describe("when its first lease expires"),
    last_act_at: moment.nullable().describe("when one of its tasks last changed"),
  })
  .meta({ id: "Worker" });

const overview = z
  .object({
    at: moment,
    window: z.enum(["hour", "day", "week"]),
    since: moment.describe("start of the first bucket"),
    bucket_seconds: z.int(),
    counted_since: moment.describe(
      "later than `since` if there were too many events and only the latest were counted",
    ),
    lifecycles: z.array(lifecycleFigures),
    attention: z.array(attention).describe("longest waiting first; at most 50"),
    workers: z.array(worker).describe("at most 100"),
    sweep: z.object({
      due: count.describe("expired timers that wait for a sweep, counted up to 1,000"),
      lag_seconds: z.number().describe("how long the first of them has waited"),
    }),
  })
  .meta({ id: "Overview" });

export type OverviewOnWire = z.output<typeof overview>;

export const OVERVIEW_ROUTES = defineRoutes({
  getOverview: {
    method: "GET",
    path: "/api/overview",
    group: "Overview",
    summary: "Task counts, throughput, time in status, tasks that need attention, and active workers",
    about:
      "Covers the tasks you may see. The cost grows with unfinished tasks and recent events, so poll it at most every few seconds.",
    query: z.object({
      window: z.enum(["hour", "day", "week"]).default("day"),
      lifecycle: name.optional(),
      project_id: name.optional(),
    }),
    replies: { 200: overview },
    refusals: ["NOT_FOUND"],
  },
});
