import { defineLifecycle, refuse } from "pawl";
import { z } from "zod";
import { money } from "./money.ts";

/** A supplier's invoice: approved by a member whose limit covers it, then paid in one or more payments. */
export const lifecycle = defineLifecycle({
  name: "invoices",
  version: 1,
  summary: "Suppliers' invoices, from receipt to the last payment",

  data: z.object({
    supplier: z.string(),
    amount_cents: z.int(),
    due_on: z.iso.date(),
    escalated_by: z.string().nullable(),
  }),
  // Each project can have its own values.
  settings: z.object({ approval_limit_cents: z.int().min(0).default(100_000) }),
  // Values from the plugin's tables, loaded for the actions that list them.
  facts: z.object({
    own_limit_cents: z.number().nullable().optional(),
    paid_cents: z.number().optional(),
  }),

  statuses: {
    received: { meaning: "waits for an approver" },
    escalated: { meaning: "waits for a director" },
    approved: { meaning: "waits for payment" },
    paid: { meaning: "paid in full", final: true, success: true },
    rejected: { meaning: "will not be paid", final: true },
  },

  actions: {
    approve: { summary: "Approve it for payment", facts: ["own_limit_cents"] },
    escalate: { summary: "Ask a director", comment: "required" },
    reject: { summary: "Refuse to pay", comment: "required" },
    record_payment: {
      summary: "Record a payment",
      input: z.object({ amount_cents: z.int().positive(), paid_on: z.iso.date() }),
      facts: ["paid_cents"],
    },
    remind: { summary: "Mark it as overdue" },
  },

  creation: {
    input: z.object({
      number: z.string().trim().min(1).max(50),
      supplier: z.string().trim().min(1).max(100),
      amount_cents: z.int().positive(),
      due_on: z.iso.date(),
    }),
    to: [{ status: "received" }],
    draft: ({ input: { number, supplier, amount_cents, due_on } }) => ({
      title: `${supplier} ${number}`,
      data: { supplier, amount_cents, due_on, escalated_by: null },
      // Entering the same invoice again returns the first one.
      dedupe_key: `${supplier}/${number}`,
    }),
  },

  // Tried from top to bottom: the first rule that allows the command is applied.
  rules: [
    {
      action: "approve",
      from: ["received", "escalated"],
      to: "approved",
      who: "director",
      guards: ["not_own_invoice", "second_pair_of_eyes"],
    },
    {
      action: "approve",
      from: "received",
      to: "approved",
      who: "approver",
      guards: ["not_own_invoice", "within_limit"],
    },
    {
      action: "escalate",
      from: "received",
      to: "escalated",
      who: "approver",
      effects: ["remember_escalator"],
    },
    { action: "reject", from: ["received", "escalated"], to: "rejected", who: ["approver", "director"] },
    {
      action: "record_payment",
      from: "approved",
      to: "paid",
      who: "anyone",
      guards: ["pays_the_rest"],
      effects: ["save_payment", "lower_attention"],
    },
    {
      action: "record_payment",
      from: "approved",
      who: "anyone",
      guards: ["pays_a_part"],
      effects: ["save_payment"],
    },
    {
      action: "remind",
      from: "approved",
      who: "system",
      guards: ["overdue", "not_yet_reminded"],
      effects: ["raise_attention"],
    },
  ],

  permissions: {
    "task.create": ["accountant"],
    "task.approve": ["approver", "director"],
    "task.escalate": ["approver"],
    "task.reject": ["approver", "director"],
    "task.record_payment": ["accountant"],
    "task.remind": ["system"],
  },
  who: {
    approver: { label: "approver", test: ({ actor }) => actor.roles.includes("approver") },
    director: { label: "director", test: ({ actor }) => actor.roles.includes("director") },
  },

  guards: {
    not_own_invoice: {
      where: { field: "created_by", is_not: "actor.id" },
      refusal: () => refuse("OWN_INVOICE", "You entered this invoice: another member has to approve it."),
    },
    second_pair_of_eyes: ({ task, actor }) =>
      task.data.escalated_by !== actor.id ||
      refuse("OWN_INVOICE", "You escalated this invoice: another director has to approve it."),
    within_limit: ({ task, facts, settings }) => {
      const limit = facts.own_limit_cents ?? settings.approval_limit_cents;
      const { amount_cents } = task.data;
      return (
        amount_cents <= limit ||
        refuse("ABOVE_LIMIT", `${money(amount_cents)} is above your limit of ${money(limit)}.`, {
          amount: money(amount_cents),
          limit: money(limit),
        })
      );
    },
    pays_the_rest: ({ task, facts, input }) => {
      const rest = task.data.amount_cents - (facts.paid_cents ?? 0);
      return input.amount_cents === rest || overpaid(rest);
    },
    pays_a_part: ({ task, facts, input }) => {
      const rest = task.data.amount_cents - (facts.paid_cents ?? 0);
      return (input.amount_cents ?? 0) < rest || overpaid(rest);
    },
    overdue: ({ task, now }) =>
      Date.parse(task.data.due_on) + DAY_MS <= now ||
      refuse("NOT_OVERDUE", `This invoice is due on ${task.data.due_on}.`),
    not_yet_reminded: ({ task }) =>
      !task.needs_attention || refuse("ALREADY_REMINDED", "This invoice is already marked as overdue."),
  },
  effects: {
    remember_escalator: ({ actor }) => ({ data: { escalated_by: actor.id } }),
    lower_attention: () => ({ needs_attention: false }),
    // The handler in plugin.ts writes the payment, in the transaction of the move.
    save_payment: {
      side_effects: ({ input: { amount_cents, paid_on } }) => [
        { kind: "save_payment", amount_cents, paid_on },
      ],
    },
  },
  problems: {
    OWN_INVOICE: { status: 403, title: "Own invoice", next: "Ask another member to approve it." },
    ABOVE_LIMIT: { status: 403, title: "Above the limit", next: "Escalate it to a director." },
    OVERPAID: { status: 409, title: "More than is owed", next: "Record the amount that is left." },
    NOT_OVERDUE: { status: 409, title: "Not overdue", next: "Wait for the due date." },
    ALREADY_REMINDED: { status: 409, title: "Already reminded", next: "Pay the invoice." },
  },

  // `pawl check` proves these for every state that an invoice can reach.
  invariants: {
    "only an approved invoice can need attention": (task) =>
      !task.needs_attention || task.status === "approved",
    "an invoice has no assignee": (task) => task.assigned_to === null,
  },
});

const DAY_MS = 86_400_000;

function overpaid(rest: number) {
  return refuse("OVERPAID", `Only ${money(rest)} is left to pay.`, { rest: money(rest) });
}
