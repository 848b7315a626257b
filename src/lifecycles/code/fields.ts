import { z } from "zod";
import { MAX_LIST_LENGTH, MAX_NAME_LENGTH, MAX_TEXT_LENGTH } from "../../core/index.ts";

export const text = z.string().max(MAX_TEXT_LENGTH).trim().min(1);

/** An id of a task or a hold. */
export const id = z.string().max(MAX_NAME_LENGTH).trim().min(1);

/** A path on the worker's machine, or a branch name. */
export const path = z.string().max(4_096).trim().min(1);

/** A full commit id (SHA-1 or SHA-256), so that git never resolves a name or reads an option. */
export const commitId = z
  .string()
  .max(64)
  .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, { error: "must be a full commit id" });

const ON_FAILURE = ["wait", "proceed", "fail"] as const;

/** A blocker: an id or a ref, optionally with a policy for its failure. */
const blocker = z.union([
  z.string().max(MAX_NAME_LENGTH),
  z.object({ task: z.string().max(MAX_NAME_LENGTH), on_failure: z.enum(ON_FAILURE).default("wait") }),
]);

/** An obstacle that an agent met: another task, or a description. */
export const obstacle = z
  .object({
    blocker_id: id.nullish(),
    description: text.max(2_000).nullish(),
    question: z.boolean().optional().describe("a person answers it; no task is created for it"),
  })
  .refine((input) => input.blocker_id ?? input.description, {
    error: "name a blocker: blocker_id or description",
  });

/** Fields of a request that creates a task. */
export const creationFields = z.object({
  title: text.max(200),
  description: z.string().max(MAX_TEXT_LENGTH).trim().nullish(),
  acceptance: z.string().max(MAX_TEXT_LENGTH).trim().nullish(),
  priority: z.number().int().min(-1_000_000).max(1_000_000).default(0),
  blocked_by: z.array(blocker).max(MAX_LIST_LENGTH).default([]),
  max_attempts: z.number().int().min(1).max(1_000).nullish(),
  auto_unblock: z.boolean().default(true),
  may_be_empty: z.boolean().default(false),
  retry_of: id.nullish(),
  clears: id.nullish().describe("the task whose obstacle it clears"),
  review: z.boolean().nullish().describe("whether a person approves the work; default: as in the project"),
  repository: text.max(1_000).nullish().describe("only workers of this repository claim it; default: any"),
});
