import { z } from "zod";
import { defineRoutes } from "../../contract/index.ts";
import { anyObject, moment, nextCursor, once, page, text, words } from "../../contract/fields.ts";
import { event } from "../../contract/task.ts";

const STATUSES = [
  "QUEUED",
  "CLAIMED",
  "DOWNLOADING",
  "STREAMING",
  "DELIVERED",
  "FAILED",
  "CANCELLED",
  "EXPIRED",
] as const;
export const USER_STATUSES = ["PENDING", "ACTIVE", "EXPIRED", "BLOCKED"] as const;
const NOTICES = [
  "job_failed",
  "job_expired",
  "access_requested",
  "access_granted",
  "access_extended",
  "access_ending",
  "user_access_ending",
  "source_needs_admin",
] as const;

const group = "delivery";
const status = z.enum(STATUSES);
const id = words.max(200);
const bytes = z.int().min(0);

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

const user = z
  .object({
    id: z.string().describe("Telegram's"),
    name: z.string(),
    username: z.string().nullable(),
    chat_id: z.string(),
    status: z.enum(USER_STATUSES),
    access_until: moment.nullable(),
    requested_at: moment,
    decided_by: z.string().nullable(),
    created_at: moment,
  })
  .meta({ id: "DeliveryUser" });

const file = z
  .object({
    id: z.string(),
    folder_id: z.string().nullable().describe("null: the first folder"),
    kind: z.enum(["file", "folder"]),
    name: z.string(),
    size: bytes.nullable(),
  })
  .meta({ id: "DeliveryFile" });

