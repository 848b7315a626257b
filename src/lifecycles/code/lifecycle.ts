import { z } from "zod";
import { defineLifecycle, refuse } from "../../core/index.ts";
import { codeData } from "./code-data.ts";
import { codePermissions } from "./code-permissions.ts";
import { codeRules } from "./code-rules.ts";
import {
  extensionActions,
  extensionData,
  extensionEffects,
  extensionGuards,
  extensionSettings,
  extensionWho,
} from "./extensions.ts";
import { usageActions, usageData, usageEffects, usageFacts, usageGuards, usageSettings } from "./usage.ts";
import { commitId, creationFields, id, obstacle, path, text } from "./fields.ts";
import { obstacleEffects, obstacleGuards } from "./obstacles.ts";

/** More than one attempt can record, so that the commits of the attempt before it are kept. */
const MAX_CANDIDATES = 50;

/** A queue of coding tasks over a git repository; each runs in its own worktree. */
export const code = defineLifecycle({
  name: "code",
  version: 1,
  summary: "Tasks for coding agents in git worktrees",
  data: z.object({
    ...codeData,
    ...extensionData,
    ...usageData,
  }),
  facts: z.object({
    /** The task that `block` names; null if the actor sees no such task in the project. */
    named_blocker: z.object({ final: z.boolean(), waits_for_this: z.boolean() }).nullable(),
    ...usageFacts,
  }),
  settings: z.object({
    max_attempts: z.number().int().min(1).default(3),
    claim_timeout_minutes: z.number().positive().default(10),
    lease_seconds: z.number().positive().default(60),
    progress_timeout_minutes: z.number().positive().default(60),
    ...extensionSettings,
    ...usageSettings,
  }),
  statuses: {
    ready: { meaning: "eligible for claiming" },
    claimed: {
      meaning: "a worker has it and is about to begin",
      lease: true,
      timers: [{ action: "claim_timeout", since: "entered_at", after: { minutes: "claim_timeout_minutes" } }],
    },
    in_progress: {
      meaning: "a coding agent works in its worktree",
      lease: true,
      timers: [
        { action: "lease_lost", since: "heartbeat_at", after: { seconds: "lease_seconds" } },
        {
          action: "report_stuck",
          since: "entered_at",
          after: { minutes: "progress_timeout_minutes" },
          unless_attended: true,
        },
      ],
    },
    review: { meaning: "its work waits for a person's approval" },
    blocked: { meaning: "waits for other tasks" },
    completed: { meaning: "committed and merged", final: true, success: true },
    failed: { meaning: "given up", final: true },
  },
  lease: { lasts: { seconds: "lease_seconds" } },
  actions: {
    claim: { facts: ["spent_today"] },
    start: { input: z.object({ worktree: path, branch: path }) },
    record_merge: { event: "merge_recorded", input: z.object({ commit: commitId }) },
    complete: { input: z.object({ commit: id, exit_code: z.literal(0).default(0) }) },
    retry: {
      input: z.object({
        error: text,
        recoverable: z.boolean().default(true),
        interrupted: z.boolean().default(false).describe("the worker stops: no attempt is counted"),
        exit_code: z.number().int().nullish(),
      }),
    },
    fail: {
      input: z.object({
        error: text,
        recoverable: z.boolean().default(false),
        exit_code: z.number().int().nullish(),
      }),
    },
    block: { input: obstacle, facts: ["named_blocker"] },
    unblock: {},
    claim_timeout: {},
    lease_lost: {},
    release: {
      input: z.object({
        error: text.nullish().describe("why this worker cannot run it"),
        retry_after_seconds: z.number().min(0).max(86_400).nullish(),
      }),
    },
    report_stuck: { event: "stuck_reported" },
    comment: { event: "commented", comment: "required" },
    report_obstacle: { event: "obstacle_reported", input: obstacle },
    blocker_failed: { input: z.object({ reason: text }) },
    doom: { event: "doomed", input: z.object({ reason: text }) },
    replace_blocker: {
      event: "blocker_replaced",
      input: z.object({ blocker_id: id, replacement_id: id }),
    },
    clear_blocker: {
      event: "blocker_cleared",
      input: z.object({ hold_id: id.nullish().describe("default: the oldest one") }),
      facts: ["holds"],
    },
    ...extensionActions,
    ...usageActions,
  },
  creation: {
    input: creationFields,
    inherited_fields: ["repository", "review"],
    to: [{ status: "ready", guards: ["blockers_done"] }, { status: "blocked" }],
    draft: ({ input, settings }) => ({
      title: input.title,
      priority: input.priority,
      blocked_by: input.blocked_by,
      data: {
        description: input.description ?? null,
        acceptance: input.acceptance ?? null,
        max_attempts: input.max_attempts ?? settings.max_attempts,
        auto_unblock: input.auto_unblock,
        may_be_empty: input.may_be_empty,
        retry_of: input.retry_of ?? null,
        claimed_at: null,
        worker: null,
        worktree: null,
        branch: null,
        commit: null,
        last_error: null,
        blocked_reason: null,
        obstacle: null,
        clears: input.clears ?? null,
        review: input.review ?? null,
        repository: input.repository ?? null,
      },
    }),
  },
  rules: codeRules,
  permissions: codePermissions,
  who: extensionWho,
  guards: {
    ...extensionGuards,
    ...obstacleGuards,
    ...usageGuards,
    error_is_recoverable: ({ input }) =>
      input.recoverable === true || refuse("NOT_RECOVERABLE", "A retry would not help: use fail."),
    attempts_left: ({ task }) =>
      task.attempt < task.data.max_attempts ||
      refuse(
        "ATTEMPTS_EXHAUSTED",
        `${task.attempt} of ${task.data.max_attempts} attempts are used: use fail.`,
        {
          attempts: task.attempt,
          max_attempts: task.data.max_attempts,
        },
      ),
    no_use_to_retry: ({ task, input }) =>
      task.attempt >= task.data.max_attempts ||
      input.recoverable === false ||
      refuse("ATTEMPTS_LEFT", "The error is recoverable and attempts are left: use retry."),
    worker_stops: ({ input }) =>
      input.interrupted === true || refuse("NOT_RECOVERABLE", "The worker is not stopping."),
  },
  effects: {
    ...extensionEffects,
    ...obstacleEffects,
    ...usageEffects,
    note_claim: ({ actor, now }) => ({ data: { claimed_at: now, worker: actor.id } }),
    drop_claim: () => ({ data: { claimed_at: null, worker: null } }),
    // A new attempt makes earlier flags obsolete.
    note_worktree: ({ input, settings }) => ({
      needs_attention: false,
      data: {
        worktree: input.worktree ?? null,
        branch: input.branch ?? null,
        obstacle: null,
        merge_strategy: settings.merge_strategy,
      },
    }),
    note_release: ({ input, now }) => ({
      ...(input.error == null ? {} : { needs_attention: true, data: { last_error: input.error } }),
      ...(input.retry_after_seconds == null ? {} : { available_at: now + input.retry_after_seconds * 1_000 }),
    }),
    note_candidate: ({ task, input }) => ({
      data: {
        merge_candidates: [...(task.data.merge_candidates ?? []), input.commit ?? ""].slice(-MAX_CANDIDATES),
      },
    }),
    note_commit: ({ input }) => ({ needs_attention: false, data: { commit: input.commit ?? null } }),
    note_error: ({ input }) => ({ data: { last_error: input.error ?? null } }),
    note_lost_lease: ({ task }) => ({
      data: { last_error: `The lease of ${task.lease?.holder ?? "the worker"} expired without a heartbeat.` },
    }),
    // claim_timeout is due at once: the next sweep moves the task to ready and counts the attempt.
    expire_claim: {
      change: () => ({ data: { worker: null } }),
      timer: ({ now }) => ({ due_at: now, due_action: "claim_timeout" }),
      lease: "close",
    },
    note_failed_blocker: ({ input }) => ({
      needs_attention: true,
      data: { blocked_reason: input.reason ?? null },
    }),
    note_doom: ({ input }) => ({
      needs_attention: true,
      data: {
        blocked_reason: `${input.reason ?? ""} This task would have failed with it; instead it stays blocked until that task is retried.`,
      },
    }),
    forget_blocker: () => ({ needs_attention: false, data: { blocked_reason: null } }),
    // The replacement was created in this transaction and is unfinished, so the number of open blockers stays the same.
    change_blocker: {
      change: () => ({ needs_attention: false, data: { blocked_reason: null } }),
      side_effects: ({ input }) => [
        {
          kind: "replace_blocker",
          blocker_id: input.blocker_id ?? "",
          replacement_id: input.replacement_id ?? "",
        },
      ],
    },
    flag_last_attempt: ({ task }) =>
      task.attempt + 1 >= task.data.max_attempts ? { needs_attention: true } : {},
  },
  invariants: {
    "ready means that no other task is waited for": (task) =>
      task.status !== "ready" || task.open_blockers === 0,
    "finished work waits for nothing": (task) =>
      (task.status !== "completed" && task.status !== "failed") || task.open_holds === 0,
    "work in progress is under a lease": (task) => task.status !== "in_progress" || task.lease !== null,
    "only a claim or work in progress has a lease": (task) =>
      task.lease === null || task.status === "claimed" || task.status === "in_progress",
    "a claim always runs out": (task) => task.status !== "claimed" || task.due_action === "claim_timeout",
  },
  pool: {
    action: "claim",
    from: "ready",
    filter: "data.repository",
    checked_on_claim: ["day_budget_left"],
    shared_facts: true,
  },
  // A task with the policy `fail` also stays blocked: no transition leads from blocked to failed.
  unblocks: { from: "blocked", action: "unblock", flag: "blocker_failed", fail: "doom" },
});
