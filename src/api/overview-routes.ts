import { z } from "zod";
import { moment, name } from "./fields.ts";
import { defineRoutes } from "./route.ts";

/** How far back figures look; and how long each bar of theirs is. */
export const OVERVIEW_WINDOWS = {
  hour: { seconds: 3_600, bucket_seconds: 60 },
  day: { seconds: 86_400, bucket_seconds: 1_800 },
  week: { seconds: 604_800, bucket_seconds: 14_400 },
} as const;

const count = z.int();

const statusFigures = z.object({
  status: z.string(),
  final: z.boolean(),
  tasks: count.nullable().describe("how many are in it now; null of a final status, whose tasks only grow"),
  entered: count.describe("how often a task came into it, within the window"),
  oldest_entered_at: moment.nullable().describe("since when the one that has been in it longest is there"),
  left: count.describe("how many of the latest moves the two durations below are made of"),
  median_seconds: z.number().nullable().describe("how long a task stayed in it before it left"),
  slow_seconds: z.number().nullable().describe("nine of ten stayed no longer than this"),
});

const lifecycleFigures = z
  .object({
    name: z.string(),
    open: count,
    attention: count.describe("how many of them are stuck, overdue or flagged"),
    statuses: z.array(statusFigures),
    moves: z.array(
      z
        .object({ from: z.string(), to: z.string(), action: z.string(), count })
        .describe("rates on the arrows"),
    ),
    created: z.array(count).describe("by bucket, oldest first"),
    finished: z.array(count).describe("by bucket, oldest first"),
  })
  .meta({ id: "LifecycleFigures" });

/** A task that somebody should look at, and why. */
const attention = z
  .object({
    task_id: z.uuid(),
    lifecycle: z.string(),
    project_id: z.string(),
    title: z.string(),
    status: z.string(),
    assigned_to: z.string().nullable(),
    since: moment.describe("since when it is in its status"),
    due_at: moment.nullable(),
    reasons: z.array(z.enum(["flagged", "overdue", "stuck"])),
  })
  .meta({ id: "Attention" });

const worker = z
  .object({
    member_id: z.string(),
    name: z.string(),
    kind: z.string().nullable().describe("null: no member of that id is there any more"),
    tasks: count.describe("unfinished ones that are his"),
    leases: count,
    heartbeat_at: moment.nullable(),
    lease_until: moment.nullable().describe("when the first of his leases ends"),
    last_act_at: moment.nullable().describe("when a task of his last changed"),
  })
  .meta({ id: "Worker" });

const overview = z
  .object({
    at: moment,
    window: z.enum(["hour", "day", "week"]),
    since: moment.describe("where the first bucket begins"),
    bucket_seconds: z.int(),
    counted_since: moment.describe(
      "later than `since` where so much happened that only the latest was counted",
    ),
    lifecycles: z.array(lifecycleFigures),
    attention: z.array(attention).describe("who has waited longest comes first; at most 50"),
    workers: z.array(worker).describe("at most 100"),
    sweep: z.object({
      due: count.describe("timers that have run out and wait for a sweep; at most 1,000 are counted"),
      lag_seconds: z.number().describe("for how long the first of them has been waiting"),
    }),
  })
  .meta({ id: "Overview" });

export type OverviewOnWire = z.output<typeof overview>;

export const OVERVIEW_ROUTES = defineRoutes({
  getOverview: {
    method: "GET",
    path: "/api/overview",
    group: "Overview",
    summary: "How the work moves: counts, throughput, time in status, what needs attention, who works",
    about:
      "Of the tasks you may see. It costs as much as there is unfinished work and recent events, so ask for it every few seconds at most.",
    query: z.object({
      window: z.enum(["hour", "day", "week"]).default("day"),
      lifecycle: name.optional(),
      project_id: name.optional(),
    }),
    replies: { 200: overview },
  },
});
