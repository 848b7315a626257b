import { z } from "zod";
import { defineRoutes, fields, journalEvent as event, taskRoutes } from "../../../api/index.ts";
import { delivery } from "../lifecycle.ts";
import { SIDES } from "../outage-codes.ts";
import { bytes, group } from "./fields.ts";

const { id, moment, nextCursor, page, projectId: place, nonEmptyText: words } = fields;

export const OPEN_STATUSES = ["QUEUED", "CLAIMED", "DOWNLOADING", "STREAMING"] as const;
export const FINAL_STATUSES = ["DELIVERED", "FAILED", "CANCELLED", "EXPIRED"] as const;

const status = z.enum([...OPEN_STATUSES, ...FINAL_STATUSES]);
const progress = z.object({ bytes, total_bytes: bytes.nullable(), updated_at: moment });
const failure = z.object({ code: z.string(), message: z.string(), retryable: z.boolean() });

export const job = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    status,
    title: z.string().describe("the file's name"),
    user_id: z.string(),
    file_id: z.string(),
    chat_id: z.string(),
    request_nonce: z.string(),
    attempt: z.int().describe("failed attempts, at most three"),
    worker_id: z.string().nullable().describe("the member that holds the lease"),
    heartbeat_at: moment.nullable(),
    stuck: z.boolean().describe("under a lease, without a heartbeat for stuck_after_seconds"),
    progress: progress.nullable(),
    last_error: failure.nullable(),
    message_id: z.int().nullable(),
    telegram_file_id: z.string().nullable(),
    available_at: moment.nullable().describe("time of the next attempt"),
    row_version: z.int(),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: "DeliveryJob" });

export const JOBS = taskRoutes({
  prefix: "/api/delivery",
  lifecycle: delivery,
  noun: "job",
  task: job,
  creation: z.object({
    user_id: id,
    file_id: id,
    request_nonce: id,
    chat_id: id,
    title: words.max(200).nullish().describe("default: the file's name"),
    project_id: place,
  }),
  routes: {
    create: {
      summary: "Create a job",
      about:
        "One tap creates one job: the same user, file and nonce return the existing job (200), and nothing is queued.",
      replies: { 201: job, 200: job },
      refusals: ["NOT_FOUND"],
    },
    list: {
      summary: "List jobs, newest first",
      query: z.object({
        status: z.array(status).max(100).optional().describe("one or several, separated by commas"),
        user_id: id.optional(),
        project_id: id.optional(),
        ...page,
        cursor: z.uuid().optional().describe("`cursor` of the previous page"),
      }),
      replies: { 200: z.object({ jobs: z.array(job), cursor: nextCursor }) },
    },
    get: { summary: "Get a job with its progress and last error" },
    move: {
      summary: "Perform an action on a job",
      replies: {
        200: z.object({
          job,
          event: event.nullable(),
          lease_token: z.string().nullable().describe("only in the answer to the claim"),
        }),
      },
    },
  },
});

export const STATUS_ROUTES = defineRoutes({
  getDeliveryStatus: {
    method: "GET",
    path: "/api/delivery/status",
    group,
    summary: "Get the queue by status, the stuck jobs and the workers",
    replies: {
      200: z.object({
        queue: z.record(z.enum(OPEN_STATUSES), z.int()),
        stuck: z.array(job),
        workers: z.array(
          z.object({
            id: z.string(),
            member_id: z.string(),
            concurrency: z.int(),
            started_at: moment,
            heartbeat_at: moment,
          }),
        ),
        source: z
          .object({ needs_admin_since: moment, reason: z.string() })
          .nullable()
          .describe("null: the storage accepts the token"),
        outages: z
          .array(
            z.object({
              side: z.enum(SIDES),
              code: z.string(),
              reason: z.string(),
              since: moment,
              probe_at: moment.describe("time of the next probe"),
            }),
          )
          .describe("outages of the storage and of Telegram; workers claim nothing meanwhile"),
      }),
    },
  },
});

export type DeliveryJob = z.output<typeof job>;
export type JobStatus = DeliveryJob["status"];
