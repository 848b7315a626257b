import { z } from "zod";
import { defineLifecycle } from "../../src/core/index.ts";

/** A small lifecycle with everything that can be damaged outside of the rules: blockers, holds, a pool, a lease, invariants. */
export const errand = defineLifecycle({
  name: "errand",
  version: 1,
  summary: "",
  statuses: {
    waiting: {},
    open: {},
    taken: { lease: true },
    done: { final: true, success: true },
    dropped: { final: true },
  },
  actions: {
    go: {},
    take: {},
    touch: {},
    note: {},
    finish: {},
    drop: {},
    hold: {},
    free: { input: z.object({ hold_id: z.string() }) },
  },
  creation: {
    input: z.object({ after: z.array(z.string()).default([]), key: z.string().nullish() }),
    to: [{ status: "open", guards: ["blockers_done"] }, { status: "waiting" }],
    draft: ({ input }) => ({
      title: "an errand",
      data: {},
      blocked_by: input.after,
      dedupe_key: input.key ?? null,
    }),
  },
  rules: [
    { action: "go", from: "waiting", to: "open", who: "system", guards: ["blockers_done", "no_holds"] },
    { action: "take", from: "open", to: "taken", who: "anyone", effects: ["own"] },
    { action: "touch", from: ["open", "taken"], who: "anyone", outcome: "touched" },
    { action: "note", from: "done", who: "anyone" },
    { action: "finish", from: ["open", "taken"], to: "done", who: "anyone" },
    { action: "drop", from: ["waiting", "open", "taken"], to: "dropped", who: ["anyone", "system"] },
    { action: "hold", from: "waiting", who: "anyone", effects: ["place"] },
    { action: "free", from: "waiting", who: "anyone", effects: ["lift"] },
  ],
  effects: {
    own: ({ actor }) => ({ assigned_to: actor.id }),
    place: {
      change: ({ task }) => ({ open_holds: task.open_holds + 1 }),
      side_effects: () => [{ kind: "place_hold", hold_kind: "other", reason: "so" }],
    },
    lift: {
      change: ({ task }) => ({ open_holds: task.open_holds - 1 }),
      side_effects: ({ input }) => [{ kind: "release_hold", hold_id: input.hold_id }],
    },
  },
  invariants: {
    "an open task has no open blockers or holds": (task) =>
      task.status !== "open" || (task.open_blockers === 0 && task.open_holds === 0),
    "a taken task has an owner and a lease": (task) =>
      task.status !== "taken" || (task.assigned_to !== null && task.lease !== null),
  },
  lease: { lasts: { minutes: 5 } },
  pool: { action: "take", from: "open", where: [{ field: "open_blockers", is: 0 }] },
  unblocks: { from: "waiting", action: "go", fail: "drop" },
});
