import { z } from "zod";
import { defineRoutes, fields } from "../../../api/index.ts";
import { bytes, group } from "./fields.ts";
import { requireUserManager, requireFileReader } from "../permissions.ts";

const { id, anyObject, moment, nonEmptyText: words } = fields;

const NOTICE_KINDS = [
  "job_failed",
  "job_expired",
  "access_requested",
  "access_granted",
  "access_extended",
  "access_ending",
  "user_access_ending",
  "source_needs_admin",
  "jobs_failed",
  "outage",
] as const;

export const WORK_ROUTES = defineRoutes({
  reportDeliveryProgress: {
    method: "POST",
    path: "/api/delivery/progress",
    group,
    permission: requireFileReader,
    summary: "Report a worker's heartbeat and the progress of its jobs",
    body: z.object({
      worker: z.object({ id, concurrency: z.int().min(1).max(1_000) }),
      jobs: z
        .array(z.object({ job_id: z.uuid(), lease_token: z.uuid(), bytes, total_bytes: bytes.nullable() }))
        .max(1_000),
    }),
    replies: {
      200: z.object({
        heartbeat_seconds: z.number().describe("interval of the next reports: the shortest of the projects"),
      }),
    },
  },
  recoverDeliveryJobs: {
    method: "POST",
    path: "/api/delivery/recover",
    group,
    permission: requireFileReader,
    summary: "Requeue jobs of workers without heartbeat now",
    about: "The sweep does this regularly; a worker calls it when it starts.",
    replies: { 200: z.object({ moved: z.int() }) },
  },
  callDeliveryAdmin: {
    method: "POST",
    path: "/api/delivery/source/needs-admin",
    group,
    permission: requireFileReader,
    summary: "Report that the storage rejects the token",
    about: "The admins are notified once, until the storage works again.",
    body: z.object({ reason: words.max(500) }),
    replies: { 204: null },
  },
  takeDeliveryNotices: {
    method: "POST",
    path: "/api/delivery/notices/take",
    group,
    permission: requireUserManager,
    summary: "Take the next notices to send to users and admins",
    about:
      "For the bot. A notice that is not settled within a minute is offered again. Includes warnings about access that ends within 24 hours, and for admins one digest of failed jobs per hour.",
    body: z.object({ limit: z.int().min(1).max(100).default(20) }),
    replies: {
      200: z.object({
        notices: z.array(
          z.object({
            id: z.uuid(),
            kind: z.enum(NOTICE_KINDS),
            user_id: z.string().nullable().describe("null: the admins"),
            params: anyObject,
            created_at: moment,
          }),
        ),
      }),
    },
  },
  settleDeliveryNotice: {
    method: "POST",
    path: "/api/delivery/notices/{id}/settle",
    group,
    permission: requireUserManager,
    summary: "Mark a notice as sent, or as undeliverable",
    replies: { 204: null },
    refusals: ["NOT_FOUND"],
  },
});

export type NoticeKind = (typeof NOTICE_KINDS)[number];
