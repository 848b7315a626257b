import { z } from "zod";
import { defineRoutes, fields } from "../../../api/index.ts";
import { bytes, group } from "./fields.ts";
import { keepsUsers, readsFiles } from "../permissions.ts";

const { id, anyObject, moment, words } = fields;

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

export const WORK_ROUTES = defineRoutes({
  tellDeliveryProgress: {
    method: "POST",
    path: "/api/delivery/progress",
    group,
    permission: readsFiles,
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
  },
  recoverDeliveryJobs: {
    method: "POST",
    path: "/api/delivery/recover",
    group,
    permission: readsFiles,
    summary: "Take back at once what silent workers hold",
    about: "What every sweep does; a worker asks for it when it starts.",
    replies: { 200: z.object({ moved: z.int() }) },
  },
  callDeliveryAdmin: {
    method: "POST",
    path: "/api/delivery/source/needs-admin",
    group,
    permission: readsFiles,
    summary: "The storage does not let us in any more",
    about: "The admins are told once, until it has been well again.",
    body: z.object({ reason: words.max(500) }),
    replies: { 204: null },
  },
  takeDeliveryNotices: {
    method: "POST",
    path: "/api/delivery/notices/take",
    group,
    permission: keepsUsers,
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
  },
  settleDeliveryNotice: {
    method: "POST",
    path: "/api/delivery/notices/{id}/settle",
    group,
    permission: keepsUsers,
    summary: "It has been said, or never can be",
    replies: { 204: null },
    refusals: ["NOT_FOUND"],
  },
});

export type NoticeKind = (typeof NOTICES)[number];
