import { defineLifecycle, refuse } from "pawl";
import { z } from "zod";

const MAX_REOPENINGS = 3;

/** A customer's question to support. A ticket that is not taken in time is flagged for attention. */
export const supportTicket = defineLifecycle({
  name: "support-ticket",
  version: 1,
  summary: "Customers' questions, from the first message to a closed ticket",

  data: z.object({ question: z.string(), resolution: z.string().nullable() }),
  // Defaults; each project can set its own values.
  settings: z.object({
    first_answer_hours: z.number().positive().default(4),
    silent_days: z.number().positive().default(7),
    reopen_days: z.number().positive().default(3),
  }),

  statuses: {
    new: {
      meaning: "waits for a support agent",
      // Fires once: a ticket that is already flagged for attention is skipped.
      timers: [
        {
          action: "remind",
          since: "entered_at",
          after: { hours: "first_answer_hours" },
          unless_attended: true,
        },
      ],
    },
    open: { meaning: "a support agent works on it" },
    waiting: {
      meaning: "waits for the customer",
      timers: [{ action: "expire", since: "entered_at", after: { days: "silent_days" } }],
    },
    resolved: {
      meaning: "answered; the customer can still reopen it",
      timers: [{ action: "expire", since: "entered_at", after: { days: "reopen_days" } }],
    },
    closed: { meaning: "accepted by the customer, or expired", final: true, success: true },
    spam: { meaning: "an unwanted message", final: true },
  },

  actions: {
    take: { summary: "Take the next ticket" },
    assign: { summary: "Assign it to a support agent", input: z.object({ assignee_id: z.string().min(1) }) },
    hand_back: { summary: "Return it to the queue", comment: "required" },
    ask: { summary: "Ask the customer a question", comment: "required" },
    answer: { summary: "Answer support's question", comment: "required" },
    resolve: {
      summary: "Describe the solution",
      input: z.object({ resolution: z.string().trim() }),
      required: { resolution: "RESOLUTION_REQUIRED" },
    },
    reopen: { summary: "Reopen it: the problem is not solved", comment: "required" },
    close: { summary: "Close it: the problem is solved" },
    mark_spam: { summary: "Mark it as spam" },
    remind: { summary: "Flag it: not taken in time" },
    expire: { summary: "Close it: the customer has not responded" },
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

  // The first rule that allows the action is applied.
  rules: [
    {
      action: "take",
      from: "new",
      to: "open",
      who: "anyone",
      guards: ["not_own_ticket"],
      effects: ["assign_actor", "clear_attention"],
    },
    {
      action: "assign",
      from: ["new", "open"],
      to: "open",
      who: "anyone",
      guards: ["assignee_is_not_the_customer"],
      effects: ["assign_given_member", "clear_attention"],
    },
    { action: "hand_back", from: "open", to: "new", who: "assignee", effects: ["clear_assignee"] },
    { action: "ask", from: "open", to: "waiting", who: "assignee" },
    { action: "answer", from: "waiting", to: "open", who: "creator" },
    { action: "resolve", from: "open", to: "resolved", who: "assignee", effects: ["save_resolution"] },
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

  // Choose your own role names; an admin assigns them to members. Actions that are not listed are open to every role but viewer.
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
      refusal: () => refuse("OWN_TICKET", "You opened this ticket: a colleague has to take it."),
    },
    assignee_is_not_the_customer: ({ task, input }) =>
      input.assignee_id !== task.created_by ||
      refuse("OWN_TICKET", "The customer who opened the ticket cannot be its assignee."),
    reopenings_left: ({ task }) =>
      task.attempt < MAX_REOPENINGS ||
      refuse("REOPENED_TOO_OFTEN", `The ticket was reopened ${task.attempt} times: open a new one.`, {
        reopenings: task.attempt,
      }),
  },
  effects: {
    assign_given_member: ({ input }) => ({ assigned_to: input.assignee_id ?? null }),
    save_resolution: ({ input }) => ({ data: { resolution: input.resolution ?? null } }),
    clear_attention: () => ({ needs_attention: false }),
  },
  problems: {
    OWN_TICKET: { status: 403, title: "Own ticket", next: "Ask a colleague to take it." },
    REOPENED_TOO_OFTEN: { status: 409, title: "Reopened too often", next: "Open a new ticket." },
  },

  // `pawl check` proves these for every state that a ticket can reach.
  invariants: {
    "a new ticket has no assignee": (task) => task.status !== "new" || task.assigned_to === null,
    "an open ticket has an assignee": (task) => task.status !== "open" || task.assigned_to !== null,
    "a ticket expires if, and only if, it waits for the customer": (task) =>
      (task.status === "waiting" || task.status === "resolved") === (task.due_action === "expire"),
    "no ticket is reopened more than three times": (task) => task.attempt <= MAX_REOPENINGS,
  },

  // Tickets that a claim can take: urgent ones first, then the oldest.
  pool: { action: "take", from: "new", where: [{ field: "assigned_to", is: null }] },
});
