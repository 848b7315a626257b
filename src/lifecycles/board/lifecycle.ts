import { z } from "zod";
import { defineLifecycle, MAX_LIST_LENGTH, MAX_NAME_LENGTH, refuse } from "../../core/index.ts";
import {
  description,
  extensionActions,
  extensionEffects,
  extensionGuards,
  extensionRules,
  extensionWho,
  labels,
  notAMember,
  priority,
  title,
} from "./extensions.ts";
import { PRIORITY } from "./priorities.ts";

const minutes = (defaultValue: number) => z.number().positive().default(defaultValue);
const OPEN = ["NEW", "IN_PROGRESS", "BLOCKED", "STUCK"] as const;
const FINAL = ["DONE", "CANCELLED"] as const;

/** Fields of a request that creates a task. */
export const creationFields = z.object({
  title,
  description,
  priority: priority.default("normal"),
  visibility: z.enum(["public", "private"]).default("public"),
  assignee_id: z.string().max(MAX_NAME_LENGTH).trim().min(1).nullish(),
  blocked_by: z.array(z.string().max(MAX_NAME_LENGTH)).max(MAX_LIST_LENGTH).default([]),
  // No default: it would change the meaning of requests that earlier versions stored.
  labels: labels.nullish(),
});

/** Agents in a workspace create tasks, take free ones, escalate stalled ones and take over abandoned ones. */
export const board = defineLifecycle({
  name: "board",
  version: 1,
  summary: "Tasks for AI agents (and people) who share a workspace",
  // Tasks of earlier versions have no labels.
  data: z.object({
    description: z.string().meta({ contentMediaType: "text/markdown" }),
    labels: z.array(z.string()).optional(),
  }),
  settings: z.object({
    status_deadlines: z
      .object({ NEW: minutes(120), IN_PROGRESS: minutes(1440), BLOCKED: minutes(2880) })
      .prefault({}),
    new_deadline_waits_for_blockers: z
      .boolean()
      .default(false)
      .describe("the deadline of NEW starts when the last blocker is done, not when the task is created"),
  }),
  // Whether the assignee that a creation or `reassign` names is an active member of the workspace who may start tasks.
  facts: z.object({ assignee_works_here: z.boolean().optional() }),
  statuses: {
    NEW: {
      meaning: "created, waits for someone",
      timers: [
        { ...expireAfter("status_deadlines.NEW"), waits_for_blockers: "new_deadline_waits_for_blockers" },
      ],
    },
    IN_PROGRESS: { meaning: "its assignee works", timers: [expireAfter("status_deadlines.IN_PROGRESS")] },
    BLOCKED: {
      meaning: "blocked by its assignee or by an escalation",
      timers: [expireAfter("status_deadlines.BLOCKED")],
    },
    STUCK: { meaning: "its deadline passed; someone must step in" },
    DONE: { meaning: "finished", final: true, success: true },
    CANCELLED: { meaning: "given up", final: true },
  },
  action_defaults: { comment: "required" },
  actions: {
    start: { event: "status_changed" },
    claim: { event: "claimed" },
    complete: { event: "status_changed" },
    block: { event: "status_changed" },
    escalate: { event: "escalated" },
    release: { event: "status_changed" },
    resume: { event: "status_changed" },
    take_over: { event: "taken_over" },
    cancel: { event: "status_changed" },
    expire: { event: "deadline_expired" },
    comment: { event: "commented" },
    ...extensionActions,
  },
  creation: {
    input: creationFields,
    facts: ["assignee_works_here"],
    to: [{ status: "NEW", guards: ["assignee_is_active"] }],
    draft: ({ input }) => ({
      title: input.title,
      data: { description: input.description, ...(input.labels?.length && { labels: input.labels }) },
      priority: PRIORITY[input.priority],
      private: input.visibility === "private",
      assigned_to: input.assignee_id ?? null,
      blocked_by: input.blocked_by,
    }),
  },
  rules: [
    { action: "start", from: "NEW", to: "IN_PROGRESS", who: "assignee", guards: ["blockers_done"] },
    {
      action: "claim",
      from: "NEW",
      to: "IN_PROGRESS",
      who: "anyone",
      guards: ["no_assignee", "public", "blockers_done", "available_now"],
      effects: ["assign_actor"],
    },
    { action: "complete", from: "IN_PROGRESS", to: "DONE", who: "assignee" },
    { action: "block", from: "IN_PROGRESS", to: "BLOCKED", who: "assignee" },
    { action: "escalate", from: "IN_PROGRESS", to: "BLOCKED", who: "escalator" },
    { action: "release", from: "IN_PROGRESS", to: "NEW", who: "assignee", effects: ["clear_assignee"] },
    {
      action: "release",
      from: "BLOCKED",
      to: "NEW",
      who: ["creator", "assignee"],
      effects: ["clear_assignee"],
    },
    { action: "release", from: "STUCK", to: "NEW", who: ["creator", "system"], effects: ["clear_assignee"] },
    { action: "resume", from: "BLOCKED", to: "IN_PROGRESS", who: "assignee", guards: ["blockers_done"] },
    { action: "resume", from: "STUCK", to: "IN_PROGRESS", who: "assignee", guards: ["blockers_done"] },
    {
      action: "take_over",
      from: "STUCK",
      to: "IN_PROGRESS",
      who: "rescuer",
      guards: ["blockers_done"],
      effects: ["assign_actor"],
    },
    { action: "cancel", from: ["NEW", "BLOCKED", "STUCK"], to: "CANCELLED", who: "creator" },
    { action: "cancel", from: "IN_PROGRESS", to: "CANCELLED", who: ["creator", "assignee"] },
    {
      action: "expire",
      from: ["NEW", "IN_PROGRESS", "BLOCKED"],
      to: "STUCK",
      who: "system",
      guards: ["due"],
      effects: ["note_time_in_status"],
    },
    { action: "comment", from: [...OPEN, ...FINAL], who: "anyone" },
    ...extensionRules,
  ],
  who: {
    ...extensionWho,
    escalator: {
      label: "anyone but the assignee",
      test: ({ actor, task }) => actor.id !== null && actor.id !== task.assigned_to,
      refusal: () => refuse("CANNOT_ESCALATE_OWN", "This task is assigned to you: block it instead."),
    },
    rescuer: {
      label: "anyone but the assignee",
      test: ({ actor, task }) => actor.id !== null && actor.id !== task.assigned_to,
      refusal: () => refuse("CANNOT_TAKE_OVER", "This task is already assigned to you: resume it instead."),
    },
  },
  guards: {
    assignee_is_active: ({ facts, task }) =>
      task.assigned_to === null || facts.assignee_works_here === true || notAMember(task.assigned_to),
    ...extensionGuards,
    no_assignee: {
      where: { field: "assigned_to", is: null },
      refusal: ({ task }) => alreadyClaimed(task.assigned_to ?? ""),
    },
    public: {
      where: { field: "private", is: false },
      refusal: () => refuse("NOT_PUBLIC", "A private task cannot be claimed: its assignee starts it."),
    },
  },
  effects: {
    ...extensionEffects,
    note_time_in_status: {
      comment: ({ task, now }) => {
        const minutes = Math.floor((now - task.entered_at) / 60_000);
        return `Status deadline expired. Was in ${task.status} for ${minutes} minutes.`;
      },
    },
  },
  // Without an assignee, a task that is not NEW was never claimed: the general refusal INVALID_TRANSITION applies.
  wrong_status_refusals: {
    claim: ({ task }) => (task.assigned_to === null ? null : alreadyClaimed(task.assigned_to)),
  },
  invariants: {
    "work in progress has an assignee": (task) => task.status !== "IN_PROGRESS" || task.assigned_to !== null,
    "a deadline runs in NEW, IN_PROGRESS and BLOCKED only": (task) =>
      (task.due_action === "expire") === ["NEW", "IN_PROGRESS", "BLOCKED"].includes(task.status) ||
      // The workspace may let the deadline wait for the blockers.
      (task.status === "NEW" && task.open_blockers > 0 && task.due_action === null),
  },
  pool: { action: "claim", from: "NEW" },
});

function expireAfter(setting: string) {
  return { action: "expire", since: "entered_at", after: { minutes: setting } } as const;
}

function alreadyClaimed(assignee: string) {
  return refuse("TASK_ALREADY_CLAIMED", `${assignee} was first: pick another task.`, {
    assignee_id: assignee,
  });
}
