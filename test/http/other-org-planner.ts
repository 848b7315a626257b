import { randomUUID } from "node:crypto";

const once = { client_event_id: "{key} planner" };
const crack = { description: "A crack" };
const hours = { starts_at: "2030-01-01T08:00:00Z", ends_at: "2030-01-01T16:00:00Z" };
const pattern = {
  name: "Their own words",
  starts: "06:00",
  ends: "14:00",
  time_zone: "UTC",
  weekdays: ["mon"],
  from_date: "2030-01-01",
};
const template = { name: "Their own words", type: "t", tasks: [{ ref: "a", title: "Their own secret" }] };

/** A request for each operation of the planner with ids of another org. */
export const PLANNER_ROWS: [operation: string, what: string, body?: unknown][] = [
  ["createPlannerTask", "POST /api/planner/tasks", { ...once, title: "Ours", depends_on: ["{piece}"] }],
  ["createPlannerTask", "POST /api/planner/tasks", { ...once, title: "Ours", parent_task_id: "{piece}" }],
  [
    "createPlannerTask",
    "POST /api/planner/tasks",
    { ...once, title: "Ours", deliverable_id: "{deliverable}" },
  ],
  ["createPlannerTask", "POST /api/planner/tasks", { ...once, title: "Ours", project_id: "{project}2" }],
  ["listPlannerTasks", "GET /api/planner/tasks"],
  ["listPlannerTasks", "GET /api/planner/tasks?project_id={project}2"],
  ["listPlannerTasks", "GET /api/planner/tasks?deliverable_id={deliverable}"],
  ["listPlannerTasks", "GET /api/planner/tasks?parent_task_id={piece}&fix_of_task_id={piece}"],
  ["getPlannerTask", "GET /api/planner/tasks/{piece}"],
  ["changePlannerTask", "PATCH /api/planner/tasks/{piece}", { ...once, title: "x", expected_row_version: 1 }],
  ["deletePlannerTask", "DELETE /api/planner/tasks/{piece}"],
  [
    "movePlannerTask",
    "POST /api/planner/tasks/{piece}/transitions",
    { ...once, action: "cancel", payload: { reason: "r" }, expected_row_version: 1 },
  ],
  [
    "previewPlannerImport",
    "POST /api/planner/imports/preview",
    { csv: "title\nOurs", project_id: "{project}2" },
  ],
  [
    "previewPlannerImport",
    "POST /api/planner/imports/preview",
    { csv: "title,depends_on\nOurs,{piece}", project_id: "main" },
  ],
  [
    "importPlannerTasks",
    "POST /api/planner/imports",
    { ...once, csv: "title\nOurs", project_id: "{project}2" },
  ],
  [
    "importPlannerTasks",
    "POST /api/planner/imports",
    { ...once, csv: "title,depends_on\nOurs,{piece}", project_id: "main" },
  ],
  ["listPlannerTransitions", "GET /api/planner/tasks/{piece}/transitions"],
  ["claimPlannerTask", "POST /api/planner/claims", { ...once, project_id: "{project}2" }],
  ["getPlannerPool", "GET /api/planner/pool"],
  ["getPlannerPool", "GET /api/planner/pool?project_id={project}2"],
  ["getPlannerAttention", "GET /api/planner/attention"],
  ["getPlannerAttention", "GET /api/planner/attention?project_id={project}2"],
  ["getPlannerStats", "GET /api/planner/stats"],
  ["getPlannerStats", "GET /api/planner/stats?project_id={project}2"],
  ["listContributors", "GET /api/planner/tasks/{piece}/contributors"],
  ["addContributor", "POST /api/planner/tasks/{piece}/contributors", { ...once, member_id: "ann" }],
  ["removeContributor", "DELETE /api/planner/tasks/{piece}/contributors/{member}"],
  ["listEscalations", "GET /api/planner/tasks/{piece}/escalations"],
  ["openEscalation", "POST /api/planner/tasks/{piece}/escalations", { ...once, reason: "tools" }],
  [
    "resolveEscalation",
    "POST /api/planner/tasks/{piece}/escalations/{escalation}/resolve",
    { ...once, note: "Ours now" },
  ],
  ["listHolds", "GET /api/planner/tasks/{piece}/holds"],
  ["placeHold", "POST /api/planner/tasks/{piece}/holds", { ...once, kind: "qc", reason: "r" }],
  ["releaseHold", "DELETE /api/planner/tasks/{piece}/holds/{hold}"],
  ["listDependents", "GET /api/planner/tasks/{piece}/dependents"],
  ["addDependency", "POST /api/planner/tasks/{piece}/depends_on", { ...once, blocker_id: "{piece}" }],
  ["removeDependency", "DELETE /api/planner/tasks/{piece}/depends_on/{piece}"],
  ["reportDefect", "POST /api/planner/tasks/{piece}/report-defect", { ...once, ...crack }],
  ["fixPlannerTask", "POST /api/planner/tasks/{piece}/fix", { ...once, defect: crack }],
  ["fixPlannerTask", "POST /api/planner/tasks/{piece}/fix", { ...once, defect_id: "{defect}" }],
  ["listDefects", "GET /api/planner/defects"],
  ["listDefects", "GET /api/planner/defects?task_id={piece}&project_id={project}2"],
  ["getDefect", "GET /api/planner/defects/{defect}"],
  [
    "createDeliverable",
    "POST /api/planner/deliverables",
    { ...once, type: "t", serial: "s", project_id: "{project}2" },
  ],
  ["listDeliverables", "GET /api/planner/deliverables"],
  ["listDeliverables", "GET /api/planner/deliverables?project_id={project}2"],
  ["getDeliverable", "GET /api/planner/deliverables/{deliverable}"],
  ["submitDeliverable", "POST /api/planner/deliverables/{deliverable}/submit", once],
  ["listInspections", "GET /api/planner/deliverables/{deliverable}/inspections"],
  [
    "inspectDeliverable",
    "POST /api/planner/deliverables/{deliverable}/inspections",
    { ...once, result: "approved" },
  ],
  ["createShift", "POST /api/planner/shifts", { ...once, ...hours, members: ["{member}"] }],
  [
    "createShift",
    "POST /api/planner/shifts",
    { ...once, ...hours, members: ["ann"], project_id: "{project}2" },
  ],
  ["listShifts", "GET /api/planner/shifts"],
  ["listShifts", "GET /api/planner/shifts?project_id={project}2"],
  ["getShift", "GET /api/planner/shifts/{shift}"],
  ["endShift", "POST /api/planner/shifts/{shift}/end", once],
  ["listShifts", "GET /api/planner/shifts?member_id={member}&canceled=true"],
  ["listMyShifts", "GET /api/planner/my-shifts?project_id={project}2"],
  ["changeShift", "PATCH /api/planner/shifts/{shift}", { ...once, members: ["ann"] }],
  ["changeShift", "PATCH /api/planner/shifts/{shift}", { ...once, ends_at: "2030-01-01T17:00:00Z" }],
  ["extendShift", "POST /api/planner/shifts/{shift}/extend", { ...once, ends_at: "2030-01-01T17:00:00Z" }],
  ["cancelShift", "POST /api/planner/shifts/{shift}/cancel", { ...once, reason: "Ours now" }],
  [
    "copyShifts",
    "POST /api/planner/shifts/copy",
    { ...once, project_id: "{project}2", from: "2030-01-01", to: "2030-01-08", time_zone: "UTC" },
  ],
  ["createShiftPattern", "POST /api/planner/shift-patterns", { ...once, ...pattern, members: ["{member}"] }],
  [
    "createShiftPattern",
    "POST /api/planner/shift-patterns",
    { ...once, ...pattern, members: ["ann"], project_id: "{project}2" },
  ],
  ["listShiftPatterns", "GET /api/planner/shift-patterns"],
  ["listShiftPatterns", "GET /api/planner/shift-patterns?project_id={project}2"],
  ["getShiftPattern", "GET /api/planner/shift-patterns/{pattern}"],
  ["changeShiftPattern", "PATCH /api/planner/shift-patterns/{pattern}", { ...once, name: "Ours now" }],
  ["endShiftPattern", "POST /api/planner/shift-patterns/{pattern}/end", once],
  ["createTemplate", "POST /api/planner/templates", { ...once, ...template, project_id: "{project}2" }],
  ["listTemplates", "GET /api/planner/templates"],
  ["listTemplates", "GET /api/planner/templates?project_id={project}2"],
  ["getTemplate", "GET /api/planner/templates/{template}"],
  ["deleteTemplate", "DELETE /api/planner/templates/{template}"],
  ["createInstance", "POST /api/planner/templates/{template}/instances", { ...once, serial: "1" }],
  ["getPolicy", "GET /api/planner/projects/{project}2/policy"],
  ["changePolicy", "PATCH /api/planner/projects/{project}2/policy", { ...once, min_skill_to_take: 4 }],
];

