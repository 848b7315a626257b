import { z } from "zod";
import { refuse } from "../../core/index.ts";
import type { Actor, Change, ConditionGuard, Guard, StandardFacts, View, Who } from "../../core/index.ts";
import { commitId, path, text } from "./fields.ts";
import { BUDGET, taskBudgetSpent } from "./usage.ts";
import type { UsageData, UsageSettings } from "./usage.ts";

/** The hold of a paused task; other holds are obstacles and questions. */
export const PAUSED = "paused";

/** Settings of a project that turn the extensions on. With all of them off, only the basic rules apply. */
export const extensionSettings = {
  operator_controls: z.boolean().default(false).describe("people can withdraw, stop, pause and edit tasks"),
  review: z.boolean().default(false).describe("work is merged only after a person has approved it"),
  merge_strategy: z.enum(["rebase", "squash", "merge"]).default("rebase"),
};

/** Work that a person reviews, or has reviewed. */
export const reviewRequest = z.object({
  branch: z.string(),
  commit: z.string(),
  pull_request: z.string().nullable(),
  /** "redo": its merge failed after the approval, and the agent works again. */
  state: z.enum(["waiting", "approved", "changes", "redo"]),
  /** The changes that the reviewer asked for. */
  comment: z.string().nullable(),
});

/** Fields of a task that the extensions use; tasks of earlier versions lack them. */
export const extensionData = {
  /** Whether the work is reviewed; null: as in the project. */
  review: z.boolean().nullish(),
  /** The repository that the task is for; null: any. */
  repository: z.string().nullish(),
  review_request: reviewRequest.nullish(),
  /** Set while a person has stopped the task, and its claim has not expired yet. */
  interrupted: z.boolean().optional(),
  merge_strategy: extensionSettings.merge_strategy.unwrap().optional(),
};

const operator = { unconfined: true } as const;
const reviewer = { unconfined: true, permission: "task.review" } as const;

export const extensionActions = {
  withdraw: { ...operator, input: z.object({ reason: text.max(2_000) }), facts: ["holds"] },
  interrupt: { ...operator },
  pause: { ...operator, facts: ["holds"] },
  resume: { ...operator, facts: ["holds"] },
  edit: {
    ...operator,
    event: "edited",
    input: z
      .object({
        title: text.max(200).optional(),
        description: text.nullish(),
        acceptance: text.nullish(),
        priority: z.number().int().min(-1_000_000).max(1_000_000).optional(),
      })
      .refine((input) => Object.values(input).some((value) => value !== undefined), {
        error: "name at least one field to change",
      }),
  },
  request_review: {
    event: "review_requested",
    input: z.object({ branch: path, commit: commitId, pull_request: z.url().max(2_000).nullish() }),
  },
  approve: { ...reviewer, event: "approved" },
  request_changes: { ...reviewer, event: "changes_requested", comment: "required" },
} as const;

const WAITING = ["ready", "blocked", "review"] as const;

export const extensionRules = [
  {
    action: "withdraw",
    from: WAITING,
    to: "failed",
    who: ["creator", "operator"],
    guards: ["operator_controls_on"],
    effects: ["note_withdrawal"],
  },
  {
    action: "interrupt",
    from: "in_progress",
    to: "claimed",
    who: ["creator", "operator"],
    guards: ["operator_controls_on"],
    effects: ["expire_claim", "note_interruption", "place_pause"],
  },
  {
    action: "request_review",
    from: "in_progress",
    to: "review",
    who: "lease_holder",
    guards: ["review_on"],
    effects: ["drop_claim", "note_review_request"],
  },
  {
    action: "approve",
    from: "review",
    to: "ready",
    who: "anyone",
    guards: ["review_on", "not_held"],
    effects: ["note_approval"],
  },
  {
    action: "request_changes",
    from: "review",
    to: "ready",
    who: "anyone",
    guards: ["review_on", "not_held"],
    effects: ["note_changes"],
  },
  {
    action: "edit",
    from: WAITING,
    who: ["creator", "operator"],
    guards: ["operator_controls_on"],
    effects: ["change_fields"],
  },
  {
    action: "pause",
    from: WAITING,
    who: ["creator", "operator"],
    guards: ["operator_controls_on", "not_paused"],
    effects: ["place_pause"],
  },
  {
    action: "resume",
    // A stopped task is claimed until its claim expires.
    from: ["claimed", ...WAITING],
    who: ["creator", "operator"],
    guards: ["may_resume", "is_paused"],
    effects: ["lift_pause", "allow_budget"],
  },
] as const;

type ReviewRequest = z.output<typeof reviewRequest>;
type Settings = { operator_controls: boolean; review: boolean };
type AllSettings = Settings & UsageSettings;
type Data = {
  review?: boolean | null | undefined;
  review_request?: ReviewRequest | null | undefined;
  interrupted?: boolean | undefined;
  merge_candidates?: string[] | undefined;
};
type Input = {
  reason?: string | undefined;
  branch?: string | undefined;
  commit?: string | undefined;
  pull_request?: string | null | undefined;
  title?: string | undefined;
  description?: string | null | undefined;
  acceptance?: string | null | undefined;
  priority?: number | undefined;
};
type ExtensionView = View<string, Data & UsageData, AllSettings, StandardFacts, Input>;

export const extensionWho = {
  operator: { label: "lead or admin", test: ({ actor }: { actor: Actor }) => isOperator(actor) },
} as const satisfies Record<string, Who<ExtensionView>>;

