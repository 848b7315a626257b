import { z } from "zod";
import { anyObject } from "./fields.ts";
import { defineRoutes, media } from "./route.ts";

const named = z.object({ name: z.string() });

const brief = z
  .object({
    name: z.string(),
    version: z.int(),
    summary: z.string(),
    statuses: z.array(z.string()),
    actions: z.array(z.string()),
    roles: z.array(z.string()).describe("roles that its permissions name"),
    has_pool: z.boolean().describe("whether its tasks can be claimed with `POST /api/claims`"),
  })
  .meta({ id: "LifecycleBrief" });

const roles = z.union([z.literal("anyone"), z.array(z.string()).readonly()]);
const demand = z.enum(["required", "optional"]);

const description = z
  .looseObject({
    name: z.string(),
    version: z.int(),
    summary: z.string(),
    statuses: z.array(
      z.looseObject({
        ...named.shape,
        meaning: z.string().nullable(),
        final: z.boolean(),
        success: z.boolean(),
        lease: z.boolean(),
      }),
    ),
    creation: z.looseObject({ permission: z.string(), roles, input: anyObject }),
    actions: z.array(
      z.looseObject({
        ...named.shape,
        permission: z.string(),
        roles,
        event: z.string(),
        input: anyObject.describe("JSON Schema of the payload"),
        comment: demand,
        expected_row_version: demand,
        client_event_id: demand,
        lease_token: demand,
      }),
    ),
    rules: z.array(
      z.looseObject({
        action: z.string(),
        from: z.array(z.string()),
        to: z.string().nullable().describe("null if the status does not change"),
        who: z.array(z.string()),
        guards: z.array(z.string()),
        effects: z.array(z.string()),
      }),
    ),
    permissions: z.record(z.string(), roles),
    invariants: z.array(z.string()),
  })
  .meta({ id: "Lifecycle" });

const step = z.object({ action: z.string(), by: z.string(), state: z.string() });

const report = z
  .object({
    lifecycle: z.string(),
    version: z.int(),
    situations: z.int(),
    steps: z.int(),
    invariants: z.array(z.string()),
    findings: z.array(
      z.object({
        level: z.enum(["error", "warning"]),
        kind: z.string(),
        message: z.string(),
        invariant: z.string().optional(),
        path: z.array(step).describe("the shortest path to the situation, starting with the creation"),
      }),
    ),
  })
  .meta({ id: "CheckReport" });

export const LIFECYCLE_ROUTES = defineRoutes({
  listLifecycles: {
    method: "GET",
    path: "/api/lifecycles",
    group: "Lifecycles",
    confined: ["task"],
    summary: "All lifecycles",
    replies: { 200: z.object({ lifecycles: z.array(brief) }) },
  },
  describeLifecycle: {
    method: "GET",
    path: "/api/lifecycles/{name}",
    group: "Lifecycles",
    confined: ["task"],
    summary: "A lifecycle's definition",
    replies: { 200: description },
    refusals: ["NOT_FOUND"],
  },
  drawLifecycle: {
    method: "GET",
    path: "/api/lifecycles/{name}/diagram",
    group: "Lifecycles",
    summary: "A lifecycle as a Mermaid state diagram",
    replies: { 200: media("text/plain; charset=utf-8", z.string()) },
    refusals: ["NOT_FOUND"],
  },
  checkLifecycle: {
    method: "GET",
    path: "/api/lifecycles/{name}/check",
    group: "Lifecycles",
    summary: "Check every situation that a task can reach, and report the mistakes",
    about: "Computed once per lifecycle and cached until the server restarts.",
    replies: { 200: report },
    refusals: ["NOT_FOUND"],
  },
});
