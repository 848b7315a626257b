import { defineConfig, defineLifecycle, refuse } from "pawl";
import { z } from "zod";

const purchase = defineLifecycle({
  name: "purchase",
  version: 1,
  summary: "A purchase that another member approves",
  data: z.object({ amount: z.number() }),
  statuses: {
    requested: { meaning: "waits for approval" },
    approved: { meaning: "may be bought", final: true, success: true },
  },
  actions: { approve: {} },
  creation: {
    input: z.object({ item: z.string(), amount: z.number().positive() }),
    to: [{ status: "requested" }],
    draft: ({ input }) => ({ title: input.item, data: { amount: input.amount } }),
  },
  permissions: { "task.approve": ["manager"] },
  guards: {
    not_own: ({ task, actor }) => task.created_by !== actor.id || refuse("FORBIDDEN", "Ask another manager."),
  },
  rules: [{ action: "approve", from: "requested", to: "approved", who: "anyone", guards: ["not_own"] }],
});

export default defineConfig({ lifecycles: [purchase] });