function isOperator({ id, roles }: Actor): boolean {
  return id !== null && roles.some((role) => role === "lead" || role === "admin");
}

export const extensionGuards = {
  operator_controls_on: ({ settings, action }) =>
    settings.operator_controls || settingOff("operator_controls", action),
  // A task without budget can be resumed in every project.
  may_resume: ({ settings, facts, action }) =>
    settings.operator_controls ||
    pausesOf(facts).some(({ kind }) => kind === BUDGET) ||
    settingOff("operator_controls", action),
  review_on: ({ task, settings, action }) => isReviewed(task.data, settings) || settingOff("review", action),
  not_held: {
    where: { field: "open_holds", is: 0 },
    refusal: ({ task, settings }) =>
      taskBudgetSpent(task.data, settings) ??
      refuse("OPEN_HOLDS", "The task is on hold: resume it first.", { open_holds: task.open_holds }),
  },
  not_paused: ({ facts }) =>
    !pausesOf(facts).some(({ kind }) => kind === PAUSED) ||
    refuse("ALREADY_PAUSED", "The task is already paused."),
  is_paused: ({ facts }) => pausesOf(facts).length > 0 || refuse("NOT_PAUSED", "The task is not paused."),
  was_interrupted: ({ task }) =>
    task.data.interrupted === true || refuse("NOT_DUE", "No one has stopped the task."),
  merge_is_allowed: ({ task, settings }) =>
    !isReviewed(task.data, settings) || task.data.review_request?.state === "approved" || reviewRequired(),
  // A recorded commit was allowed to be merged when it was recorded.
  commit_is_allowed: ({ task, settings, input }) =>
    !isReviewed(task.data, settings) ||
    task.data.review_request?.state === "approved" ||
    (task.data.merge_candidates ?? []).includes(input.commit ?? "") ||
    reviewRequired(),
} as const satisfies Record<string, Guard<ExtensionView> | ConditionGuard<ExtensionView>>;

/** Returns whether the work of a task is reviewed; the task's own option overrides the project's. */
function isReviewed({ review }: Pick<Data, "review">, settings: Pick<Settings, "review">): boolean {
  return review ?? settings.review;
}

function settingOff(setting: keyof Settings, action: string) {
  return refuse("SETTING_OFF", `"${action}" needs the setting ${setting}, which is off in this project.`, {
    setting,
  });
}

function reviewRequired() {
  return refuse("REVIEW_REQUIRED", "The work must be approved before it is merged: use request_review.");
}

/** Holds that `resume` lifts. */
function pausesOf({ holds }: StandardFacts): { id: string; kind: string }[] {
  return (holds ?? []).filter(({ kind }) => kind === PAUSED || kind === BUDGET);
}

type ExtensionChange = Change<Data & { last_error: string | null; claimed_at: number | null }>;

export const extensionEffects = {
  // A withdrawn task waits for nothing.
  note_withdrawal: {
    change: ({ input }: ExtensionView): ExtensionChange => ({
      open_holds: 0,
      needs_attention: false,
      data: { last_error: `withdrawn: ${input.reason ?? ""}` },
    }),
    side_effects: ({ facts }: ExtensionView) =>
      (facts.holds ?? []).map(({ id }) => ({ kind: "release_hold", hold_id: id })),
  },
  note_interruption: (): ExtensionChange => ({ data: { interrupted: true } }),
  forget_interruption: (): ExtensionChange => ({ data: { interrupted: false } }),
  place_pause: {
    change: ({ task }: ExtensionView): ExtensionChange => ({ open_holds: task.open_holds + 1 }),
    side_effects: ({ comment }: ExtensionView) => [
      { kind: "place_hold", hold_kind: PAUSED, reason: comment },
    ],
  },
  lift_pause: {
    change: ({ task, facts }: ExtensionView): ExtensionChange => ({
      open_holds: Math.max(0, task.open_holds - pausesOf(facts).length),
    }),
    side_effects: ({ facts }: ExtensionView) =>
      pausesOf(facts).map(({ id }) => ({ kind: "release_hold", hold_id: id })),
  },
  change_fields: ({ input }: ExtensionView) => ({
    ...(input.title === undefined ? {} : { title: input.title }),
    ...(input.priority === undefined ? {} : { priority: input.priority }),
    data: {
      ...(input.description === undefined ? {} : { description: input.description }),
      ...(input.acceptance === undefined ? {} : { acceptance: input.acceptance }),
    },
  }),
  note_review_request: ({ input }: ExtensionView): ExtensionChange => ({
    needs_attention: false,
    data: {
      review_request: {
        branch: input.branch ?? "",
        commit: input.commit ?? "",
        pull_request: input.pull_request ?? null,
        state: "waiting",
        comment: null,
      },
    },
  }),
  note_approval: ({ task, comment }: ExtensionView) => reviewed(task.data, "approved", comment),
  note_changes: ({ task, comment }: ExtensionView) => reviewed(task.data, "changes", comment),
  // After a failed attempt, an approval no longer covers the work of the next one.
  drop_approval: ({ task: { data } }: ExtensionView): ExtensionChange =>
    data.review_request ? reviewed(data, "redo", data.review_request.comment) : {},
};

function reviewed(
  { review_request }: Data,
  state: ReviewRequest["state"],
  comment: string | null,
): ExtensionChange {
  return review_request ? { data: { review_request: { ...review_request, state, comment } } } : {};
}
