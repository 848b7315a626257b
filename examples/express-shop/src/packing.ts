import { asRows, definePlugin, query } from "pawl/plugin";
import { defineLifecycle } from "pawl";
import { z } from "zod";

/** An order waits, a worker packs it under a lease, and until then the shop can cancel it. */
const lifecycle = defineLifecycle({
  name: "packing",
  version: 1,
  summary: "Orders to pack",
  data: z.object({ order_id: z.uuid(), item: z.string(), quantity: z.int() }),
  settings: z.object({ lease_seconds: z.number().positive().default(60) }),

  statuses: {
    waiting: { meaning: "waits for a packer" },
    packing: {
      meaning: "is being packed",
      lease: true,
      // A packer that crashes stops renewing its lease, and the order waits again.
      timers: [{ action: "expire", since: "heartbeat_at", after: { seconds: "lease_seconds" } }],
    },
    packed: { meaning: "on its way", final: true, success: true },
    stuck: { meaning: "could not be packed" },
    cancelled: { meaning: "no longer wanted", final: true },
  },
  lease: { lasts: { seconds: "lease_seconds" } },

  actions: {
    take: { summary: "Start to pack it" },
    pack: { summary: "Hand it to the carrier", input: z.object({ tracking_number: z.string().min(1) }) },
    release: { summary: "Give it back" },
    report: { summary: "Report that it cannot be packed", comment: "required" },
    retry: { summary: "Pack it again" },
    cancel: { summary: "Cancel it" },
    expire: { summary: "Give it back: the packer has disappeared" },
  },

  creation: {
    input: z.object({
      order_id: z.uuid(),
      item: z.string().min(1).max(100),
      quantity: z.int().positive(),
    }),
    to: [{ status: "waiting" }],
    draft: ({ input }) => ({ title: `Pack ${input.quantity} × ${input.item}`, data: input }),
  },

  rules: [
    { action: "take", from: "waiting", to: "packing", who: "anyone", effects: ["assign_actor"] },
    { action: "pack", from: "packing", to: "packed", who: "lease_holder", effects: ["mark_packed"] },
    { action: "release", from: "packing", to: "waiting", who: "lease_holder", effects: ["clear_assignee"] },
    { action: "report", from: "packing", to: "stuck", who: "lease_holder", effects: ["raise_attention"] },
    {
      action: "retry",
      from: "stuck",
      to: "waiting",
      who: "anyone",
      effects: ["clear_assignee", "lower_attention"],
    },
    {
      action: "cancel",
      from: ["waiting", "stuck"],
      to: "cancelled",
      who: "anyone",
      effects: ["mark_cancelled", "lower_attention"],
    },
    {
      action: "expire",
      from: "packing",
      to: "waiting",
      who: "system",
      guards: ["due"],
      effects: ["clear_assignee"],
    },
  ],
  permissions: {
    "task.create": ["shop"],
    "task.cancel": ["shop"],
    "task.take": ["packer"],
    "task.pack": ["packer"],
    "task.release": ["packer"],
    "task.report": ["packer"],
    "task.retry": ["shop"],
    "task.expire": ["system"],
  },

  effects: {
    lower_attention: () => ({ needs_attention: false }),
    mark_packed: {
      side_effects: ({ input }) => [{ kind: "mark_order", state: "packed", tracking: input.tracking_number }],
    },
    mark_cancelled: { side_effects: () => [{ kind: "mark_order", state: "cancelled", tracking: null }] },
  },
  pool: { action: "take", from: "waiting", where: [{ field: "assigned_to", is: null }] },
});

const MARK_ORDERS = `
  update shop.customer_order o
  set state = m.state, tracking_number = m.tracking
  from json_to_recordset($1::text::json) as m(task_id uuid, state text, tracking text)
  where o.task_id = m.task_id`;

export default definePlugin({
  lifecycle,
  effects: {
    // Runs in the transaction of the move, so an order always agrees with its task: also when the console or the command line moves it.
    mark_order: async (tx, items) => {
      const marks = items.map(({ task, effect: { state, tracking } }) => ({
        task_id: task.id,
        state,
        tracking,
      }));
      await query(tx, MARK_ORDERS, [asRows(marks)]);
    },
  },
});
