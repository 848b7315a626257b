import type { Client } from "../../../client/index.ts";
import { PLANNER_ROUTES } from "../api.ts";
import type { PlannerTask } from "../api.ts";
import type { DemoScript, Stage } from "../../../plugin/index.ts";
import { ANSWERS, CALLS_FOR_HELP, HOLDS, LAMPS, RECALLS, REJECTIONS, RESOLUTIONS } from "./planner-work.ts";

type NewMember = DemoScript["members"][number];

/** The crews alternate, one shift each. */
const CREWS = [
  ["amir", "bea", "chen"],
  ["dario", "elsa", "farid"],
] as const;

export const members: DemoScript["members"] = [
  { id: "ingrid", name: "Ingrid Sørensen", kind: "human", roles: ["supervisor"] },
  { id: "kofi", name: "Kofi Mensah", kind: "human", roles: ["lead"] },
  { id: "lena", name: "Lena Brandt", kind: "human", roles: ["lead"] },
  maker("amir", "Amir Haddad", 6, ["assembly"]),
  maker("bea", "Bea Kowalska", 8, ["wiring", "assembly"]),
  maker("chen", "Chen Wei", 5, ["finishing"]),
  maker("dario", "Dario Conti", 4, ["wiring"]),
  maker("elsa", "Elsa Nyström", 7, ["finishing", "assembly"]),
  maker("farid", "Farid Rahimi", 3, ["assembly"]),
];

/** The skill required to take a task. */
export const projects: DemoScript["projects"] = [
  { id: "main", settings: { planner: { min_skill_to_take: 3 } } },
];

export const visitor: DemoScript["visitor"] = {
  roles: ["supervisor", "executor"],
  skill_level: 9,
  specializations: ["assembly", "wiring", "finishing"],
};

function maker(id: string, name: string, skill_level: number, specializations: string[]): NewMember {
  return { id, name, kind: "human", roles: ["executor"], skill_level, specializations };
}

const project_id = "main";
const LEADS = ["kofi", "lena"] as const;
const MAX_LAMPS = 6;
const INITIAL_LAMPS = 3;
/** The crews change every ten minutes. */
const SHIFT_MS = 600_000;
const UNFINISHED = ["blocked", "available", "assigned", "in_progress", "submitted"] as const;

/** Two crews alternate: they take work from the pool, submit it and call for help; leads review, place holds and order fixes. */
export async function play(stage: Stage): Promise<void> {
  const ingrid = plannerOf(stage.as("ingrid"));
  await planShift(ingrid);
  const { deliverables } = await ingrid.listDeliverables({ project_id, limit: 1 });
  for (let lamps = deliverables.length; lamps < INITIAL_LAMPS; lamps++)
    await stage.attempt(() => planLamp(stage, ingrid));
  await stage.together([
    stage.keepOn([20, 40], () => supervise(stage, ingrid)),
    // One lead at a time: two that answer the same call at once would get a refusal.
    stage.keepOn([5, 11], () => review(stage, plannerOf(stage.as(stage.chance.pick(LEADS))))),
    ...CREWS.flat().map((maker) => stage.keepOn([8, 20], () => workOn(stage, maker))),
  ]);
}

function plannerOf(client: Client) {
  return client.calls(PLANNER_ROUTES);
}
type Planner = ReturnType<typeof plannerOf>;

async function supervise(stage: Stage, ingrid: Planner): Promise<unknown> {
  await planShift(ingrid);
  const { deliverables } = await ingrid.listDeliverables({
    project_id,
    status: ["open", "qc_rejected"],
    limit: 100,
  });
  if (deliverables.length < MAX_LAMPS) return planLamp(stage, ingrid);
  return undefined;
}

/** Plans a shift for the crew of this time slot, if no shift is running. */
async function planShift(ingrid: Planner): Promise<void> {
  const { shifts } = await ingrid.listShifts({ project_id, running: true });
  if (shifts.length > 0) return;
  const now = Date.now();
  const turn = Math.floor(now / SHIFT_MS);
  const [starts_at, ends_at] = [now, (turn + 1) * SHIFT_MS].map((at) => new Date(at).toISOString());
  const members = CREWS[turn % CREWS.length];
  if (starts_at === undefined || ends_at === undefined || members === undefined) return;
  await ingrid.createShift({ project_id, starts_at, ends_at, members: [...members] });
}

async function planLamp(stage: Stage, ingrid: Planner): Promise<void> {
  const { chance } = stage;
  const { type, steps } = chance.pick(LAMPS);
  const serial = `${type.charAt(0)}-${chance.whole(1_000, 9_999)}`;
  const { id: deliverable_id } = await ingrid.createDeliverable({ project_id, type, serial });
  const taskIds = new Map<string, string>();
  for (const { key, title, description, required_trade, priority, after } of steps) {
    const depends_on = after.flatMap((one) => taskIds.get(one) ?? []);
    const task = await ingrid.createPlannerTask({
      project_id,
      title: `${title} (${serial})`,
      description,
      required_trade,
      priority,
      deliverable_id,
      depends_on,
    });
    taskIds.set(key, task.id);
  }
}

