import { refuse } from "./decision.ts";
import type { ConditionGuard, Effect, Guard, View, Who } from "./lifecycle.ts";

/** Facts that the engine loads for every lifecycle that has blockers or holds. */
export type StandardFacts = {
  blockers?: readonly { id: string; title?: string; status: string; final?: boolean }[];
  holds?: readonly { id: string; kind: string; reason?: string | null }[];
};

/** Kinds of actors that the rules of any lifecycle can name. */
export const STANDARD_WHO = {
  /** Any member, but not the system. */
  anyone: { label: "anyone", test: ({ actor }) => actor.id !== null },
  system: { label: "system", test: ({ actor }) => actor.id === null || actor.roles.includes("system") },
  creator: { label: "creator", test: ({ actor, task }) => actor.id !== null && actor.id === task.created_by },
  assignee: {
    label: "assignee",
    test: ({ actor, task }) => actor.id !== null && actor.id === task.assigned_to,
  },
  not_assignee: {
    label: "anyone but the assignee",
    test: ({ actor, task }) => actor.id !== null && actor.id !== task.assigned_to,
  },
  lease_holder: {
    label: "the lease's worker",
    test: ({ actor, task, lease_token }) =>
      task.lease !== null && task.lease.holder === actor.id && task.lease.token === lease_token,
    refusal: ({ lease_token }) =>
      lease_token === null
        ? refuse("LEASE_TOKEN_REQUIRED", "Send the lease_token that the claim returned.")
        : refuse(
            "LEASE_LOST",
            "This lease is over: another worker may hold the task now. Stop working on it.",
          ),
  },
} as const satisfies Record<string, Who>;

/** Makes the guard `blockers_done`. `wayOut` advises what to do about a blocker that will never be done. */
export function blockersDone(wayOut: string): ConditionGuard {
  return {
    where: { field: "open_blockers", is: 0 },
    refusal: ({ task, facts }) => unresolved(task.open_blockers, facts, wayOut),
  };
}

/** Guards that any lifecycle can name. */
export const STANDARD_GUARDS = {
  blockers_done: blockersDone("cancel or re-create this task"),
  no_holds: {
    where: { field: "open_holds", is: 0 },
    refusal: ({ task, facts }) => {
      const holds = (facts as StandardFacts).holds ?? [];
      const named = holds.map((hold) => hold.kind).join(", ") || `${task.open_holds} open`;
      return refuse("OPEN_HOLDS", `The task is on hold (${named}).`, { open_holds: task.open_holds, holds });
    },
  },
  available_now: ({ task, now }) =>
    task.available_at === null ||
    task.available_at <= now ||
    refuse("NOT_YET_AVAILABLE", "The task is not available yet.", { available_at: task.available_at }),
} as const satisfies Record<string, Guard | ConditionGuard>;

/** The side effect that removes the task; the engine runs it itself after the move is written. */
export const REMOVE_TASK = "remove_task";

/** Effects that any lifecycle can name. */
export const STANDARD_EFFECTS = {
  assign_actor: ({ actor }) => ({ assigned_to: actor.id }),
  clear_assignee: () => ({ assigned_to: null }),
  raise_attention: () => ({ needs_attention: true }),
  count_attempt: ({ task }) => ({ attempt: task.attempt + 1 }),
  /** Removes the task. Its journal stays, and this move is the last entry. */
  remove_task: { side_effects: () => [{ kind: REMOVE_TASK }] },
} as const satisfies Record<string, Effect>;

export type StandardWho = keyof typeof STANDARD_WHO;
/** `due` holds when the timer that performs the action has run out. It is bound to its timer when the lifecycle is defined. */
export type StandardGuard = keyof typeof STANDARD_GUARDS | "due";
export type StandardEffect = keyof typeof STANDARD_EFFECTS;

/** Facts that standard guards read; the engine loads them for every action whose rules name such a guard. */
export const FACT_OF_GUARD: Readonly<Record<string, keyof StandardFacts>> = {
  blockers_done: "blockers",
  no_holds: "holds",
};

function unresolved(open: number, facts: View["facts"], wayOut: string) {
  const blockers = (facts as StandardFacts).blockers ?? [];
  const named = blockers.map(({ id, status }) => `${id} (${status})`).join(", ") || `${open} open`;
  const failed = blockers.filter((blocker) => blocker.final === true).map((blocker) => blocker.id);
  const advice = failed.length > 0 ? ` ${failed.join(", ")} will never be done: ${wayOut}.` : "";
  return refuse("UNRESOLVED_BLOCKERS", `It waits for ${named}.${advice}`, { open_blockers: open, blockers });
}
