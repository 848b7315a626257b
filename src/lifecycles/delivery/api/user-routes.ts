import { z } from "zod";
import { defineRoutes, fields } from "../../../api/index.ts";
import { group } from "./fields.ts";
import { requireUserManager } from "../permissions.ts";

const { givenMoment, id, moment, nextCursor, once, page, nonEmptyText: words } = fields;

export const USER_STATUSES = ["PENDING", "ACTIVE", "EXPIRED", "BLOCKED"] as const;

const user = z
  .object({
    id: z.string().describe("the Telegram id"),
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

const decision = { method: "POST", group, idempotent: true } as const;
const days = z.number().positive().max(36_500).nullish().describe("default: access_days of the project main");

const until = givenMoment
  .nullish()
  .describe("the end of the access, instead of `days`; in the future, at most 36,500 days");

export const USER_ROUTES = defineRoutes({
  listDeliveryUsers: {
    method: "GET",
    path: "/api/delivery/users",
    group,
    permission: requireUserManager,
    summary: "List users and requests for access",
    about: "For admins and the bot.",
    query: z.object({
      status: z.array(z.enum(USER_STATUSES)).max(100).optional(),
      ...page,
      cursor: id.optional().describe("`cursor` of the previous page"),
    }),
    replies: { 200: z.object({ users: z.array(user), cursor: nextCursor }) },
  },
  requestDeliveryAccess: {
    method: "POST",
    path: "/api/delivery/users",
    group,
    permission: requireUserManager,
    summary: "Request access for a user",
    about:
      "Records a request for access if the user is new or expired. `again` notifies the admins once more, at most once an hour while the request is open. For other users, only the names and the chat are updated.",
    body: z.object({
      id,
      name: words.max(200),
      username: words.max(200).nullish(),
      chat_id: id.nullish().describe("default: the user's private chat with the bot"),
      again: z.boolean().default(false),
    }),
    replies: { 201: user, 200: user },
  },
  getDeliveryUser: {
    method: "GET",
    path: "/api/delivery/users/{id}",
    group,
    permission: requireUserManager,
    summary: "Get a user",
    replies: { 200: user },
    refusals: ["NOT_FOUND"],
  },
  approveDeliveryUser: {
    ...decision,
    path: "/api/delivery/users/{id}/approve",
    permission: requireUserManager,
    summary: "Grant access",
    about: "Does nothing if the user already has access.",
    body: z.object({ days, until, decided_by: id.nullish(), ...once }),
    replies: { 200: user },
    refusals: ["NOT_FOUND"],
  },
  extendDeliveryUser: {
    ...decision,
    path: "/api/delivery/users/{id}/extend",
    permission: requireUserManager,
    summary: "Extend access",
    about:
      "Adds days to the end of the access, or to now if it has expired. `until` sets the end, also to an earlier one.",
    body: z.object({ days, until, decided_by: id.nullish(), ...once }),
    replies: { 200: user },
    refusals: ["NOT_FOUND", "USER_NOT_ACTIVE"],
  },
  blockDeliveryUser: {
    ...decision,
    path: "/api/delivery/users/{id}/block",
    permission: requireUserManager,
    summary: "Block a user",
    body: z.object({ decided_by: id.nullish(), ...once }),
    replies: { 200: user },
    refusals: ["NOT_FOUND"],
  },
});

export type DeliveryUser = z.output<typeof user>;
export type UserStatus = (typeof USER_STATUSES)[number];
