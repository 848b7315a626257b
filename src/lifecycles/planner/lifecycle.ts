import { defineLifecycle } from "../../core/index.ts";
import { instantOrNull, plannerEffects } from "./effects.ts";
import {
  creationFields,
  MAX_TITLE_LENGTH,
  plannerActions,
  plannerData,
  plannerFacts,
  plannerSettings,
} from "./fields.ts";
import { deleteNotAllowed, holdNotAllowed, plannerGuards, plannerWho } from "./guards.ts";
import { plannerPermissions } from "./permissions.ts";

const OWNED = ["assigned", "in_progress"] as const;
const UNFINISHED = ["blocked", "available", "assigned", "in_progress", "submitted"] as const;

const CREATION_GUARDS = [
  "fix_is_asked_for",
  "fix_has_an_original",
  "defect_is_free",
  "deliverable_is_here",
  "parent_is_here",
] as const;

/** Production planning: work waits in a pool, executors take it during their shift, leads assign, recall and review. */
export const planner = defineLifecycle({
  name: "planner",
  version: 1,
  summary: "Production tasks: pool, shifts, skills, review, defects, quality control",
  data: plannerData,
  settings: plannerSettings,
  facts: plannerFacts,
  statuses: {
    blocked: { meaning: "waits for other tasks or for a hold to be released" },
    available: { meaning: "in the pool: free to take, guaranteed" },
    assigned: { meaning: "has an owner who has not begun" },
    in_progress: { meaning: "its owner works" },
    submitted: { meaning: "handed in, waits for review" },
    done: { meaning: "accepted", final: true, success: true },
    canceled: { meaning: "given up", final: true },
  },
  action_defaults: { client_event_id: "required" },
  actions: plannerActions,
  creation: {
    input: creationFields,
    client_event_id: "required",
    blockers_field: "depends_on",
    on_failure: "wait",
    facts: ["blocker_ids", "deliverable_here", "parent_here", "original", "defect"],
    to: [
      { status: "available", guards: [...CREATION_GUARDS, "blockers_done"] },
      { status: "blocked", guards: CREATION_GUARDS },
    ],
    // A fix-task copies missing fields from the task that it fixes.
    draft: ({ input, facts: { original, defect, blocker_ids } }) => ({
      title: input.title ?? `Fix: ${original?.title ?? ""}`.slice(0, MAX_TITLE_LENGTH),
      priority: input.priority ?? original?.priority ?? 0,
      blocked_by: blocker_ids,
      data: {
        kind: input.fix_of_task_id == null ? ("work" as const) : ("fix" as const),
        description: input.description ?? whatToFix(input.defect ?? defect),
        required_trade: input.required_trade ?? original?.required_trade ?? null,
        deliverable_id: input.deliverable_id ?? original?.deliverable_id ?? null,
        parent_task_id: input.parent_task_id ?? null,
        fix_of_task_id: original?.id ?? null,
        assigned_by: null,
        assigned_at: null,
        started_at: null,
        submitted_at: null,
        reviewed_by: null,
        reviewed_at: null,
        self_checked: false,
        resolution: null,
        reason: null,
        contributors: [],
        depends_on: blocker_ids,
        holds: [],
        open_escalations: 0,
        flags: [],
        due_at: instantOrNull(input.due_at),
        estimate_minutes: input.estimate_minutes ?? null,
      },
    }),
    side_effects: ({ task: { data }, input: { defect, defect_id } }) => {
      const { deliverable_id: deliverable, parent_task_id: parent, fix_of_task_id: fix } = data;
      const linked = deliverable !== null || parent !== null || fix !== null;
      return [
        ...(linked ? [{ kind: "link_task", deliverable, parent, fix }] : []),
        ...(defect ? [{ kind: "record_defect", defect, of: fix, fixed_here: true }] : []),
        ...(defect_id == null ? [] : [{ kind: "take_defect_in_hand", defect_id }]),
      ];
    },
  },
  rules: [
    {
      action: "unblock",
      from: "blocked",
      to: "available",
      who: ["anyone", "system"],
      guards: ["blockers_done", "no_holds", "has_no_owner"],
    },
    {
      action: "self_assign",
      from: "available",
      to: "assigned",
      who: "anyone",
      guards: ["available_now", "skill_to_take", "trade_matches", "wip_is_zero"],
      effects: ["own"],
    },
    {
      action: "assign",
      from: "available",
      to: "assigned",
      who: "anyone",
      guards: ["target_is_executor", "target_wip_is_zero", "target_trade_matches"],
      effects: ["hand_over"],
    },
    { action: "start", from: "assigned", to: "in_progress", who: "owner", effects: ["note_start"] },
    {
      action: "submit",
      from: "in_progress",
      to: "submitted",
      who: "owner",
      guards: ["resolution_of_fix"],
      effects: ["note_submission"],
    },
    {
      action: "review_approve",
      from: "submitted",
      to: "done",
      who: "reviewer",
      effects: ["note_review", "close_defect"],
    },
    {
      action: "review_approve",
      from: "submitted",
      to: "done",
      who: "owner",
      guards: ["skill_to_self_check"],
      effects: ["note_self_check", "close_defect"],
    },
    {
      action: "review_reject",
      from: "submitted",
      to: "in_progress",
      who: "anyone",
      effects: ["return_to_owner", "record_defect"],
    },
    {
      action: "shift_release",
      from: OWNED,
      to: "available",
      who: "system",
      guards: ["shift_is_over", "blockers_done", "no_holds"],
      effects: ["disown"],
    },
    {
      action: "recall_to_pool",
      from: OWNED,
      to: "available",
      who: "anyone",
      guards: ["blockers_done", "no_holds"],
      effects: ["disown"],
    },
    {
      action: "escalate",
      from: UNFINISHED,
      who: "participant",
      guards: ["other_is_explained"],
      effects: ["raise_attention", "open_escalation"],
    },
    {
      action: "cancel",
      from: ["available", "assigned", "in_progress"],
      to: "canceled",
      who: "anyone",
      effects: ["disown"],
    },
    { action: "cancel", from: "submitted", to: "canceled", who: "anyone", effects: ["note_reason"] },

    // The actions below keep the status; each adds one event to the journal.
    {
      action: "update",
      from: UNFINISHED,
      who: "anyone",
      guards: ["deliverable_is_here", "parent_is_here"],
      effects: ["note_update"],
    },
    {
      action: "delete",
      from: ["blocked", "available"],
      who: "anyone",
      guards: ["never_owned", "no_dependents"],
      effects: ["forget", "remove_task"],
    },
    { action: "place_hold", from: ["blocked", ...OWNED], who: "anyone", effects: ["open_hold"] },
    {
      action: "release_hold",
      from: ["blocked", ...OWNED, "submitted"],
      who: "anyone",
      guards: ["hold_is_open"],
      effects: ["close_hold"],
    },
    {
      action: "add_contributor",
      from: [...OWNED, "submitted"],
      who: "reviewer",
      guards: ["target_is_active", "joins_anew"],
      effects: ["join"],
    },
    {
      action: "add_contributor",
      from: [...OWNED, "submitted"],
      who: "owner",
      guards: ["skill_to_invite", "target_is_active", "joins_anew"],
      effects: ["join"],
    },
    {
      action: "remove_contributor",
      from: [...OWNED, "submitted"],
      who: ["reviewer", "leaver"],
      guards: ["is_contributor"],
      effects: ["leave"],
    },
    {
      action: "remove_contributor",
      from: [...OWNED, "submitted"],
      who: "owner",
      guards: ["skill_to_invite", "is_contributor"],
      effects: ["leave"],
    },
    {
      action: "resolve_escalation",
      from: [...UNFINISHED, "done", "canceled"],
      who: "anyone",
      guards: ["escalation_is_open"],
      effects: ["close_escalation"],
    },
    {
      action: "add_dependency",
      from: "blocked",
      who: "anyone",
      guards: ["can_wait_for_it"],
      effects: ["take_dependency"],
    },
    {
      action: "remove_dependency",
      from: "blocked",
      who: "anyone",
      guards: ["depends_on_it"],
      effects: ["drop_dependency"],
    },
    { action: "flag", from: UNFINISHED, who: "pawl", guards: ["flagged_before"], outcome: "absorbed" },
    { action: "flag", from: UNFINISHED, who: "pawl", effects: ["raise_attention", "note_flag"] },
  ],
  permissions: plannerPermissions,
  who: plannerWho,
  guards: plannerGuards,
  effects: plannerEffects,
  wrong_status_refusals: {
    place_hold: ({ task }) => holdNotAllowed(task.status),
    delete: ({ task }) => deleteNotAllowed(task),
  },
  redirected_actions: [
    {
      prefix: "qc_",
      code: "QC_ACTION_FORBIDDEN",
      detail: "Quality control does not move tasks: record an inspection of the deliverable instead.",
    },
  ],
  invariants: {
    "available means no owner": (task) => task.status !== "available" || task.assigned_to === null,
    "available means all blockers done": (task) => task.status !== "available" || task.open_blockers === 0,
    "available means no holds": (task) => task.status !== "available" || task.open_holds === 0,
    "work has an owner": (task) =>
      !["assigned", "in_progress", "submitted", "done"].includes(task.status) || task.assigned_to !== null,
    "only an assigned or started task occupies its owner": (task) =>
      task.exclusive_key === null || ["assigned", "in_progress"].includes(task.status),
  },
  // The pool also shows tasks to a member who holds one already.
  pool: { action: "self_assign", from: "available", checked_on_claim: ["wip_is_zero"] },
  unblocks: { from: "blocked", action: "unblock", flag: "flag" },
});

function whatToFix(
  defect: { description: string; what_to_fix?: string | null | undefined } | null,
): string | null {
  return defect && (defect.what_to_fix ?? defect.description);
}
