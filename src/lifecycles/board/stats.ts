import type { Instant } from "../../core/index.ts";
import { STATUSES } from "./api.ts";
import type { BoardStatus } from "./api.ts";
import type { CurrentCount, EventCount } from "./sql/read-stats.ts";

const DAY_MS = 86_400_000;
const LENGTH_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS, all: Infinity } as const;

export type Period = keyof typeof LENGTH_MS;

/** Returns the start of a period that ends now; 0: no start. */
export function startOf(period: Period, now: Instant): Instant {
  return Math.max(0, now - LENGTH_MS[period]);
}

export type AgentCounts = {
  tasks_completed: number;
  tasks_cancelled: number;
  tasks_stuck_count: number;
  tasks_in_progress: number;
  avg_lead_time_minutes: number | null;
  avg_cycle_time_minutes: number | null;
  tasks_taken_over_from_agent: number;
  tasks_taken_over_by_agent: number;
  escalations_initiated: number;
  escalations_received: number;
};

/** Adds up events and current tasks by agent. */
export function countByAgent(
  counts: readonly EventCount[],
  present: readonly CurrentCount[],
): Map<string, AgentCounts> {
  const agents = new Map<string, AgentCounts>();
  const of = (id: string | null): AgentCounts => {
    const known = agents.get(id ?? "") ?? zeroCounts();
    if (id !== null) agents.set(id, known);
    return known;
  };
  for (const { action, actor_id, held_by, events } of counts) {
    if (action === "complete") of(actor_id).tasks_completed += events;
    if (action === "cancel") of(held_by).tasks_cancelled += events;
    if (action === "expire") of(held_by).tasks_stuck_count += events;
    if (action === "take_over") {
      of(held_by).tasks_taken_over_from_agent += events;
      of(actor_id).tasks_taken_over_by_agent += events;
    }
    if (action === "escalate") {
      of(actor_id).escalations_initiated += events;
      of(held_by).escalations_received += events;
    }
  }
  for (const { what, who, tasks } of present) if (what === "in_progress") of(who).tasks_in_progress = tasks;
  const completed = counts.filter(isCompletion);
  for (const id of new Set(completed.map(({ actor_id }) => actor_id)))
    Object.assign(of(id), timesOf(completed.filter(({ actor_id }) => actor_id === id)));
  return agents;
}

function isCompletion({ action }: EventCount): boolean {
  return action === "complete";
}

/** Counts for a new agent; those of events without an assignee are discarded. */
function zeroCounts(): AgentCounts {
  return {
    tasks_completed: 0,
    tasks_cancelled: 0,
    tasks_stuck_count: 0,
    tasks_in_progress: 0,
    avg_lead_time_minutes: null,
    avg_cycle_time_minutes: null,
    tasks_taken_over_from_agent: 0,
    tasks_taken_over_by_agent: 0,
    escalations_initiated: 0,
    escalations_received: 0,
  };
}

export function countWorkspace(counts: readonly EventCount[], present: readonly CurrentCount[]) {
  const created = counts.filter(({ action }) => action === "create");
  const countOf = (status: BoardStatus) =>
    sumOf(
      created.filter((row) => row.status === status),
      "events",
    );
  const now = (what: CurrentCount["what"]) => present.find((one) => one.what === what)?.tasks ?? 0;
  const total = sumOf(created, "events");
  return {
    total_tasks_created: total,
    tasks_by_status: Object.fromEntries(STATUSES.map((status) => [status, countOf(status)])) as Record<
      BoardStatus,
      number
    >,
    ...timesOf(counts.filter(isCompletion)),
    overdue_count: now("overdue"),
    stuck_count: now("stuck"),
    completion_rate_percent: total === 0 ? 0 : Math.round((countOf("DONE") / total) * 1_000) / 10,
  };
}

/** Lead time: from creation to DONE. Cycle time: from the first IN_PROGRESS to DONE. */
function timesOf(completed: readonly EventCount[]) {
  return {
    avg_lead_time_minutes: averageMinutes(sumOf(completed, "lead_seconds"), sumOf(completed, "events")),
    avg_cycle_time_minutes: averageMinutes(sumOf(completed, "cycle_seconds"), sumOf(completed, "cycles")),
  };
}

function sumOf(
  counts: readonly EventCount[],
  field: "events" | "lead_seconds" | "cycle_seconds" | "cycles",
): number {
  return counts.reduce((sum, row) => sum + (row[field] ?? 0), 0);
}

function averageMinutes(seconds: number, amount: number): number | null {
  return amount === 0 ? null : Math.round((seconds / amount / 60) * 100) / 100;
}
