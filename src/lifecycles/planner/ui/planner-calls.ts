import type { ReplyOf } from "../../../api/index.ts";
import type { PLANNER_ROUTES } from "../api.ts";
import { client, useMe, useSearch } from "../../../console/index.ts";
import { ROWS } from "../rows.ts";

export const planner = client.calls<typeof PLANNER_ROUTES>(ROWS);

type Routes = typeof PLANNER_ROUTES;
export type PlannerTask = ReplyOf<Routes["getPlannerTask"]>;
export type Pooled = ReplyOf<Routes["getPlannerPool"]>["tasks"][number];
export type Escalation = ReplyOf<Routes["listEscalations"]>["escalations"][number];
export type Shift = ReplyOf<Routes["getShift"]>;
export type Defect = ReplyOf<Routes["getDefect"]>;
export type Deliverable = ReplyOf<Routes["getDeliverable"]>;
export type Inspection = ReplyOf<Routes["listInspections"]>["inspections"][number];

/** Shifts, defects and inspections are no events of a task. */
export const LOOK_EVERY_MS = 5_000;
export const MOST = 100;

/** Whether the one who looks leads others; the server has the last word. */
export function useIsLead(): boolean {
  return useMe().roles.some((role) => role === "lead" || role === "supervisor");
}

/** Whether the one who looks takes tasks for himself. */
export function useMayTake(): boolean {
  return useMe().roles.includes("executor");
}

/** The project that is looked at, as queries want it. */
export function useProject(): { project_id?: string } {
  const [search] = useSearch();
  const project_id = search.get("project");
  return project_id ? { project_id } : {};
}
