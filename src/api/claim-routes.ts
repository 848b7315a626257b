import { z } from "zod";
import { anyObject, moment, name, once, poolFields, text } from "./fields.ts";
import { defineRoutes } from "./route.ts";
import { task } from "./task.ts";

/** Maximum wait of a claim: shorter than the idle timeout of most proxies. */
const MAX_WAIT_SECONDS = 60;

const claimed = task
  .extend({ lease_token: z.string().nullable(), lease_until: moment.nullable() })
  .meta({ id: "ClaimedTask" });

export const CLAIM_ROUTES = defineRoutes({
  claimTasks: {
    method: "POST",
    path: "/api/claims",
    group: "Claims",
    permission: { named_in: "body" },
    summary: "Claim the best free tasks of a lifecycle",
    about:
      "Performs the lifecycle's pool action. With `wait_seconds`, the server answers as soon as there is a task, or with an empty list after that time.",
    idempotent: true,
    body: z.object({
      lifecycle: name,
      limit: z.int().min(1).max(1000).default(1),
      project_id: name.nullish(),
      filter: z.strictObject({ least_priority: z.int().optional(), fields: poolFields }).nullish(),
      comment: text.nullish(),
      wait_seconds: z.number().min(0).max(MAX_WAIT_SECONDS).default(0),
      ...once,
    }),
    replies: {
      200: z.object({
        tasks: z.array(claimed),
        refusal: z
          .object({ code: z.string(), detail: z.string(), params: anyObject })
          .nullable()
          .describe("if no task could be claimed: why the first candidate was refused"),
      }),
    },
    ruled: true,
  },
  beatLeases: {
    method: "POST",
    path: "/api/heartbeats",
    group: "Claims",
    summary: "Renew leases",
    body: z.object({
      leases: z.array(z.object({ task_id: name, lease_token: name })).max(1000),
    }),
    replies: {
      200: z.object({
        extended: z.array(z.object({ task_id: z.uuid(), lease_until: moment })),
        lost: z.array(z.string()).describe("tasks whose lease the caller no longer has"),
      }),
    },
  },
});
