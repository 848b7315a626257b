import { permissionOf, permissionRefusal } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";
import { serve } from "../../plugin/index.ts";
import type { By, Permit, RouteSet, Verb } from "../../plugin/index.ts";
import type { RouteTable } from "../../api/index.ts";
import type { PLANNER_ROUTES } from "./api.ts";
import { planner } from "./lifecycle.ts";

/** The permission that opens each route; null: that of the action which the body names. */
export const ROUTE_PERMISSIONS = {
  createPlannerTask: "task.create",
  listPlannerTasks: "task.read",
  getPlannerTask: "task.read",
  changePlannerTask: "task.update",
  deletePlannerTask: "task.delete",
  movePlannerTask: null,
  listPlannerTransitions: "task.read",
  claimPlannerTask: "task.self_assign",
  getPlannerPool: "task.read",
  listContributors: "task.read",
  addContributor: "contributor.add",
  removeContributor: "contributor.remove",
  listEscalations: "task.read",
  openEscalation: "task.escalate",
  resolveEscalation: "escalation.resolve",
  listHolds: "task.read",
  placeHold: "hold.place",
  releaseHold: "hold.release",
  removeDependency: "dependency.remove",
  reportDefect: "task.create_defect",
  fixPlannerTask: "task.fix",
  listDefects: "task.read",
  getDefect: "task.read",
  createDeliverable: "deliverable.write",
  listDeliverables: "deliverable.read",
  getDeliverable: "deliverable.read",
  submitDeliverable: "deliverable.write",
  listInspections: "inspection.read",
  inspectDeliverable: "inspection.write",
  createShift: "shift.write",
  listShifts: "shift.read",
  getShift: "shift.read",
  endShift: "shift.write",
  getPolicy: "policy.read",
  changePolicy: "policy.write",
} as const satisfies Record<keyof typeof PLANNER_ROUTES, string | null>;

/**
 * Puts verbs behind a table of routes, each behind its permission: role before shape, and before the engine is asked. `also`
 * is asked after the role where a request is wrongly shaped.
 */
export function serveGuarded<Table extends RouteTable>(
  table: Table,
  verbs: { [Name in keyof Table]: Verb<Table[Name]> },
  also: { [Name in keyof Table]?: Permit } = {},
): RouteSet {
  const guarded = Object.entries<Verb>(verbs as unknown as Record<string, Verb>).map(([name, verb]) => {
    const ask: Verb = (call) => refusalAt(name, call) ?? verb(call);
    return [name, ask] as const;
  });
  const permits = Object.keys(table).map((name): [string, Permit] => [
    name,
    (sent) => refusalAt(name, sent) ?? also[name]?.(sent) ?? null,
  ]);
  return serve(
    table,
    Object.fromEntries(guarded) as unknown as { [Name in keyof Table]: Verb<Table[Name]> },
    Object.fromEntries(permits) as { [Name in keyof Table]?: Permit },
  );
}

function refusalAt(name: string, { by, body }: { by: By | null; body: unknown }): Refusal | null {
  const permission = (ROUTE_PERMISSIONS as Record<string, string | null>)[name] ?? permissionAsked(body);
  return by && permission !== null ? permissionRefusal(planner, by.actor, permission) : null;
}

function permissionAsked(body: unknown): string | null {
  const action: unknown = (body as { action?: unknown } | null | undefined)?.action;
  if (typeof action !== "string" || !Object.hasOwn(planner.actions, action)) return null;
  return permissionOf(planner, action);
}