/** One step of an executor. New tasks are taken only during the crew's shift. */
async function workOn(stage: Stage, maker: string): Promise<unknown> {
  const { chance } = stage;
  const planner = plannerOf(stage.as(maker));
  const { tasks: mine } = await planner.listPlannerTasks({
    project_id,
    assigned_to: "me",
    status: ["assigned", "in_progress"],
    limit: 5,
  });
  const [task] = mine;
  if (!task) return isOnShift(maker) ? planner.claimPlannerTask({ project_id }) : undefined;
  if (task.status === "assigned") return step(planner, task, "start");
  const lot = chance.number();
  if (lot < 0.6)
    return step(planner, task, "submit", task.kind === "fix" ? { resolution: chance.pick(RESOLUTIONS) } : {});
  if (lot < 0.68 && !task.needs_attention)
    return planner.openEscalation({
      id: task.id,
      expected_row_version: task.row_version,
      ...chance.pick(CALLS_FOR_HELP),
    });
  return undefined;
}

function isOnShift(maker: string): boolean {
  const crew = CREWS[Math.floor(Date.now() / SHIFT_MS) % CREWS.length];
  return crew?.some((one) => one === maker) ?? false;
}

/** One step of a lead: first reviews, then calls for help, holds, defects and recalls, then quality control. */
async function review(stage: Stage, planner: Planner): Promise<unknown> {
  const { chance } = stage;
  const { tasks } = await planner.listPlannerTasks({ project_id, status: [...UNFINISHED], limit: 200 });
  const submitted = chance.pick(tasks.filter(({ status }) => status === "submitted"));
  if (submitted && chance.happens(0.8)) {
    if (chance.happens(0.8)) return step(planner, submitted, "review_approve");
    const { reason, defect } = chance.pick(REJECTIONS);
    // A fix-task gets no fix-task of its own.
    const found = submitted.kind === "fix" ? {} : { defect, create_fix: chance.happens(0.4) };
    return step(planner, submitted, "review_reject", { reason, ...found });
  }
  // Includes finished tasks, whose calls still need an answer.
  const { tasks: called } = await planner.listPlannerTasks({ project_id, needs_attention: true, limit: 50 });
  const [caller] = chance.some(called, 1);
  if (caller && chance.happens(0.6)) return help(stage, planner, caller);
  const held = chance.pick(tasks.filter(({ holds }) => holds.length > 0));
  const [hold] = held?.holds ?? [];
  if (held && hold && chance.happens(0.5)) return planner.releaseHold({ id: held.id, hold_id: hold.id });
  const blocked = chance.pick(
    tasks.filter(({ status, holds }) => status === "blocked" && holds.length === 0),
  );
  if (blocked && chance.happens(0.2)) return planner.placeHold({ id: blocked.id, ...chance.pick(HOLDS) });
  const { defects } = await planner.listDefects({ project_id, fixed: false, limit: 100 });
  const atWork = new Set(tasks.map(({ id }) => id));
  const unfixed = defects.find(({ task_id, fix_task_id }) => fix_task_id === null && !atWork.has(task_id));
  if (unfixed && chance.happens(0.3))
    return planner.fixPlannerTask({ id: unfixed.task_id, defect_id: unfixed.id });
  const assigned = chance.pick(tasks.filter(({ status }) => status === "assigned"));
  if (assigned && chance.happens(0.1))
    return step(planner, assigned, "recall_to_pool", { reason: chance.pick(RECALLS) });
  return inspect(stage, planner, tasks);
}

async function help(stage: Stage, planner: Planner, { id }: PlannerTask): Promise<unknown> {
  const { escalations } = await planner.listEscalations({ id });
  const open = escalations.find(({ resolved_at }) => resolved_at === null);
  return open && planner.resolveEscalation({ id, escalation_id: open.id, note: stage.chance.pick(ANSWERS) });
}

/** Inspects a submitted lamp, or submits one whose steps are all done. */
async function inspect(stage: Stage, planner: Planner, unfinished: readonly PlannerTask[]): Promise<unknown> {
  const { chance } = stage;
  const { deliverables: waiting } = await planner.listDeliverables({
    project_id,
    status: ["submitted_to_qc"],
  });
  const [lamp] = waiting;
  const measurements = { insulation_mohm: chance.whole(18, 40) / 10, lean_degrees: chance.whole(0, 9) / 10 };
  if (lamp)
    return planner.inspectDeliverable({
      id: lamp.id,
      result: "approved",
      measurements,
      act: `QC-${lamp.serial}`,
    });
  const busy = new Set(unfinished.map(({ deliverable_id }) => deliverable_id));
  const { deliverables: open } = await planner.listDeliverables({
    project_id,
    status: ["open", "qc_rejected"],
    limit: 100,
  });
  const finished = open.find(({ id }) => !busy.has(id));
  return finished && planner.submitDeliverable({ id: finished.id });
}

function step(
  planner: Planner,
  { id, row_version }: PlannerTask,
  action: string,
  payload: Record<string, unknown> = {},
): Promise<unknown> {
  return planner.movePlannerTask({ id, action, payload, expected_row_version: row_version });
}
