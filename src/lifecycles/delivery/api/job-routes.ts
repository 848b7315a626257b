import { z } from "zod";
import { defineRoutes, fields, journalEvent as event, taskRoutes } from "../../../api/index.ts";
import { delivery } from "../lifecycle.ts";
import { bytes, group } from "./fields.ts";

const { id, moment, nextCursor, page, place, words } = fields;

export const OPEN_STATUSES = ["QUEUED", "CLAIMED", "DOWNLOADING", "STREAMING"] as const;
export const FINAL_STATUSES = ["DELIVERED", "FAILED", "CANCELLED", "EXPIRED"] as const;

const status = z.enum([...OPEN_STATUSES, ...FINAL_STATUSES]);
const progress = z.object({ bytes, total_bytes: bytes.nullable(), updated_at: moment });
const failure = z.object({ code: z.string(), message: z.string(), retryable: z.boolean() });

const job = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    status,
    title: z.string().describe("the file's name"),
    user_id: z.string(),
    file_id: z.string(),
    chat_id: z.string(),
    request_nonce: z.string(),
    attempt: z.int().describe("tries that have failed, of three"),
    worker_id: z.string().nullable().describe("who has it"),
    heartbeat_at: moment.nullable(),
    stuck: z.boolean().describe("in hand, and its worker has not been heard of for stuck_after_seconds"),
    progress: progress.nullable(),
    last_error: failure.nullable(),
    message_id: z.int().nullable(),
    telegram_file_id: z.string().nullable(),
    available_at: moment.nullable().describe("not to be tried before"),
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
    title: words.max(200).nullish().describe("the file's name, unless given"),
    project_id: place,
  }),
  routes: {
    create: {
      summary: "Ask for a file",
      about:
        "One tap, one job: the same user, file and nonce again get the job that is there (200), and nothing is queued.",
      replies: { 201: job, 200: job },
      refusals: ["NOT_FOUND"],
    },
    list: {
      summary: "The jobs you may see, newest first",
      query: z.object({
        status: z.array(status).max(100).optional().describe("one or several, separated by commas"),
        user_id: id.optional(),
        project_id: id.optional(),
        ...page,
        cursor: z.uuid().optional().describe("`cursor` of the page before"),
      }),
      replies: { 200: z.object({ jobs: z.array(job), cursor: nextCursor }) },
    },
    get: { summary: "A job: how far it is, and what went wrong last" },
    move: {
      summary: "Perform an action on a job",
      replies: {
        200: z.object({
          job,
          event: event.nullable(),
          lease_token: z.string().nullable().describe("only in the answer that opened the lease"),
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
    summary: "How the queue stands, what is stuck, and who works",
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
          .describe("null: the storage lets us in"),
      }),
    },
  },
});

export type DeliveryJob = z.output<typeof job>;
export type JobStatus = DeliveryJob["status"];
