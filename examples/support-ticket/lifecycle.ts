import { defineLifecycle, refuse } from "pawl";
import { z } from "zod";

const MOST_REOPENINGS = 3;

/** A customer writes, somebody of support takes it, and nobody waits for an answer without being noticed. */
export const supportTicket = defineLifecycle({
  name: "support-ticket",
  version: 1,
  summary: "Customers' questions, from the first letter to a closed case",

  data: z.object({ question: z.string(), resolution: z.string().nullable() }),
  // Settings of a project: each team sets its own hours, these are the defaults.
  settings: z.object({
    first_answer_hours: z.number().positive().default(4),
    silent_days: z.number().positive().default(7),
    reopen_days: z.number().positive().default(3),
  }),

  statuses: {
    new: {
      meaning: "waits for somebody of support",
      // Rings once: a ticket that has been reported is left alone until it is taken.
      timers: [
        {
          action: "remind",
          since: "entered_at",
          after: { hours: "first_answer_hours" },
          unless_attended: true,
        },
      ],
    },
    open: { meaning: "somebody works on it" },
    waiting: {
      meaning: "waits for the customer",
      timers: [{ action: "expire", since: "entered_at", after: { days: "silent_days" } }],
    },
    resolved: {
      meaning: "answered; the customer may still object",
      timers: [{ action: "expire", since: "entered_at", after: { days: "reopen_days" } }],
    },
    closed: { meaning: "settled", final: true, success: true },
    spam: { meaning: "not a question at all", final: true },
  },

  actions: {
    take: { summary: "Take the next ticket" },
    assign: { summary: "Give it to somebody", input: z.object({ assignee_id: z.string().min(1) }) },
    hand_back: { summary: "Return it to the queue", comment: "required" },
    ask: { summary: "Ask the customer something", comment: "required" },
    answer: { summary: "The customer answers", comment: "required" },
    resolve: {
      summary: "Say how it was settled",
      input: z.object({ resolution: z.string().trim() }),
      required: { resolution: "RESOLUTION_REQUIRED" },
    },
    reopen: { summary: "The customer objects", comment: "required" },
    close: { summary: "The customer is content" },
    mark_spam: { summary: "Throw it away" },
    remind: { summary: "Nobody has answered in time" },
    expire: { summary: "The customer said nothing more" },
  },

  creation: {
    input: z.object({
      title: z.string().trim().min(3).max(200),
      question: z.string().trim().min(1),
      urgent: z.boolean().default(false),
    }),
    to: [{ status: "new" }],
    draft: ({ input }) => ({
      title: input.title,
      data: { question: input.question, resolution: null },
      priority: input.urgent ? 1 : 0,
    }),
  },

  // Of several rules that fit, the first one wins.
  rules: [
    {
      action: "take",
      from: "new",
      to: "open",
      who: "anyone",
      guards: ["not_own_ticket"],
      effects: ["assign_actor", "settle_reminder"],
    },
    {
      action: "assign",
      from: ["new", "open"],
      to: "open",
      who: "anyone",
      guards: ["assignee_is_not_the_customer"],
      effects: ["assign_named", "settle_reminder"],
    },
    { action: "hand_back", from: "open", to: "new", who: "assignee", effects: ["clear_assignee"] },
    { action: "ask", from: "open", to: "waiting", who: "assignee" },
    { action: "answer", from: "waiting", to: "open", who: "creator" },
    { action: "resolve", from: "open", to: "resolved", who: "assignee", effects: ["keep_resolution"] },
    {
      action: "reopen",
      from: "resolved",
      to: "open",
      who: "creator",
      guards: ["reopenings_left"],
      effects: ["count_attempt"],
    },
    { action: "close", from: ["new", "open", "waiting", "resolved"], to: "closed", who: "creator" },
    { action: "mark_spam", from: ["new", "open"], to: "spam", who: "anyone" },
    { action: "remind", from: "new", who: "system", guards: ["due"], effects: ["raise_attention"] },
    { action: "expire", from: ["waiting", "resolved"], to: "closed", who: "system", guards: ["due"] },
  ],

  // Roles are words of your own; a member has them from an admin. What is not listed is open to every role but viewer.
  permissions: {
    "task.take": ["support", "lead"],
    "task.assign": ["lead"],
    "task.hand_back": ["support", "lead"],
    "task.ask": ["support", "lead"],
    "task.resolve": ["support", "lead"],
    "task.mark_spam": ["support", "lead"],
    "task.remind": ["system"],
    "task.expire": ["system"],
  },

  guards: {
    not_own_ticket: {
      where: { field: "created_by", is_not: "actor.id" },
      refusal: () => refuse("OWN_TICKET", "You wrote this ticket yourself: let a colleague answer it."),
    },
    assignee_is_not_the_customer: ({ task, input }) =>
      input.assignee_id !== task.created_by ||
      refuse("OWN_TICKET", "The customer cannot answer his own ticket."),
    reopenings_left: ({ task }) =>
      task.attempt < MOST_REOPENINGS ||
      refuse("REOPENED_TOO_OFTEN", `It was reopened ${task.attempt} times: write a new ticket.`, {
        reopenings: task.attempt,
      }),
  },
  effects: {
    assign_named: ({ input }) => ({ assigned_to: input.assignee_id ?? null }),
    keep_resolution: ({ input }) => ({ data: { resolution: input.resolution ?? null } }),
    settle_reminder: () => ({ needs_attention: false }),
  },
  problems: {
    OWN_TICKET: { status: 403, title: "Nobody answers his own ticket", next: "Let a colleague take it." },
    REOPENED_TOO_OFTEN: { status: 409, title: "Reopened too often", next: "Write a new ticket." },
  },

  // `pawl check` proves these for every way a ticket can go.
  invariants: {
    "a new ticket is in nobody's hands": (task) => task.status !== "new" || task.assigned_to === null,
    "an open ticket is in somebody's hands": (task) => task.status !== "open" || task.assigned_to !== null,
    "whoever waits for the customer does not wait for ever": (task) =>
      (task.status === "waiting" || task.status === "resolved") === (task.due_action === "expire"),
    "no ticket is reopened more than three times": (task) => task.attempt <= MOST_REOPENINGS,
  },

  // The tickets that `claim` hands out, most urgent and oldest first.
  pool: { action: "take", from: "new", where: [{ field: "assigned_to", is: null }] },
});
