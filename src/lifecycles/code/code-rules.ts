import { extensionRules } from "./extensions.ts";
import { usageRules } from "./usage.ts";

const ANYWHERE = ["ready", "claimed", "in_progress", "review", "blocked", "completed", "failed"] as const;

/** The rules of all actions. If several fit, the first one wins. */
export const codeRules = [
  {
    action: "claim",
    from: "ready",
    to: "claimed",
    who: "anyone",
    guards: ["available_now", "not_held", "day_budget_left"],
    effects: ["note_claim"],
  },
  {
    action: "start",
    from: "claimed",
    to: "in_progress",
    who: "lease_holder",
    guards: ["task_budget_left"],
    effects: ["note_worktree", "forget_continuing"],
  },
  {
    action: "complete",
    from: "in_progress",
    to: "completed",
    who: "lease_holder",
    guards: ["commit_is_allowed"],
    effects: ["note_commit"],
  },
  // A worker that stops returns its task without counting an attempt: to claimed, and then by `release` to ready.
  {
    action: "retry",
    from: "in_progress",
    to: "claimed",
    who: "lease_holder",
    guards: ["worker_stops"],
    effects: ["note_claim"],
  },
  {
    action: "retry",
    from: "in_progress",
    to: "claimed",
    who: "lease_holder",
    guards: ["error_is_recoverable", "attempts_left"],
    effects: ["count_attempt", "note_error", "note_claim", "drop_approval", "continue_after_failure"],
  },
  {
    action: "fail",
    from: "in_progress",
    to: "failed",
    who: "lease_holder",
    guards: ["no_use_to_retry"],
    effects: ["note_error"],
  },
  {
    action: "block",
    from: "in_progress",
    to: "blocked",
    who: "lease_holder",
    guards: ["blocker_can_be_awaited"],
    effects: ["drop_claim", "note_blocker"],
  },
  {
    action: "unblock",
    from: "blocked",
    to: "ready",
    who: "system",
    guards: ["blockers_done", "no_holds"],
    effects: ["forget_blocker"],
  },
  // A person has stopped it: no attempt is counted.
  {
    action: "claim_timeout",
    from: "claimed",
    to: "ready",
    who: "system",
    guards: ["due", "was_interrupted"],
    effects: ["drop_claim", "forget_interruption"],
  },
  {
    action: "claim_timeout",
    from: "claimed",
    to: "ready",
    who: "system",
    guards: ["due"],
    effects: ["count_attempt", "drop_claim", "flag_last_attempt"],
  },
  {
    action: "lease_lost",
    from: "in_progress",
    to: "claimed",
    who: "system",
    guards: ["due", "attempts_left"],
    effects: ["expire_claim"],
  },
  {
    action: "lease_lost",
    from: "in_progress",
    to: "failed",
    who: "system",
    guards: ["due"],
    effects: ["note_lost_lease"],
  },
  {
    action: "release",
    from: "claimed",
    to: "ready",
    who: "lease_holder",
    effects: ["drop_claim", "note_release", "hold_without_budget"],
  },
  ...extensionRules,
  ...usageRules,

  // The actions below keep the status.
  // A merge is recognized by the commit recorded here: if a worker dies after moving the branch, the next one completes
  // the task without running the agent again.
  {
    action: "record_merge",
    from: "in_progress",
    who: "lease_holder",
    guards: ["merge_is_allowed"],
    effects: ["note_candidate"],
  },
  { action: "comment", from: ANYWHERE, who: "anyone" },
  {
    action: "report_obstacle",
    from: "in_progress",
    who: "anyone",
    effects: ["note_obstacle"],
  },
  { action: "blocker_failed", from: "blocked", who: "system", effects: ["note_failed_blocker"] },
  { action: "doom", from: "blocked", who: "system", effects: ["note_doom"] },
  { action: "replace_blocker", from: "blocked", who: "system", effects: ["change_blocker"] },
  {
    action: "report_stuck",
    from: "in_progress",
    who: "system",
    guards: ["due"],
    effects: ["raise_attention"],
  },
  {
    action: "clear_blocker",
    from: "blocked",
    who: "anyone",
    guards: ["hold_is_open"],
    effects: ["close_hold"],
  },
] as const;
