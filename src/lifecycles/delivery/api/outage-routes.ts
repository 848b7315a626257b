import { z } from "zod";
import { defineRoutes, fields } from "../../../api/index.ts";
import { SIDES } from "../outage-codes.ts";
import { requireFileReader, requireUserManager } from "../permissions.ts";
import { group } from "./fields.ts";
import { job } from "./job-routes.ts";

const { id, givenMoment, moment, nextCursor, page, nonEmptyText: words } = fields;

const outage = z
  .object({
    side: z.enum(SIDES),
    code: z.string(),
    reason: z.string(),
    since: moment,
    probes: z.int().describe("probes so far"),
    probe_at: moment.describe("time of the next probe"),
  })
  .meta({ id: "DeliveryOutage" });

const outages = z.array(outage).describe("current outages; workers claim nothing meanwhile");
const bySide = z.enum(SIDES).describe("`storage` or `telegram`");

export const OUTAGE_ROUTES = defineRoutes({
  listDeliveryOutages: {
    method: "GET",
    path: "/api/delivery/outages",
    group,
    permission: requireFileReader,
    summary: "List the current outages of the storage and of Telegram",
    replies: { 200: z.object({ outages }) },
  },
  reportDeliveryOutage: {
    method: "POST",
    path: "/api/delivery/outages",
    group,
    permission: requireFileReader,
    summary: "Report an outage",
    about: "For workers. A known outage stays as it is.",
    body: z.object({
      side: bySide,
      code: id,
      reason: words.max(500),
      retry_after_seconds: z.number().min(0).max(86_400).nullish().describe("no probe before this time"),
    }),
    replies: { 200: z.object({ outages }) },
  },
  takeDeliveryProbes: {
    method: "POST",
    path: "/api/delivery/outages/probe",
    group,
    permission: requireFileReader,
    summary: "Take the probes that are due",
    about:
      "For workers, before each claim. Each probe goes to one worker, with a delay that doubles up to a minute.",
    body: z.object({
      now: z
        .boolean()
        .default(false)
        .describe("also takes probes that are not due: for a worker that starts"),
    }),
    replies: { 200: z.object({ outages, probes: z.array(bySide) }) },
  },
  endDeliveryOutage: {
    method: "POST",
    path: "/api/delivery/outages/end",
    group,
    permission: requireFileReader,
    summary: "End an outage",
    about: "For workers, after a successful probe.",
    body: z.object({ side: bySide }),
    replies: { 204: null },
  },
  listRetryableDeliveryJobs: {
    method: "GET",
    path: "/api/delivery/retryable-jobs",
    group,
    permission: requireUserManager,
    summary: "List jobs that failed because of an outage and were not retried, oldest first",
    about:
      "Retry a job by creating one for the same user, file and chat with the nonce `retry:` and the id of the failed job.",
    query: z.object({
      since: givenMoment.describe("only jobs that failed at this time or later"),
      ...page,
      cursor: z.uuid().optional().describe("`cursor` of the previous page"),
    }),
    replies: { 200: z.object({ jobs: z.array(job), cursor: nextCursor }) },
  },
});

export type DeliveryOutage = z.output<typeof outage>;
