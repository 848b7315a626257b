import type { Client } from "../../../client/index.ts";
import { PLANNER_ROUTES } from "../api.ts";
import type { PlannerTask } from "../api.ts";
import type { DemoLanguage, DemoMember, DemoScript, Stage } from "../../../plugin/index.ts";
import { PLANNER_EN } from "./planner-work-en.ts";
import { PLANNER_RU } from "./planner-work-ru.ts";
import { CREWS, lampsIn, LEADS } from "./planner-work.ts";
import type { PlannerContent, Trade } from "./planner-work.ts";

const CONTENT: Readonly<Record<DemoLanguage, PlannerContent>> = { en: PLANNER_EN, ru: PLANNER_RU };

export const members: DemoScript["members"] = (language) => {
  const { names, trades } = CONTENT[language];
  const maker = (id: keyof typeof names, skill_level: number, known: readonly Trade[]): DemoMember => ({
    id,
    name: names[id],
    kind: "human",
    roles: ["executor"],
    skill_level,
    specializations: known.map((trade) => trades[trade]),
  });
  return [
    { id: "nina", name: names.nina, kind: "human", roles: ["supervisor"] },
    ...LEADS.map((id) => ({ id, name: names[id], kind: "human" as const, roles: ["lead"] })),
    maker("amir", 6, ["assembly"]),
    maker("boris", 8, ["wiring", "assembly"]),
    maker("clara", 5, ["finishing"]),
    maker("david", 4, ["wiring"]),
    maker("eva", 7, ["finishing", "assembly"]),
    maker("farid", 3, ["assembly"]),
  ];
};

/** The skill required to take a task. */
export const projects: DemoScript["projects"] = [
  { id: "main", settings: { planner: { min_skill_to_take: 3 } } },
];

export const visitor: DemoScript["visitor"] = (language) => ({
  roles: ["supervisor", "executor"],
  skill_level: 9,
  specializations: Object.values(CONTENT[language].trades),
});

const project_id = "main";
const MAX_LAMPS = 6;
const INITIAL_LAMPS = 3;
/** The crews change every ten minutes. */
const SHIFT_MS = 600_000;
const UNFINISHED = ["blocked", "available", "assigned", "in_progress", "submitted"] as const;

/** Two crews alternate: they take work from the pool, submit it and call for help; leads review, place holds and order fixes. */
export async function play(stage: Stage): Promise<void> {
  const nina = plannerOf(stage.as("nina"));
  await planShift(nina);
  const { deliverables } = await nina.listDeliverables({ project_id, limit: 1 });
  for (let lamps = deliverables.length; lamps < INITIAL_LAMPS; lamps++)
    await stage.attempt(() => planLamp(stage, nina));
  await stage.together([
    stage.keepOn([20, 40], () => supervise(stage, nina)),
    // One lead at a time: two that answer the same call at once would get a refusal.
    stage.keepOn([5, 11], () => review(stage, plannerOf(stage.as(stage.chance.pick(LEADS))))),
    ...CREWS.flat().map((maker) => stage.keepOn([8, 20], () => workOn(stage, maker))),
  ]);
}

function plannerOf(client: Client) {
  return client.calls(PLANNER_ROUTES);
}
type Planner = ReturnType<typeof plannerOf>;

async function supervise(stage: Stage, nina: Planner): Promise<unknown> {
  await planShift(nina);
  const { deliverables } = await nina.listDeliverables({
    project_id,
    status: ["open", "qc_rejected"],
    limit: 100,
  });
  if (deliverables.length < MAX_LAMPS) return planLamp(stage, nina);
  return undefined;
}

