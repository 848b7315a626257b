import { validateCommand, decide, SYSTEM } from "../../src/core/index.ts";
import type {
  Actor,
  Decision,
  JsonObject,
  Lifecycle,
  Request,
  Situation,
  Task,
} from "../../src/core/index.ts";

/** A time far enough from zero that a timer can be before or after it. */
export const NOW = Date.UTC(2026, 0, 5, 12, 0, 0);

/** The planner's fact `history` for a task that never had an owner. */
export const NEVER_BEGUN = { owned: false, has_defect: false, has_fix: false, has_escalation: false };

export function member(id: string, roles: readonly string[], more: Partial<Actor> = {}): Actor {
  return {
    id,
    name: id,
    kind: "human",
    roles,
    skill_level: null,
    specializations: [],
    project_ids: null,
    ...more,
  };
}

export function taskIn(lifecycle: Lifecycle, status: string, more: Partial<Task> = {}): Task {
  return {
    id: "0197a000-0000-7000-8000-000000000001",
    org_id: "main",
    project_id: "main",
    lifecycle: lifecycle.name,
    lifecycle_version: lifecycle.version,
    status,
    row_version: 7,
    title: "A task",
    data: {},
    created_by: "creator",
    assigned_to: null,
    private: false,
    priority: 0,
    attempt: 0,
    open_blockers: 0,
    open_holds: 0,
    due_at: null,
    due_action: null,
    available_at: null,
    exclusive_key: null,
    needs_attention: false,
    lease: null,
    created_at: NOW - 3_600_000,
    updated_at: NOW - 60_000,
    entered_at: NOW - 60_000,
    ...more,
  };
}

export function situationOf(
  lifecycle: Lifecycle,
  task: Task,
  actor: Actor,
  { facts = {}, settings = {}, now = NOW }: { facts?: JsonObject; settings?: JsonObject; now?: number } = {},
): Situation {
  return { task, actor, facts, settings: lifecycle.settings.parse(settings), now };
}

/** Validates a request and decides it, as the engine does. */
export function decideRequest(lifecycle: Lifecycle, situation: Situation, request: Request): Decision {
  const admitted = validateCommand(lifecycle, situation.actor, request);
  return admitted.kind === "refused" ? admitted : decide(lifecycle, situation, admitted.command);
}

/** Returns a decision in one word: the new status, "=" for a change that keeps the status, or the refusal code. */
export function outcomeOf(decision: Decision, from: string): string {
  if (decision.kind === "refused") return decision.code;
  if (decision.kind === "moved") return decision.to === from ? "=" : decision.to;
  return decision.kind;
}

export { SYSTEM };
