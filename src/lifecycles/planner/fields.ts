import { z } from "zod";
import { fields } from "../../api/index.ts";
import type { ActionSpec } from "../../core/index.ts";

const { givenMoment, name: anyName, text, nonEmptyText: words } = fields;

export const MAX_TITLE_LENGTH = 200;
/** A year of work around the clock. */
const MAX_ESTIMATE_MINUTES = 525_600;
const instant = z.number().nullable();
const id = z.string().nullable();
const name = anyName.trim().min(1);

/** The policy of a project, such as the seed's MIN_SKILL_TO_TAKE. */
export const plannerSettings = z.object({
  min_skill_to_take: z.number().int().min(1).max(10).default(3),
  self_check_min_skill: z.number().int().min(1).max(10).default(8),
  min_skill_to_invite: z.number().int().min(1).max(10).default(7),
  allow_trade_override: z.boolean().default(false),
});

export const HOLD_KINDS = ["materials", "qc", "access", "other"] as const;

/** An open hold, as stored in the task. */
const hold = z.object({
  id: z.string(),
  kind: z.enum(HOLD_KINDS),
  reason: z.string(),
  placed_by: id,
  placed_at: z.number(),
});

/** The planner's own fields of a task. */
export const plannerData = z.object({
  kind: z.enum(["work", "fix"]),
  description: z.string().meta({ contentMediaType: "text/markdown" }).nullable(),
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
  /** Ids of its blockers, done or not. */
  depends_on: z.array(z.string()),
  holds: z.array(hold),
  open_escalations: z.number(),
  /** Reasons for attention: a blocker that will never be done, or the end of a shift. */
  flags: z.array(z.object({ about: z.string(), reason: z.string() })),
  /** When it should be done. Absent in tasks of versions without due dates. */
  due_at: instant.optional(),
  /** The work expected from start to submission. */
  estimate_minutes: z.number().nullish(),
});

export type PlannerData = z.output<typeof plannerData>;

const openWork = z.array(z.object({ id: z.string(), title: z.string(), status: z.string() }));

export const plannerFacts = z.object({
  /** Tasks the actor owns in assigned or in_progress. */
  work_of_actor: openWork,
  /** Whether another task of the owner has the owner's exclusive key. */
  owner_key_taken: z.boolean(),
  /** The member that the input names; null: unknown. */
  target: z
    .object({
      id: z.string(),
      active: z.boolean(),
      roles: z.array(z.string()),
      specializations: z.array(z.string()),
      /** Whether the member may work in the task's project. */
      works_here: z.boolean(),
      work: openWork,
    })
    .nullable(),
  /** Whether a shift of the owner has ended since the assignment, and none is running; null: the owner has no shift. */
  shift_of_owner: z.object({ over: z.boolean() }).nullable(),
  /** The escalation that the input names, if it belongs to this task. */
  escalation: z.object({ id: z.string(), open: z.boolean() }).nullable(),
  /** The task that the input names as a blocker; null if the actor sees no such task in the project. */
  named_blocker: z
    .object({ id: z.string(), status: z.string(), final: z.boolean(), waits_for_this: z.boolean() })
    .nullable(),
  /** A new id; rules are pure and cannot create one. */
  fresh_id: z.string(),
  /** Whether the deliverable that the input names belongs to the project; true if it names none. */
  deliverable_here: z.boolean(),
  /** Whether the parent that the input names is a task of the project, and not below the task itself. */
  parent_here: z.boolean(),
  /** Tasks that wait for this one, or are parts of it. */
  dependents: z.array(z.object({ id: z.string(), title: z.string() })),
  /** Reasons why a task cannot be deleted: it had an owner, or something was recorded about it. */
  history: z.object({
    owned: z.boolean(),
    has_defect: z.boolean(),
    has_fix: z.boolean(),
    has_escalation: z.boolean(),
  }),
  /** The ids of a new task's blockers, which the input may name by ref. */
  blocker_ids: z.array(z.string()),
  /** The task that a new one fixes, if it is in the project. */
  original: z
    .object({
      id: z.string(),
      title: z.string(),
      status: z.enum(["submitted", "done", "blocked", "available", "assigned", "in_progress", "canceled"]),
      priority: z.number(),
      required_trade: z.string().nullable(),
      deliverable_id: z.string().nullable(),
    })
    .nullable(),
  /** The defect that the input names, if it belongs to that task. */
  defect: z
    .object({
      id: z.string(),
      description: z.string(),
      what_to_fix: z.string().nullable(),
      is_free: z.boolean(),
    })
    .nullable(),
});

