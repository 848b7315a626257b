import { z } from "zod";
import { defineLifecycle, refuse } from "../../../src/core/index.ts";
import type { EnginePlugin } from "../../../src/engine/engine-plugin.ts";
import { query } from "../../../src/engine/transaction.ts";

/** Tasks with this priority cannot be taken. */
export const UNTAKABLE = 3;

/** Makes a lifecycle whose decisions read settings and facts; `takeGuards` are the guards of its pool's action. */
const define = (name: string, takeGuards: "takable"[]) =>
  defineLifecycle({
    name,
    version: 1,
    summary: "",
    settings: z.object({ minutes: z.number().default(10) }),
    facts: z.object({ timeout: z.string() }),
    statuses: {
      open: { timers: [{ action: "drop", since: "entered_at", after: { minutes: "minutes" } }] },
      taken: {
        lease: true,
        timers: [{ action: "drop", since: "entered_at", after: { minutes: "minutes" } }],
      },
      done: { final: true, success: true },
      dropped: { final: true },
    },
    actions: { take: {}, remark: {}, inspect: { facts: ["timeout"] }, disturb: {}, drop: {}, finish: {} },
    permissions: { "task.take": ["agent"] },
    creation: {
      input: z.object({ priority: z.number().default(0) }),
      to: [{ status: "open" }],
      draft: ({ input }) => ({ title: "A chore", data: {}, priority: input.priority }),
    },
    rules: [
      { action: "take", from: "open", to: "taken", who: "anyone", guards: takeGuards },
      { action: "remark", from: ["open", "taken"], who: "anyone" },
      { action: "inspect", from: "open", who: "anyone", guards: ["timeout_known"] },
      { action: "disturb", from: "open", to: "done", who: "anyone", effects: ["disturb"] },
      { action: "drop", from: ["open", "taken"], to: "dropped", who: "system", guards: ["due"] },
      { action: "finish", from: "taken", to: "done", who: "anyone" },
    ],
    guards: {
      takable: ({ task }) =>
        task.priority !== UNTAKABLE || refuse("INVALID_TRANSITION", "It cannot be taken."),
      timeout_known: ({ facts }) =>
        typeof facts.timeout === "string" || refuse("INVALID_TRANSITION", "The timeout is unknown."),
    },
    effects: { disturb: { side_effects: () => [{ kind: "change_row" }] } },
    lease: { lasts: { minutes: "minutes" } },
    pool: { action: "take", from: "open", where: [{ field: "open_blockers", is: 0 }] },
  });

/** Its claims read nothing of a task. `timeouts` collects the statement timeouts of the transactions that load facts. */
export const timeouts: string[] = [];
export const chore: EnginePlugin = {
  lifecycle: define("chore", []),
  facts: {
    timeout: async (tx, _org_id, asks) => {
      const [row] = await query<{ timeout: string }>(
        tx,
        "select current_setting('statement_timeout') as timeout",
        [],
      );
      timeouts.push(row?.timeout ?? "");
      return asks.map(() => row?.timeout ?? "");
    },
  },
  effects: {
    change_row: async (tx, items) => {
      for (const { org_id, task } of items)
        await query(tx, "update pawl.task set open_holds = open_holds where org_id = $1 and id = $2", [
          org_id,
          task.id,
        ]);
    },
  },
};

/** The same, but the rule of its claims reads the priority, which the pool does not guarantee. */
export const pickyChore: EnginePlugin = { ...chore, lifecycle: define("picky-chore", ["takable"]) };
