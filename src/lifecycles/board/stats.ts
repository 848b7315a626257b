import type { Instant } from "../../core/index.ts";
import { STATUSES } from "./api.ts";
import type { BoardStatus } from "./api.ts";
import type { CurrentCount, StatEvent } from "./sql/read-stats.ts";

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

/** Counts events and current tasks by agent. */
export function countByAgent(
  events: readonly StatEvent[],
  present: readonly CurrentCount[],
): Map<string, AgentCounts> {
  const agents = new Map<string, AgentCounts>();
  const of = (id: string | null): AgentCounts => {
    const known = agents.get(id ?? "") ?? zeroCounts();
    if (id !== null) agents.set(id, known);
    return known;
  };
  const completed = new Map<string, StatEvent[]>();
  for (const event of events) {
    const { action, actor_id, held_by } = event;
    if (action === "complete" && actor_id !== null) {
      of(actor_id).tasks_completed++;
      const done = completed.get(actor_id);
      if (done) done.push(event);
      else completed.set(actor_id, [event]);
    }
    if (action === "cancel") of(held_by).tasks_cancelled++;
    if (action === "expire") of(held_by).tasks_stuck_count++;
    if (action === "take_over") {
      of(held_by).tasks_taken_over_from_agent++;
      of(actor_id).tasks_taken_over_by_agent++;
    }
    if (action === "escalate") {
      of(actor_id).escalations_initiated++;
      of(held_by).escalations_received++;
    }
  }
  for (const { what, who, tasks } of present) if (what === "in_progress") of(who).tasks_in_progress = tasks;
  for (const [id, done] of completed) Object.assign(of(id), timesOf(done));
  return agents;
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

export function countWorkspace(events: readonly StatEvent[], present: readonly CurrentCount[]) {
  const created = events.filter(({ action }) => action === "create");
  const countOf = (status: BoardStatus) => created.filter((event) => event.status === status).length;
  const now = (what: CurrentCount["what"]) => present.find((one) => one.what === what)?.tasks ?? 0;
  return {
    total_tasks_created: created.length,
    tasks_by_status: Object.fromEntries(STATUSES.map((status) => [status, countOf(status)])) as Record<
      BoardStatus,
      number
    >,
    ...timesOf(events.filter(({ action }) => action === "complete")),
    overdue_count: now("overdue"),
    stuck_count: now("stuck"),
    completion_rate_percent:
      created.length === 0 ? 0 : Math.round((countOf("DONE") / created.length) * 1_000) / 10,
  };
}

/** Lead time: from creation to DONE. Cycle time: from the first IN_PROGRESS to DONE. */
function timesOf(completed: readonly StatEvent[]) {
  return {
    avg_lead_time_minutes: averageMinutes(completed.map((event) => event.created_at - event.task_created_at)),
    avg_cycle_time_minutes: averageMinutes(
      completed.flatMap((event) => (event.started_at === null ? [] : [event.created_at - event.started_at])),
    ),
  };
}

function averageMinutes(milliseconds: readonly number[]): number | null {
  if (milliseconds.length === 0) return null;
  const sum = milliseconds.reduce((a, b) => a + b, 0);
  return Math.round((sum / milliseconds.length / 60_000) * 100) / 100;
}
