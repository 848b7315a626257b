import { z } from "zod";
import type { ActionSpec } from "../../core/index.ts";

const text = z.string().trim().min(1);
const instant = z.number().nullable();
const id = z.string().nullable();

/** Policy of a project; the seed's MIN_SKILL_TO_TAKE and its sisters. */
export const plannerSettings = z.object({
  min_skill_to_take: z.number().int().min(1).max(10).default(3),
  self_check_min_skill: z.number().int().min(1).max(10).default(8),
  min_skill_to_invite: z.number().int().min(1).max(10).default(7),
  allow_trade_override: z.boolean().default(false),
});

/** The planner's own fields of a task. */
export const plannerData = z.object({
  kind: z.enum(["work", "fix"]),
  description: z.string().nullable(),
  required_trade: z.string().nullable(),
  deliverable_id: id,
  parent_task_id: id,
  fix_of_task_id: id,
  assigned_by: id,
  assigned_at: instant,
  started_at: instant,
  submitted_at: instant,
  reviewed_by: id,
  reviewed_at: instant,
  self_checked: z.boolean(),
  resolution: z.string().nullable(),
  reason: z.string().nullable(),
  contributors: z.array(z.string()),
  open_escalations: z.number(),
});

const openWork = z.array(z.object({ id: z.string(), title: z.string(), status: z.string() }));

export const plannerFacts = z.object({
  /** Tasks the actor owns in assigned or in_progress. */
  work_of_actor: openWork,
  /** Whether another task of the owner holds the key that keeps him to one at a time. */
  owner_key_taken: z.boolean(),
  /** The member the input names, if there is one. */
  target: z
    .object({
      id: z.string(),
      active: z.boolean(),
      roles: z.array(z.string()),
      specializations: z.array(z.string()),
      work: openWork,
    })
    .nullable(),
  /** Whether every shift of the owner has ended since he got the task; null where he has none. */
  shift_of_owner: z.object({ over: z.boolean() }).nullable(),
  /** The escalation the input names, if it is of this task. */
  escalation: z.object({ id: z.string(), open: z.boolean() }).nullable(),
});

/** What a person may say of a task, at creation and later. */
export const taskFields = {
  title: text.max(200),
  description: z.string().trim().nullish(),
  // No default here: an update that says nothing of the priority must leave it alone.
  priority: z.number().int().min(-1_000_000).max(1_000_000).optional(),
  required_trade: text.nullish(),
  deliverable_id: text.nullish(),
  parent_task_id: text.nullish(),
};

const defectFields = z.object({
  description: text,
  cause: text.nullish(),
  what_to_fix: text.nullish(),
  severity: z.enum(["minor", "major", "critical"]).default("major"),
});

const ESCALATION_REASONS = [
  "materials",
  "tools",
  "access",
  "overlap",
  "help_needed",
  "harder_than_expected",
  "other",
] as const;

const reason = { input: z.object({ reason: text }), required: { reason: "REASON_REQUIRED" } } as const;
const versioned = { expected_row_version: "required" } as const;

export const plannerActions = {
  unblock: versioned,
  self_assign: { ...versioned, facts: ["work_of_actor"] },
  assign: {
    ...versioned,
    input: z.object({ assign_to: text, override_trade: z.boolean().default(false) }),
    facts: ["target"],
  },
  start: versioned,
  submit: { ...versioned, input: z.object({ resolution: z.string().trim().nullish() }) },
  review_approve: versioned,
  review_reject: {
    ...versioned,
    ...reason,
    input: z
      .object({ reason: text, defect: defectFields.nullish(), create_fix: z.boolean().default(false) })
      .refine((input) => !input.create_fix || input.defect, {
        path: ["defect"],
        error: "a fix-task needs a defect",
      }),
    facts: ["owner_key_taken"],
  },
  shift_release: { ...versioned, facts: ["shift_of_owner"] },
  recall_to_pool: { ...versioned, ...reason },
  escalate: {
    input: z.object({ reason: z.enum(ESCALATION_REASONS), text: z.string().trim().nullish() }),
    required: { reason: "REASON_REQUIRED" },
  },
  cancel: { ...versioned, ...reason },
  update: { ...versioned, permission: "task.update", input: z.object(taskFields).partial() },
  place_hold: {
    permission: "hold.place",
    event: "hold_placed",
    input: z.object({ kind: z.enum(["materials", "qc", "access", "other"]), reason: text }),
    required: { reason: "REASON_REQUIRED" },
  },
  release_hold: {
    permission: "hold.release",
    event: "hold_released",
    input: z.object({ hold_id: text }),
    facts: ["holds"],
  },
  add_contributor: {
    permission: "contributor.add",
    event: "contributor_added",
    input: z.object({ member_id: text }),
    facts: ["target"],
  },
  remove_contributor: {
    permission: "contributor.remove",
    event: "contributor_left",
    input: z.object({ member_id: text }),
  },
  resolve_escalation: {
    permission: "escalation.resolve",
    event: "escalation_resolved",
    input: z.object({ escalation_id: text, note: text }),
    facts: ["escalation"],
  },
  remove_dependency: {
    permission: "dependency.remove",
    event: "dependency_removed",
    input: z.object({ blocker_id: text }),
    facts: ["blockers"],
  },
  flag: { event: "flagged", client_event_id: "optional", ...reason },
} as const satisfies Record<string, ActionSpec>;