/** Plans a shift for the crew of this time slot, if no shift is running. */
async function planShift(nina: Planner): Promise<void> {
  const { shifts } = await nina.listShifts({ project_id, running: true });
  if (shifts.length > 0) return;
  const now = Date.now();
  const turn = Math.floor(now / SHIFT_MS);
  const [starts_at, ends_at] = [now, (turn + 1) * SHIFT_MS].map((at) => new Date(at).toISOString());
  const members = CREWS[turn % CREWS.length];
  if (starts_at === undefined || ends_at === undefined || members === undefined) return;
  await nina.createShift({ project_id, starts_at, ends_at, members: [...members] });
}

async function planLamp(stage: Stage, nina: Planner): Promise<void> {
  const { chance, language } = stage;
  const { type, steps } = chance.pick(lampsIn(CONTENT[language]));
  const serial = `${type.charAt(0)}-${chance.whole(1_000, 9_999)}`;
  const { id: deliverable_id } = await nina.createDeliverable({ project_id, type, serial });
  const taskIds = new Map<string, string>();
  for (const { key, title, description, required_trade, priority, after } of steps) {
    const depends_on = after.flatMap((one) => taskIds.get(one) ?? []);
    const task = await nina.createPlannerTask({
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
  const { callsForHelp, resolutions } = CONTENT[stage.language];
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
    return step(planner, task, "submit", task.kind === "fix" ? { resolution: chance.pick(resolutions) } : {});
  if (lot < 0.68 && !task.needs_attention)
    return planner.openEscalation({
      id: task.id,
      expected_row_version: task.row_version,
      ...chance.pick(callsForHelp),
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
  const { fix, holds, recalls } = CONTENT[stage.language];
  const { tasks } = await planner.listPlannerTasks({ project_id, status: [...UNFINISHED], limit: 200 });
  const submitted = chance.pick(tasks.filter(({ status }) => status === "submitted"));
  if (submitted && chance.happens(0.8)) {
    return chance.happens(0.8)
      ? step(planner, submitted, "review_approve")
      : reject(stage, planner, submitted);
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
  if (blocked && chance.happens(0.2)) return planner.placeHold({ id: blocked.id, ...chance.pick(holds) });
  const { defects } = await planner.listDefects({ project_id, fixed: false, limit: 100 });
  const atWork = new Set(tasks.map(({ id }) => id));
  const unfixed = defects.find(({ task_id, fix_task_id }) => fix_task_id === null && !atWork.has(task_id));
  if (unfixed && chance.happens(0.3)) {
    const { id, title } = await planner.getPlannerTask({ id: unfixed.task_id });
    return planner.fixPlannerTask({ id, defect_id: unfixed.id, title: `${fix}: ${title}` });
  }
  const assigned = chance.pick(tasks.filter(({ status }) => status === "assigned"));
  if (assigned && chance.happens(0.1))
    return step(planner, assigned, "recall_to_pool", { reason: chance.pick(recalls) });
  return inspect(stage, planner, tasks);
}

/** Rejects submitted work; some of its defects get a fix-task at once, which has a title in the demo's language. */
async function reject(stage: Stage, planner: Planner, submitted: PlannerTask): Promise<unknown> {
  const { chance } = stage;
  const { fix, rejections } = CONTENT[stage.language];
  const { reason, defect } = chance.pick(rejections);
  const { id, kind, title } = submitted;
  // A fix-task gets no fix-task of its own.
  if (kind === "fix") return step(planner, submitted, "review_reject", { reason });
  if (chance.happens(0.6)) return step(planner, submitted, "review_reject", { reason, defect });
  await planner.fixPlannerTask({ id, defect, title: `${fix}: ${title}` });
  return step(planner, await planner.getPlannerTask({ id }), "review_reject", { reason });
}

async function help(stage: Stage, planner: Planner, { id }: PlannerTask): Promise<unknown> {
  const { escalations } = await planner.listEscalations({ id });
  const open = escalations.find(({ resolved_at }) => resolved_at === null);
  const { answers } = CONTENT[stage.language];
  return open && planner.resolveEscalation({ id, escalation_id: open.id, note: stage.chance.pick(answers) });
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
      act: `${CONTENT[stage.language].report}-${lamp.serial}`,
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