type Asking = (what: string, body: object) => Promise<Record<string, string>>;

/** Creates planner data: a task with a hold and an escalation, a defect, a deliverable, a shift. */
export async function floorOf(ask: Asking, project_id: string, member: string) {
  const send = async (path: string, body: object) =>
    ask(`POST /api/planner${path}`, { client_event_id: randomUUID(), ...body });
  const idIn = (answer: object, part: string) => (answer as Record<string, { id: string }>)[part]!.id;
  const { id: deliverable } = await send("/deliverables", {
    project_id,
    type: "Their own words",
    serial: "1",
  });
  const words = { title: "Their own secret", description: "Their own words" };
  const { id: piece } = await send("/tasks", { ...words, project_id, deliverable_id: deliverable });
  const assign = { action: "assign", payload: { assign_to: "ann" }, expected_row_version: 1 };
  await send(`/tasks/${piece}/transitions`, assign);
  const reason = "Their own words";
  const hold = idIn(await send(`/tasks/${piece}/holds`, { kind: "other", reason }), "hold");
  const call = { reason: "other", text: reason };
  const escalation = idIn(await send(`/tasks/${piece}/escalations`, call), "escalation");
  const { id: defect } = await send(`/tasks/${piece}/report-defect`, { description: reason });
  const { id: shift } = await send("/shifts", { ...hours, project_id, members: [member] });
  const { id: templateId } = await send("/templates", { ...template, project_id });
  const recurring = await send("/shift-patterns", { ...pattern, project_id, members: [member] });
  return {
    pattern: idIn(recurring, "pattern"),
    template: templateId!,
    piece: piece!,
    hold,
    escalation,
    defect: defect!,
    deliverable: deliverable!,
    shift: shift!,
  };
}
