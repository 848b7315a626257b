import { z } from "zod";

/** The data of a task, besides that of the extensions. */
export const codeData = {
  description: z.string().nullable(),
  acceptance: z.string().nullable(),
  max_attempts: z.number(),
  auto_unblock: z.boolean(),
  may_be_empty: z.boolean(),
  retry_of: z.string().nullable(),
  claimed_at: z.number().nullable(),
  worker: z.string().nullable(),
  worktree: z.string().nullable(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  /** Commits recorded before the target branch moved to them, oldest first; absent until the first one. */
  merge_candidates: z.array(z.string()).optional(),
  last_error: z.string().nullable(),
  blocked_reason: z.string().nullable(),
  /** The obstacle that the agent reported; its worker then blocks the task. */
  obstacle: z
    .object({
      blocker_id: z.string().nullable(),
      description: z.string().nullable(),
      question: z.boolean().optional(),
    })
    .nullable(),
  /** The task whose obstacle this one clears. */
  clears: z.string().nullable(),
};