/** Fields that can be set at creation and changed later. */
export const taskFields = {
  title: words.max(MAX_TITLE_LENGTH),
  description: text.trim().nullish(),
  // No default: an update without a priority must not change it.
  priority: z.number().int().min(-1_000_000).max(1_000_000).nullish(),
  required_trade: name.nullish(),
  deliverable_id: name.nullish(),
  parent_task_id: name.nullish(),
  due_at: givenMoment.nullish().describe("when it should be done"),
  estimate_minutes: z
    .int()
    .min(1)
    .max(MAX_ESTIMATE_MINUTES)
    .nullish()
    .describe("minutes of work from start to submission"),
};

/** The same fields for an update, all optional. */
export const taskChanges = { ...taskFields, title: taskFields.title.nullish() };

/** Absent and null mean false. */
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

export const SEVERITIES = ["minor", "major", "critical"] as const;

export const defectFields = z.object({
  description: words,
  cause: words.nullish(),
  what_to_fix: words.nullish(),
  severity: z
    .enum(SEVERITIES)
    .nullish()
    .describe("default `major`")
    .transform((value) => value ?? ("major" as const)),
});

/** Fields of a request that creates a task; a fix-task comes with its defect. */
export const creationFields = z
  .object({
    ...taskFields,
    title: taskFields.title.nullish().describe("required, except for a fix-task"),
    depends_on: z
      .array(name)
      .max(1_000)
      .nullish()
      .transform((value) => value ?? []),
    fix_of_task_id: name.nullish().describe("the task that this one fixes; with `defect` or `defect_id`"),
    defect: defectFields.nullish(),
    defect_id: name.nullish(),
  })
  .superRefine(({ title, fix_of_task_id, defect, defect_id }, context) => {
    const wrong = (path: string, message: string) => {
      context.addIssue({ code: "custom", path: [path], message });
    };
    if (fix_of_task_id == null) {
      if (title == null) wrong("title", "required");
      return;
    }
    if ((defect == null) === (defect_id == null)) wrong("defect", "give either defect or defect_id");
  });

export const ESCALATION_REASONS = [
  "materials",
  "tools",
  "access",
  "overlap",
  "help_needed",
  "harder_than_expected",
  "other",
] as const;

const reason = { input: z.object({ reason: words }), required: { reason: "REASON_REQUIRED" } } as const;
const versioned = { expected_row_version: "required" } as const;

export const plannerActions = {
  unblock: versioned,
  self_assign: { ...versioned, facts: ["work_of_actor"] },
  assign: {
    ...versioned,
    input: z.object({ assign_to: name, override_trade: flag }),
    facts: ["target"],
  },
  start: versioned,
  submit: { ...versioned, input: z.object({ resolution: text.trim().nullish() }) },
  review_approve: versioned,
  review_reject: {
    ...versioned,
    ...reason,
    input: z
      .object({ reason: words, defect: defectFields.nullish(), create_fix: flag })
      .refine((input) => !input.create_fix || input.defect, {
        path: ["defect"],
        error: "a fix-task needs a defect",
      }),
    facts: ["owner_key_taken"],
  },
  shift_release: { ...versioned, facts: ["shift_of_owner"] },
  recall_to_pool: { ...versioned, ...reason },
  escalate: {
    input: z.object({ reason: z.enum(ESCALATION_REASONS), text: text.trim().nullish() }),
    required: { reason: "REASON_REQUIRED" },
  },
  cancel: { ...versioned, ...reason },
  update: {
    ...versioned,
    permission: "task.update",
    input: z.object(taskChanges),
    facts: ["deliverable_here", "parent_here"],
  },
  delete: { ...versioned, permission: "task.delete", event: "deleted", facts: ["dependents", "history"] },
  place_hold: {
    permission: "hold.place",
    event: "hold_placed",
    input: z.object({ kind: z.enum(HOLD_KINDS), reason: words }),
    required: { reason: "REASON_REQUIRED" },
    facts: ["fresh_id"],
  },
  release_hold: {
    permission: "hold.release",
    event: "hold_released",
    input: z.object({ hold_id: name }),
  },
  add_contributor: {
    permission: "contributor.add",
    event: "contributor_added",
    input: z.object({ member_id: name }),
    facts: ["target"],
  },
  remove_contributor: {
    permission: "contributor.remove",
    event: "contributor_left",
    input: z.object({ member_id: name }),
  },
  resolve_escalation: {
    permission: "escalation.resolve",
    event: "escalation_resolved",
    input: z.object({ escalation_id: name, note: words }),
    facts: ["escalation"],
  },
  add_dependency: {
    permission: "dependency.add",
    event: "dependency_added",
    input: z.object({ blocker_id: name }),
    facts: ["named_blocker"],
  },
  remove_dependency: {
    permission: "dependency.remove",
    event: "dependency_removed",
    input: z.object({ blocker_id: name }),
    facts: ["blockers"],
  },
  flag: {
    ...reason,
    event: "flagged",
    client_event_id: "optional",
    input: z.object({ reason: words, blocker_id: name.nullish() }),
  },
} as const satisfies Record<string, ActionSpec>;
