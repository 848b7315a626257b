import { z } from "zod";
import { fields } from "../../api/index.ts";
import { reviewRequest } from "./extensions.ts";
import { commitId } from "./fields.ts";
import { usageFields } from "./usage.ts";

const { moment } = fields;

export const STATUSES = [
  "ready",
  "claimed",
  "in_progress",
  "review",
  "blocked",
  "completed",
  "failed",
] as const;

/** Maximum length of a stored diff; with its escapes, it fits into a request. */
export const MAX_DIFF_LENGTH = 300_000;

export const status = z.enum(STATUSES);

const blocker = z.object({
  task_id: z.uuid(),
  title: z.string().nullable().describe("null: you may not see the task"),
  status: z.string(),
  on_failure: z.enum(["wait", "proceed", "fail"]),
  resolved: z.boolean().describe("the task no longer waits for it"),
});

export const usage = z.object(usageFields).meta({ id: "CodeUsage" });

export const task = z
  .object({
    id: z.uuid(),
    project_id: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    acceptance: z.string().nullable(),
    status,
    priority: z.int(),
    attempts: z.int(),
    max_attempts: z.int(),
    auto_unblock: z.boolean(),
    may_be_empty: z.boolean(),
    blocked_by: z.array(blocker),
    blocked_reason: z.string().nullable(),
    retry_of: z.string().nullable(),
    needs_attention: z.boolean(),
    stuck: z.boolean().describe("in progress for longer than the project's progress timeout"),
    worker: z.string().nullable(),
    worktree: z.string().nullable(),
    branch: z.string().nullable(),
    commit: z.string().nullable(),
    last_error: z.string().nullable(),
    repository: z.string().nullable().describe("only workers of this repository claim it; null: any"),
    review: z.boolean().nullable().describe("whether a person approves the work; null: as in the project"),
    review_request: reviewRequest
      .nullable()
      .describe("the work that was last reviewed, or waits for a review"),
    usage: usage.describe("of all attempts"),
    held: z
      .boolean()
      .describe("paused, without budget, or waiting for a person to clear an obstacle or answer a question"),
    budget_spent: z
      .string()
      .nullable()
      .describe("why the task gets no further attempt until it is resumed; null: its budget is not spent"),
    claimed_at: moment.nullable(),
    heartbeat_at: moment.nullable(),
    lease_until: moment.nullable(),
    available_at: moment.nullable(),
    created_by: z.string().nullable(),
    created_at: moment,
    updated_at: moment,
    entered_at: moment.describe("when it entered its status"),
    row_version: z.int(),
  })
  .meta({ id: "CodeTask" });

export const run = z
  .object({
    run: z.int().describe("the task's row_version at the start of the attempt; identifies its log"),
    attempt: z.int().describe("1 is the first"),
    worker: z.string().nullable(),
    worktree: z.string().nullable(),
    branch: z.string().nullable(),
    started_at: moment,
    ended_at: moment.nullable(),
    outcome: z
      .enum(["completed", "review", "retried", "failed", "blocked", "stopped", "interrupted", "lost"])
      .nullable()
      .describe("null: in progress"),
    error: z.string().nullable(),
    exit_code: z.int().nullable(),
    commit: z.string().nullable(),
    agent: z.string().nullable().describe("null: it has reported no usage"),
    model: z.string().nullable(),
    usage: usage.nullable(),
  })
  .meta({ id: "CodeRun" });

export const event = z
  .object({
    id: z.string(),
    type: z.string(),
    action: z.string(),
    from_status: status.nullable(),
    to_status: status.nullable(),
    actor_id: z.string().nullable().describe("null: the system"),
    comment: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()).nullable(),
    created_at: moment,
  })
  .meta({ id: "CodeEvent" });

export const output = z
  .object({ run: z.int(), text: z.string(), created_at: moment })
  .meta({ id: "CodeOutput" });

export const diff = z
  .object({
    base: commitId.describe("the commit of the target that the work is compared with"),
    commit: commitId,
    files: z.int().min(0),
    added: z.int().min(0).describe("lines"),
    removed: z.int().min(0).describe("lines"),
    diff: z.string().max(MAX_DIFF_LENGTH).describe("in git's format"),
    truncated: z.boolean().describe("the diff is longer; the worker's repository has all of it"),
    created_at: moment,
  })
  .meta({ id: "CodeDiff" });

export type CodeTask = z.output<typeof task>;
export type CodeRun = z.output<typeof run>;
export type CodeEvent = z.output<typeof event>;
export type CodeStatus = z.output<typeof status>;
export type CodeDiff = z.output<typeof diff>;
export type CodeOutput = z.output<typeof output>;
export type Blocker = z.output<typeof blocker>;
