import { z } from "zod";
import { defineRoutes, fields } from "../../../api/index.ts";
import { group } from "./fields.ts";
import { keepsUsers } from "../permissions.ts";

const { id, moment, nextCursor, once, page, words } = fields;

export const USER_STATUSES = ["PENDING", "ACTIVE", "EXPIRED", "BLOCKED"] as const;

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

const decision = { method: "POST", group, idempotent: true } as const;
const days = z
  .number()
  .positive()
  .max(36_500)
  .nullish()
  .describe("for how long; the project's access_days unless given");

export const USER_ROUTES = defineRoutes({
  listDeliveryUsers: {
    method: "GET",
    path: "/api/delivery/users",
    group,
    permission: keepsUsers,
    summary: "Those who may ask for files, or want to",
    about: "For admins, and for the bot.",
    query: z.object({
      status: z.array(z.enum(USER_STATUSES)).max(100).optional(),
      ...page,
      cursor: id.optional().describe("`cursor` of the page before"),
    }),
    replies: { 200: z.object({ users: z.array(user), cursor: nextCursor }) },
  },
  requestDeliveryAccess: {
    method: "POST",
    path: "/api/delivery/users",
    group,
    permission: keepsUsers,
    summary: "Ask for access on somebody's behalf",
    about:
      "One who is new, or whose time is over, waits for an admin (`again` asks the admins once more, at most every hour until they decide); of others only the name is brought up to date.",
    body: z.object({
      id,
      name: words.max(200),
      username: words.max(200).nullish(),
      chat_id: id.nullish().describe("his own chat with the bot unless given"),
      again: z.boolean().default(false),
    }),
    replies: { 201: user, 200: user },
  },
  getDeliveryUser: {
    method: "GET",
    path: "/api/delivery/users/{id}",
    group,
    permission: keepsUsers,
    summary: "One of them",
    replies: { 200: user },
    refusals: ["NOT_FOUND"],
  },
  approveDeliveryUser: {
    ...decision,
    path: "/api/delivery/users/{id}/approve",
    permission: keepsUsers,
    summary: "Give access",
    about: "One who has access already keeps it as it is.",
    body: z.object({ days, decided_by: id.nullish(), ...once }),
    replies: { 200: user },
    refusals: ["NOT_FOUND"],
  },
  extendDeliveryUser: {
    ...decision,
    path: "/api/delivery/users/{id}/extend",
    permission: keepsUsers,
    summary: "Give access for longer",
    about: "From the end of what he has, or from now where that is over.",
    body: z.object({ days, decided_by: id.nullish(), ...once }),
    replies: { 200: user },
    refusals: ["NOT_FOUND", "USER_NOT_ACTIVE"],
  },
  blockDeliveryUser: {
    ...decision,
    path: "/api/delivery/users/{id}/block",
    permission: keepsUsers,
    summary: "Take access away",
    body: z.object({ decided_by: id.nullish(), ...once }),
    replies: { 200: user },
    refusals: ["NOT_FOUND"],
  },
});

export type DeliveryUser = z.output<typeof user>;
export type UserStatus = (typeof USER_STATUSES)[number];
