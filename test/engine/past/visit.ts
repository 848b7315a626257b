import { z } from "zod";
import { defineLifecycle } from "../../../src/core/index.ts";

/** A lifecycle whose tasks change hands, become private and public again, return to earlier statuses, and are deleted. */
export const visit = defineLifecycle({
  name: "visit",
  version: 1,
  summary: "",
  statuses: {
    waiting: {},
    inside: {},
    resting: {},
    left: { final: true, success: true },
    sent_away: { final: true },
  },
  actions: {
    enter: {},
    rest: {},
    wake: {},
    leave: {},
    send_away: {},
    hide: {},
    show: {},
    give: { input: z.object({ to: z.string().nullable() }) },
    remove: { event: "deleted" },
  },
  data: z.object({ seen: z.number() }),
  creation: {
    input: z.object({ title: z.string(), hidden: z.boolean().default(false) }),
    to: [{ status: "waiting" }],
    draft: ({ input }) => ({ title: input.title, data: { seen: 0 }, private: input.hidden }),
  },
  rules: [
    { action: "enter", from: "waiting", to: "inside", who: "anyone", effects: ["own"] },
    { action: "rest", from: "inside", to: "resting", who: "anyone" },
    { action: "wake", from: "resting", to: "inside", who: "anyone" },
    { action: "leave", from: ["inside", "resting"], to: "left", who: "anyone" },
    { action: "send_away", from: ["waiting", "inside"], to: "sent_away", who: ["anyone", "system"] },
    { action: "hide", from: ["waiting", "inside", "resting"], who: "anyone", effects: ["cover"] },
    { action: "show", from: ["waiting", "inside", "resting"], who: "anyone", effects: ["uncover"] },
    { action: "give", from: ["inside", "resting"], who: "anyone", effects: ["give"] },
    { action: "remove", from: "resting", who: "anyone", effects: ["remove_task"] },
  ],
  effects: {
    own: ({ actor, task }) => ({ assigned_to: actor.id, data: { seen: task.data.seen + 1 } }),
    cover: () => ({ private: true }),
    uncover: () => ({ private: false }),
    give: ({ input }) => ({ assigned_to: input.to ?? null, title: `for ${input.to ?? "all"}` }),
  },
});
