import { z } from "zod";
import { defineLifecycle } from "../../../src/core/index.ts";
import { definePlugin, query } from "../../../src/plugin/index.ts";

/** The advisory lock that creations of a slow note wait for. */
export const GATE = 8_155;

/** A lifecycle whose creation waits for a lock, so that a test can stop a node in the middle of its transaction. */
export const slowNote = definePlugin({
  lifecycle: defineLifecycle({
    name: "slow-note",
    version: 1,
    summary: "",
    statuses: { open: {}, done: { final: true, success: true } },
    actions: { finish: {} },
    facts: z.object({ gate: z.boolean() }),
    creation: {
      input: z.object({ title: z.string() }),
      facts: ["gate"],
      to: [{ status: "open" }],
      draft: ({ input }) => ({ title: input.title, data: {} }),
    },
    rules: [{ action: "finish", from: "open", to: "done", who: "anyone" }],
  }),
  creationFacts: {
    gate: async (tx, _org_id, requests) => {
      await query(tx, "select pg_advisory_xact_lock_shared($1)", [GATE]);
      return requests.map(() => true);
    },
  },
});
