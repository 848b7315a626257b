import { z } from "zod";
import { anyObject, chosenId, moment, nextCursor, once, page, nonEmptyText } from "./fields.ts";
import { defineRoutes } from "./route.ts";

const memberFields = {
  name: nonEmptyText.max(200),
  kind: z.enum(["human", "agent", "worker", "service"]),
  roles: z
    .array(nonEmptyText.max(100))
    .max(100)
    .describe(
      "admin, viewer, agent, worker, executor, lead, supervisor, system, or any role of your own lifecycles",
    ),
  project_ids: z
    .array(nonEmptyText.max(200))
    .max(1000)
    .nullable()
    .describe("null for every project of the org"),
  skill_level: z.int().min(1).max(10).nullable(),
  specializations: z.array(nonEmptyText.max(100)).max(100),
  active: z.boolean(),
};

/** A member: a person, an agent, a worker or a service. */
const member = z
  .object({
    id: z.string(),
    ...memberFields,
    name: z.string(),
    roles: z.array(z.string()),
    project_ids: z
      .array(z.string())
      .nullable()
      .describe("null for every project of the org; projects that you may not see are left out"),
    specializations: z.array(z.string()),
    skill_level: z.int().nullable(),
  })
  .meta({ id: "Member" });

const FORM = "Secret scanners recognize tokens by `pawl_\\S+_[0-9a-f]{48}`.";

const issued = z.object({ id: z.uuid(), token: z.string() });

export const MEMBER_ROUTES = defineRoutes({
  getMe: {
    method: "GET",
    path: "/api/me",
    group: "Members",
    confined: ["task"],
    summary: "The member that the token belongs to",
    replies: { 200: member.extend({ org_id: z.string() }).meta({ id: "Me" }) },
  },
  listMembers: {
    method: "GET",
    path: "/api/members",
    group: "Members",
    summary: "The members of your org",
    query: z.object(page),
    replies: { 200: z.object({ members: z.array(member), cursor: nextCursor }) },
  },
  getMember: {
    method: "GET",
    path: "/api/members/{id}",
    group: "Members",
    summary: "A member",
    replies: { 200: member },
    refusals: ["NOT_FOUND"],
  },
  createMember: {
    method: "POST",
    path: "/api/members",
    group: "Members",
    summary: "Add a member",
    access: "admin",
    idempotent: true,
    body: z.object({
      id: chosenId.optional().describe("default: a new UUID"),
      ...z.object(memberFields).partial().shape,
      ...once,
    }),
    replies: { 201: member },
    refusals: ["ALREADY_EXISTS"],
  },
  changeMember: {
    method: "PATCH",
    path: "/api/members/{id}",
    group: "Members",
    summary: "Change a member",
    access: "admin",
    idempotent: true,
    body: z.object({ ...z.object(memberFields).partial().shape, ...once }),
    replies: { 200: member },
    refusals: ["NOT_FOUND", "LAST_ADMIN"],
  },
  listTokens: {
    method: "GET",
    path: "/api/members/{id}/tokens",
    group: "Members",
    summary: "A member's tokens, newest first; default the valid ones",
    about: "The tokens themselves are not included: each is shown once, when it is created.",
    access: "admin",
    query: z.object({ all: z.boolean().default(false).describe("include revoked and expired tokens") }),
    replies: {
      200: z.object({
        tokens: z.array(
          z.object({
            id: z.uuid(),
            name: z.string().nullable(),
            last_used_at: moment.nullable().describe("to the minute; null if it was never used"),
            created_by: z.string().nullable(),
            created_at: moment,
            confined_to: anyObject
              .nullable()
              .describe("the only thing it may be used for; null if it may do everything its member may"),
            expires_at: moment.nullable(),
            revoked_at: moment.nullable(),
            state: z.enum(["valid", "expired", "revoked"]),
          }),
        ),
      }),
    },
    refusals: ["NOT_FOUND"],
  },
  createToken: {
    method: "POST",
    path: "/api/members/{id}/tokens",
    group: "Members",
    summary: "Create a token for a member",
    about: `The token is only shown in this answer. ${FORM}`,
    access: "admin",
    body: z
      .object({
        name: nonEmptyText.max(100).nullish().describe("distinguishes the tokens of a member"),
        expires_in_days: z.int().min(1).max(3_650).nullish().describe("default: it does not expire"),
      })
      .prefault({}),
    replies: { 201: issued },
    refusals: ["NOT_FOUND"],
  },
  rotateToken: {
    method: "POST",
    path: "/api/tokens/{id}/rotate",
    group: "Members",
    summary: "Replace a token by a new one with its name and lifetime",
    about: `The new token is only shown in this answer. The old one expires after the overlap. ${FORM}`,
    access: "admin",
    body: z
      .object({
        overlap_hours: z.number().min(0).max(720).default(24).describe("how long the old token stays valid"),
      })
      .prefault({}),
    replies: { 201: issued },
    refusals: ["NOT_FOUND", "TOKEN_NOT_ROTATED"],
  },
  revokeToken: {
    method: "DELETE",
    path: "/api/tokens/{id}",
    group: "Members",
    summary: "Revoke a token",
    about: "From the next request on, every node refuses it.",
    access: "admin",
    replies: { 204: null },
    refusals: ["NOT_FOUND"],
  },
});
