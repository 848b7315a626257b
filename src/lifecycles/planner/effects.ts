import type { Change, Effect } from "../../core/index.ts";
import type { PlannerData } from "./fields.ts";
import { END_OF_SHIFT, needsAttention, unflagging } from "./flags.ts";
import type { PlannerView } from "./guards.ts";

type PlannerEffect = Effect<PlannerView, PlannerData>;

/** The exclusive key of an owner; its unique index limits the owner to one task at a time. */
export function wipKey(owner: string): string {
  return `wip:${owner}`;
}

export const plannerEffects = {
  own: ({ actor, now }) => ownedBy(actor.id, null, now),
  hand_over: ({ actor, input, now }) => ownedBy(input.assign_to ?? null, actor.id, now),
  // A reason that was recorded before stays, unless a new one is given.
  disown: ({ task: { data }, input: { reason = data.reason } }) =>
    unflagging(data, END_OF_SHIFT, {
      assigned_to: null,
      exclusive_key: null,
      // Spelled out: spreading a constant made this decision several times slower. Another owner begins anew.
      data: {
        assigned_by: null,
        assigned_at: null,
        started_at: null,
        submitted_at: null,
        resolution: null,
        contributors: [],
        reason,
      },
    }),
  // A rejected task returns to its owner even if the owner has taken another one; then only the other one has the key.
  return_to_owner: ({ task, facts, input }) => {
    const data = { reason: input.reason ?? null };
    if (task.assigned_to === null || facts.owner_key_taken) return { data };
    return { exclusive_key: wipKey(task.assigned_to), data };
  },

  note_start: ({ now }) => ({ data: { started_at: now } }),
  note_submission: ({ task: { data }, now, input }) =>
    unflagging(data, END_OF_SHIFT, {
      exclusive_key: null,
      data: { submitted_at: now, resolution: input.resolution ?? null },
    }),
  note_review: ({ actor, now }) => ({ data: { reviewed_by: actor.id, reviewed_at: now } }),
  note_self_check: ({ now }) => ({ data: { self_checked: true, reviewed_at: now } }),
  note_reason: ({ input }) => ({ data: { reason: input.reason ?? null } }),
  note_update: {
    change: ({ input }) => {
      const { title, priority, description, required_trade, deliverable_id, parent_task_id } = input;
      const { due_at, estimate_minutes } = input;
      return {
        ...(title == null ? {} : { title }),
        ...(priority == null ? {} : { priority }),
        data: withoutAbsent({
          description,
          required_trade,
          deliverable_id,
          parent_task_id,
          due_at: due_at === undefined ? undefined : instantOrNull(due_at),
          estimate_minutes,
        }),
      };
    },
    side_effects: ({ input: { deliverable_id, parent_task_id } }) =>
      deliverable_id === undefined && parent_task_id === undefined
        ? []
        : [{ kind: "link_task", ...withoutAbsent({ deliverable: deliverable_id, parent: parent_task_id }) }],
  },

  record_defect: {
    side_effects: ({ task, input: { defect, create_fix } }) => {
      if (!defect) return [];
      return [create_fix ? { kind: "create_fix", defect } : { kind: "record_defect", defect, of: task.id }];
    },
  },
  forget: { side_effects: () => [{ kind: "forget_task" }] },
  close_defect: {
    side_effects: ({ task, now }) => {
      if (task.data.kind !== "fix") return [];
      const { resolution } = task.data;
      return [
        {
          kind: "close_defect",
          how_fixed: resolution,
          fixed_by: task.assigned_to,
          fixed_at: now,
        },
      ];
    },
  },

  open_hold: {
    change: ({ task, actor, facts, input, now }) => {
      const { kind = "other", reason = "" } = input;
      const hold = { id: facts.fresh_id, kind, reason, placed_by: actor.id, placed_at: now };
      return { open_holds: task.open_holds + 1, data: { holds: [...task.data.holds, hold] } };
    },
    side_effects: ({ facts, input }) => [
      { kind: "place_hold", hold_id: facts.fresh_id, hold_kind: input.kind, reason: input.reason },
    ],
  },
  close_hold: {
    // Without open holds, the next sweep releases the task, or its owner is on shift again: no attention is needed.
    change: ({ task: { data, open_holds }, input }) => {
      const holds = data.holds.filter(({ id }) => id !== input.hold_id);
      const change = { open_holds: Math.max(0, open_holds - 1), data: { holds } };
      return holds.length > 0 ? change : unflagging(data, END_OF_SHIFT, change);
    },
    side_effects: ({ input }) => [{ kind: "release_hold", hold_id: input.hold_id }],
  },
  open_escalation: {
    change: ({ task }) => ({ data: { open_escalations: task.data.open_escalations + 1 } }),
    side_effects: ({ input }) => [
      { kind: "open_escalation", reason: input.reason, text: input.text ?? null },
    ],
  },
  close_escalation: {
    change: ({ task }) => {
      const open_escalations = Math.max(0, task.data.open_escalations - 1);
      return {
        needs_attention: needsAttention({ ...task.data, open_escalations }),
        data: { open_escalations },
      };
    },
    side_effects: ({ input }) => [
      { kind: "close_escalation", escalation_id: input.escalation_id, note: input.note },
    ],
  },

  join: ({ task, input }) => ({
    data: { contributors: [...new Set([...task.data.contributors, input.member_id ?? ""])] },
  }),
  leave: ({ task, input }) => ({
    data: { contributors: task.data.contributors.filter((id) => id !== input.member_id) },
  }),
  take_dependency: {
    change: ({ task: { data, open_blockers }, facts: { named_blocker } }) => ({
      open_blockers: open_blockers + 1,
      data: { depends_on: [...data.depends_on, named_blocker?.id ?? ""] },
    }),
    side_effects: ({ facts: { named_blocker } }) => [
      { kind: "add_dependency", blocker_id: named_blocker?.id },
    ],
  },
  drop_dependency: {
    change: ({ task: { data, open_blockers }, input }) =>
      unflagging(data, input.blocker_id ?? "", {
        open_blockers: Math.max(0, open_blockers - 1),
        data: { depends_on: data.depends_on.filter((id) => id !== input.blocker_id) },
      }),
    side_effects: ({ input }) => [{ kind: "remove_dependency", blocker_id: input.blocker_id }],
  },
  note_flag: ({ task, input: { blocker_id, reason = "" } }) => ({
    data: { flags: [...task.data.flags, { about: blocker_id ?? END_OF_SHIFT, reason }] },
  }),
} as const satisfies Record<string, PlannerEffect>;

function ownedBy(owner: string | null, by: string | null, now: number): Change<PlannerData> {
  return {
    assigned_to: owner,
    exclusive_key: owner === null ? null : wipKey(owner),
    data: { assigned_by: by, assigned_at: now },
  };
}

/** Converts a moment of a request to an instant. */
export function instantOrNull(moment: string | null | undefined): number | null {
  return moment == null ? null : Date.parse(moment);
}

/** A field that was not sent stays as it is; one sent as null is cleared. */
function withoutAbsent<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
