import type { Change, Effect } from "../../core/index.ts";
import type { PlannerData, PlannerView } from "./guards.ts";

type PlannerEffect = Effect<PlannerView, PlannerData>;

/** The key that keeps an owner to one task at a time, held by a unique index. */
function wipKey(owner: string): string {
  return `wip:${owner}`;
}

export const plannerEffects = {
  own: ({ actor, now }) => ownedBy(actor.id, null, now),
  hand_over: ({ actor, input, now }) => ownedBy(input.assign_to ?? null, actor.id, now),
  // A reason that was recorded before stays, unless a new one is given.
  disown: ({ input: { reason } }) => ({
    assigned_to: null,
    exclusive_key: null,
    data: reason
      ? { assigned_by: null, assigned_at: null, contributors: [], reason }
      : { assigned_by: null, assigned_at: null, contributors: [] },
  }),
  // A rejected task always goes back, even to an owner who took another meanwhile; only one of the two holds the key.
  return_to_owner: ({ task, facts, input }) => {
    const data = { reason: input.reason ?? null };
    if (task.assigned_to === null || facts.owner_key_taken) return { data };
    return { exclusive_key: wipKey(task.assigned_to), data };
  },

  note_start: ({ now }) => ({ data: { started_at: now } }),
  note_submission: ({ now, input }) => ({
    exclusive_key: null,
    data: { submitted_at: now, resolution: input.resolution ?? null },
  }),
  note_review: ({ actor, now }) => ({ data: { reviewed_by: actor.id, reviewed_at: now } }),
  note_self_check: ({ now }) => ({ data: { self_checked: true, reviewed_at: now } }),
  note_reason: ({ input }) => ({ data: { reason: input.reason ?? null } }),
  note_update: ({ input }) => {
    const { title, priority, description, required_trade, deliverable_id, parent_task_id } = input;
    return {
      ...(title === undefined ? {} : { title }),
      ...(priority === undefined ? {} : { priority }),
      data: withoutAbsent({ description, required_trade, deliverable_id, parent_task_id }),
    };
  },

  record_defect: {
    also: ({ task, input }) => {
      if (!input.defect) return [];
      const defect = { kind: "record_defect", task_id: task.id, ...input.defect };
      return input.create_fix ? [defect, { kind: "create_fix", task_id: task.id }] : [defect];
    },
  },
  close_defect: {
    also: ({ task, now }) => {
      if (task.data.kind !== "fix") return [];
      const { resolution } = task.data;
      return [
        {
          kind: "close_defect",
          fix_task_id: task.id,
          how_fixed: resolution,
          fixed_by: task.assigned_to,
          fixed_at: now,
        },
      ];
    },
  },

  open_hold: {
    change: ({ task }) => ({ open_holds: task.open_holds + 1 }),
    also: ({ input }) => [{ kind: "place_hold", hold_kind: input.kind, reason: input.reason }],
  },
  close_hold: {
    change: ({ task }) => ({ open_holds: Math.max(0, task.open_holds - 1) }),
    also: ({ input }) => [{ kind: "release_hold", hold_id: input.hold_id }],
  },
  open_escalation: {
    change: ({ task }) => ({ data: { open_escalations: task.data.open_escalations + 1 } }),
    also: ({ input }) => [{ kind: "open_escalation", reason: input.reason, text: input.text ?? null }],
  },
  close_escalation: {
    change: ({ task }) => {
      const open = Math.max(0, task.data.open_escalations - 1);
      return { data: { open_escalations: open }, ...(open === 0 ? { needs_attention: false } : {}) };
    },
    also: ({ input }) => [{ kind: "close_escalation", escalation_id: input.escalation_id, note: input.note }],
  },

  join: ({ task, input }) => ({
    data: { contributors: [...new Set([...task.data.contributors, input.member_id ?? ""])] },
  }),
  leave: ({ task, input }) => ({
    data: { contributors: task.data.contributors.filter((id) => id !== input.member_id) },
  }),
  drop_dependency: {
    change: ({ task }) => ({ open_blockers: Math.max(0, task.open_blockers - 1) }),
    also: ({ input }) => [{ kind: "remove_dependency", blocker_id: input.blocker_id }],
  },
} as const satisfies Record<string, PlannerEffect>;

function ownedBy(owner: string | null, by: string | null, now: number): Change<PlannerData> {
  return {
    assigned_to: owner,
    exclusive_key: owner === null ? null : wipKey(owner),
    data: { assigned_by: by, assigned_at: now },
  };
}

/** A field that was not sent stays as it is; one sent as null is cleared. */
function withoutAbsent<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