const JOB_ROUTES = defineRoutes({
  createDeliveryJob: {
    method: "POST",
    path: "/api/delivery/jobs",
    group,
    summary: "Ask for a file",
    about:
      "One tap, one job: the same user, file and nonce again get the job that is there (200), and nothing is queued.",
    idempotent: true,
    ruled: true,
    body: z.object({
      user_id: id,
      file_id: id,
      request_nonce: id,
      chat_id: id,
      title: words.max(200).nullish().describe("the file's name, unless given"),
      project_id: id.nullish().describe("`main` unless given"),
      ...once,
    }),
    replies: { 201: job, 200: job },
    refusals: ["NOT_FOUND"],
  },
  listDeliveryJobs: {
    method: "GET",
    path: "/api/delivery/jobs",
    group,
    summary: "The jobs you may see, newest first",
    query: z.object({
      status: z.array(status).optional().describe("one or several, separated by commas"),
      user_id: id.optional(),
      project_id: id.optional(),
      ...page,
      cursor: z.uuid().optional().describe("`cursor` of the page before"),
    }),
    replies: { 200: z.object({ jobs: z.array(job), cursor: nextCursor }) },
  },
  getDeliveryJob: {
    method: "GET",
    path: "/api/delivery/jobs/{id}",
    group,
    summary: "A job: how far it is, and what went wrong last",
    replies: { 200: job },
    refusals: ["TASK_NOT_FOUND"],
  },
  moveDeliveryJob: {
    method: "POST",
    path: "/api/delivery/jobs/{id}/transitions",
    group,
    summary: "Perform an action on a job",
    idempotent: true,
    versioned: true,
    ruled: true,
    body: z.object({
      action: text,
      comment: text.nullish(),
      payload: anyObject.nullish().describe("the action's own input"),
      lease_token: text.nullish().describe("of the claim"),
      expected_row_version: z.int().nullish(),
      ...once,
    }),
    replies: {
      200: z.object({
        job,
        event: event.nullable(),
        lease_token: z.string().nullable().describe("only in the answer that opened the lease"),
      }),
    },
    refusals: ["TASK_NOT_FOUND", "INVALID_TRANSITION", "VERSION_CONFLICT", "LEASE_LOST"],
  },
  getDeliveryStatus: {
    method: "GET",
    path: "/api/delivery/status",
    group,
    summary: "How the queue stands, what is stuck, and who works",
    replies: {
      200: z.object({
        queue: z.record(z.enum(["QUEUED", "CLAIMED", "DOWNLOADING", "STREAMING"]), z.int()),
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

const decision = { method: "POST", group, idempotent: true } as const;
const days = z
  .number()
  .positive()
  .max(36_500)
  .nullish()
  .describe("for how long; the project's access_days unless given");

const USER_ROUTES = defineRoutes({
  listDeliveryUsers: {
    method: "GET",
    path: "/api/delivery/users",
    group,
    summary: "Those who may ask for files, or want to",
    about: "For admins, and for the bot.",
    query: z.object({
      status: z.array(z.enum(USER_STATUSES)).optional(),
      ...page,
      cursor: id.optional().describe("`cursor` of the page before"),
    }),
    replies: { 200: z.object({ users: z.array(user), cursor: nextCursor }) },
    refusals: ["FORBIDDEN"],
  },
  requestDeliveryAccess: {
    method: "POST",
    path: "/api/delivery/users",
    group,
    summary: "Ask for access on somebody's behalf",
    about:
      "One who is new, or whose time is over, waits for an admin (`again` asks the admins once more); of others only the name is brought up to date.",
    body: z.object({
      id,
      name: words.max(200),
      username: words.max(200).nullish(),
      chat_id: id.nullish().describe("his own chat with the bot unless given"),
      again: z.boolean().default(false),
    }),
    replies: { 201: user, 200: user },
    refusals: ["FORBIDDEN"],
  },
  getDeliveryUser: {
    method: "GET",
    path: "/api/delivery/users/{id}",
    group,
    summary: "One of them",
    replies: { 200: user },
    refusals: ["FORBIDDEN", "NOT_FOUND"],
  },
  approveDeliveryUser: {
    ...decision,
    path: "/api/delivery/users/{id}/approve",
    summary: "Give access",
    about: "One who has access already keeps it as it is.",
    body: z.object({ days, decided_by: id.nullish(), ...once }),
    replies: { 200: user },
    refusals: ["FORBIDDEN", "NOT_FOUND"],
  },
  extendDeliveryUser: {
    ...decision,
    path: "/api/delivery/users/{id}/extend",
    summary: "Give access for longer",
    about: "From the end of what he has, or from now where that is over.",
    body: z.object({ days, decided_by: id.nullish(), ...once }),
    replies: { 200: user },
    refusals: ["FORBIDDEN", "NOT_FOUND", "USER_NOT_ACTIVE"],
  },
  blockDeliveryUser: {
    ...decision,
    path: "/api/delivery/users/{id}/block",
    summary: "Take access away",
    body: z.object({ decided_by: id.nullish(), ...once }),
    replies: { 200: user },
    refusals: ["FORBIDDEN", "NOT_FOUND"],
  },
});

export const deliveryEntry = z.object({
  kind: z.enum(["file", "folder"]),
  // As the storage has them, with every blank: another path is another file.
  path: text.min(1).max(8_000),
  name: text.min(1).max(1_000),
  size: bytes.nullish(),
  revision: words.max(200).nullish().describe("changes with the contents"),
});

const FILE_ROUTES = defineRoutes({
  listDeliveryFiles: {
    method: "GET",
    path: "/api/delivery/files",
    group,
    summary: "What lies in a folder, or what has a name like this",
    about: "Folders first. For admins, workers, and the bot. Where things lie in the storage is not told.",
    query: z.object({
      folder_id: id.optional().describe("the first folder unless given, where nothing is sought"),
      q: text.max(200).optional().describe("words of a name, in any order"),
      limit: z.int().min(1).max(200).default(50),
      offset: z.int().min(0).max(1_000_000).default(0),
    }),
    replies: {
      200: z.object({
        folder: file.nullable().describe("null: the first folder"),
        files: z.array(file),
        total: z.int(),
      }),
    },
    refusals: ["FORBIDDEN", "NOT_FOUND"],
  },
  saveDeliveryFiles: {
    method: "POST",
    path: "/api/delivery/files",
    group,
    summary: "Tell what lies in a folder of the storage",
    about:
      "In pages that share a `scan`; with the last of them what neither it nor a later one has seen is forgotten, and the storage is known to be well.",
    body: z.object({
      folder: text.max(8_000).nullish().describe("its path; null: the first folder"),
      scan: id.describe("one for each look, and a later look's sorts after it, as uuid v7 do"),
      entries: z.array(deliveryEntry).max(500),
      last: z.boolean(),
    }),
    replies: { 204: null },
    refusals: ["FORBIDDEN"],
  },
  getDeliverySource: {
    method: "GET",
    path: "/api/delivery/files/{id}/source",
    group,
    summary: "Where a file or folder is read from",
    about: "For workers, admins, and the bot.",
    replies: {
      200: file.extend({
        path: z.string(),
        revision: z.string().nullable(),
        telegram_file_id: z.string().nullable().describe("Telegram has what it holds now"),
      }),
    },
    refusals: ["FORBIDDEN", "NOT_FOUND"],
  },
  forgetCachedDeliveryFile: {
    method: "DELETE",
    path: "/api/delivery/files/{id}/cached/{telegram_file_id}",
    group,
    summary: "Telegram does not know a file by this id any more",
    replies: { 204: null },
    refusals: ["FORBIDDEN"],
  },
});

const WORK_ROUTES = defineRoutes({
  tellDeliveryProgress: {
    method: "POST",
    path: "/api/delivery/progress",
    group,
    summary: "A worker is there, and this far",
    body: z.object({
      worker: z.object({ id, concurrency: z.int().min(1).max(1_000) }),
      jobs: z
        .array(z.object({ job_id: z.uuid(), lease_token: z.uuid(), bytes, total_bytes: bytes.nullable() }))
        .max(1_000),
    }),
    replies: {
      200: z.object({
        heartbeat_seconds: z.number().describe("how often to be heard of: as the most eager project has it"),
      }),
    },
    refusals: ["FORBIDDEN"],
  },
  recoverDeliveryJobs: {
    method: "POST",
    path: "/api/delivery/recover",
    group,
    summary: "Take back at once what silent workers hold",
    about: "What every sweep does; a worker asks for it when it starts.",
    replies: { 200: z.object({ moved: z.int() }) },
    refusals: ["FORBIDDEN"],
  },
  callDeliveryAdmin: {
    method: "POST",
    path: "/api/delivery/source/needs-admin",
    group,
    summary: "The storage does not let us in any more",
    about: "The admins are told once, until it has been well again.",
    body: z.object({ reason: words.max(500) }),
    replies: { 204: null },
    refusals: ["FORBIDDEN"],
  },
  takeDeliveryNotices: {
    method: "POST",
    path: "/api/delivery/notices/take",
    group,
    summary: "What is to be said to users and admins",
    about:
      "For the bot. What is not settled within a minute is given out again; warnings of access that ends within 24 hours are among them.",
    body: z.object({ limit: z.int().min(1).max(100).default(20) }),
    replies: {
      200: z.object({
        notices: z.array(
          z.object({
            id: z.uuid(),
            kind: z.enum(NOTICES),
            user_id: z.string().nullable().describe("null: the admins"),
            params: anyObject,
            created_at: moment,
          }),
        ),
      }),
    },
    refusals: ["FORBIDDEN"],
  },
  settleDeliveryNotice: {
    method: "POST",
    path: "/api/delivery/notices/{id}/settle",
    group,
    summary: "It has been said, or never can be",
    replies: { 204: null },
    refusals: ["FORBIDDEN", "NOT_FOUND"],
  },
});

/** Delivery's routes: jobs, users, the catalogue, and what workers and the bot have to tell. */
export const DELIVERY_ROUTES = { ...JOB_ROUTES, ...USER_ROUTES, ...FILE_ROUTES, ...WORK_ROUTES };

export type DeliveryJob = z.output<typeof job>;
export type DeliveryUser = z.output<typeof user>;
export type DeliveryFile = z.output<typeof file>;
export type DeliveryEntry = z.output<typeof deliveryEntry>;
export type NoticeKind = (typeof NOTICES)[number];
export type UserStatus = (typeof USER_STATUSES)[number];
export type JobStatus = (typeof STATUSES)[number];
export { FILE_ROUTES, JOB_ROUTES, USER_ROUTES, WORK_ROUTES };
