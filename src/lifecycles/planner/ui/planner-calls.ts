import type { ReplyOf } from "../../../api/index.ts";
import type { PLANNER_ROUTES } from "../api.ts";
import { client, useMe, useSearch } from "../../../console/index.ts";
import { ROWS } from "../rows.ts";

export const planner = client.calls<typeof PLANNER_ROUTES>(ROWS);

type Routes = typeof PLANNER_ROUTES;
type TimedTask = ReplyOf<Routes["getPlannerTask"]>;
export type PlannerTask = Omit<TimedTask, "lateness"> & Partial<Pick<TimedTask, "lateness">>;
export type Pooled = ReplyOf<Routes["getPlannerPool"]>["tasks"][number];
export type Escalation = ReplyOf<Routes["listEscalations"]>["escalations"][number];
export type Shift = ReplyOf<Routes["getShift"]>;
export type Defect = ReplyOf<Routes["getDefect"]>;
export type Deliverable = ReplyOf<Routes["getDeliverable"]>;
export type Inspection = ReplyOf<Routes["listInspections"]>["inspections"][number];

export type PlannerStats = ReplyOf<Routes["getPlannerStats"]>;
export type AttentionGroup = ReplyOf<Routes["getPlannerAttention"]>["groups"][number];
export type AttentionItem = AttentionGroup["items"][number];

/** Shifts, defects and deliverables are polled, because they add no events to the feed. */
export const POLL_INTERVAL_MS = 5_000;
/** The lead's page changes also by time alone. */
export const ATTENTION_POLL_MS = 30_000;
export const MAX_ROWS = 100;

/** Returns whether to show the controls for leads; the server checks the permission anyway. */
export function useIsLead(): boolean {
  return useMe().roles.some((role) => role === "lead" || role === "supervisor");
}

/** Returns whether the user may read what needs a lead, and the statistics. */
export function useReadsAttention(): boolean {
  return useMe().roles.some((role) => ["lead", "supervisor", "admin", "viewer"].includes(role));
}

/** Returns whether the user may take tasks. */
export function useMayTake(): boolean {
  return useMe().roles.includes("executor");
}

/** Returns the selected project as a query parameter, or an empty object for all projects. */
export function useProject(): { project_id?: string } {
  const [search] = useSearch();
  const project_id = search.get("project");
  return project_id ? { project_id } : {};
}
