import { z } from "zod";
import { moment, nextCursor, page } from "./fields.ts";
import { problem } from "./problem.ts";
import { defineRoutes } from "./route.ts";

const request = z
  .object({
    id: z.uuid(),
    state: z.enum(["waiting", "refused"]),
    lifecycle: z.string(),
    project_id: z.string(),
    key: z.string().describe("idempotency key; the id if the caller gave none"),
    member_id: z.string().describe("the member that creates the task"),
    role: z.string().describe("the SQL role that made the request"),
    created_at: moment,
    attempts: z.int().describe("failed attempts, which the server log explains"),
    due_at: moment.nullable().describe("the next attempt; null if refused"),
    refused_at: moment.nullable(),
    refusal: problem.nullable(),
  })
  .meta({ id: "InboxRequest" });

const binding = z
  .object({
    role: z.string(),
    member_id: z.string(),
    created_by: z.string().nullable(),
    created_at: moment,
  })
  .meta({ id: "SqlBinding" });

export type InboxRequestOnWire = z.output<typeof request>;

export const INBOX_ROUTES = defineRoutes({
  listInbox: {
    method: "GET",
    path: "/api/inbox",
    group: "Inbox",
    summary: "Tasks requested in SQL that wait or were refused, newest first",
    about: "Inputs are not included, because they may describe private tasks.",
    access: "admin",
    query: z.object({
      state: z.enum(["waiting", "refused"]).optional(),
      ...page,
      cursor: z.uuid().optional().describe("`cursor` of the previous page"),
    }),
    replies: {
      200: z.object({
        requests: z.array(request),
        cursor: nextCursor,
        waiting: z.int().describe("number of waiting requests, counted up to 10,000"),
        refused: z.int().describe("number of refused requests, counted up to 10,000"),
      }),
    },
  },
  retryInboxRequest: {
    method: "POST",
    path: "/api/inbox/{id}/retry",
    group: "Inbox",
    summary: "Try a refused or postponed request again",
    access: "admin",
    replies: {
      200: z.object({
        outcome: z
          .enum(["created", "refused", "waiting"])
          .describe("`waiting`: another node serves its lifecycle, or the attempt failed"),
        task_id: z.uuid().nullable().describe("null if not created, or created by another node"),
        request: request.nullable().describe("null if the task was created"),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  discardInboxRequest: {
    method: "DELETE",
    path: "/api/inbox/{id}",
    group: "Inbox",
    summary: "Delete a request: its task is not created",
    access: "admin",
    replies: { 204: null },
    refusals: ["NOT_FOUND"],
  },
  listSqlBindings: {
    method: "GET",
    path: "/api/inbox/bindings",
    group: "Inbox",
    summary: "The SQL roles that may act as members in `pawl.enqueue`",
    access: "admin",
    replies: { 200: z.object({ bindings: z.array(binding).describe("at most 1,000") }) },
  },
  bindSqlRole: {
    method: "PUT",
    path: "/api/inbox/bindings/{role}/{member_id}",
    group: "Inbox",
    summary: "Let a SQL role act as a member in `pawl.enqueue`",
    about: "The role also needs EXECUTE on the function, which an owner of the schema grants.",
    access: "admin",
    replies: { 200: binding },
    refusals: ["NOT_FOUND"],
  },
  unbindSqlRole: {
    method: "DELETE",
    path: "/api/inbox/bindings/{role}/{member_id}",
    group: "Inbox",
    summary: "Stop a SQL role from acting as a member",
    access: "admin",
    replies: { 204: null },
    refusals: ["NOT_FOUND"],
  },
});
