import { v7 as uuidv7 } from "uuid";
import type { JsonObject } from "../../core/index.ts";
import { definePlugin, query, saveDependencies } from "../../plugin/index.ts";
import type { EffectHandler, EffectItem } from "../../plugin/index.ts";
import { addPlannerCommands } from "./cli/commands.ts";
import { planner } from "./lifecycle.ts";
import { PLANNER_PROBLEMS } from "./problems.ts";
import { plannerRoutes } from "./routes.ts";
import { plannerCreationFacts, plannerFactLoaders } from "./facts.ts";
import { newDefect } from "./new-defect.ts";
import type { DefectInput } from "./new-defect.ts";
import { sweepShifts } from "./sweep-shifts.ts";
import { closeDefects, listDefects, recordDefects, assignFixTasks } from "./sql/defects.ts";
import { closeEscalations, openEscalations } from "./sql/escalations.ts";
import { reopenDeliverables } from "./sql/deliverables.ts";
import type { AddedWork } from "./sql/deliverables.ts";
import { findUnderRepair, deleteRecordsOf, unlinkTasks } from "./sql/forget-tasks.ts";
import { saveLinks } from "./sql/links.ts";
import type { Link } from "./sql/links.ts";
import { PLANNER_FIELDS } from "./field-ui.ts";
import { PLANNER_TEXTS } from "./texts.ts";

const effects: Record<string, EffectHandler> = {
  link_task: async (tx, items, now) => {
    const org_id = orgOf(items);
    await saveLinks(tx, org_id, items.flatMap(linksOf));
    await reopenDeliverables(tx, org_id, items.flatMap(addedWorkOf), now);
  },
  open_escalation: async (tx, items, now) => {
    const opened = items.map(({ task, actor, effect }) => ({
      id: uuidv7(),
      task_id: task.id,
      reason: effect.reason as string,
      text: effect.text as string | null,
      opened_by: actor.id,
    }));
    await openEscalations(tx, orgOf(items), opened, now);
    return opened.map((one) => ({
      ...one,
      opened_at: now,
      note: null,
      resolved_by: null,
      resolved_at: null,
    }));
  },
  close_escalation: async (tx, items, now) => {
    const resolved = items.map(({ actor, effect }) => ({
      id: (effect.escalation_id as string).toLowerCase(),
      note: effect.note as string,
      resolved_by: actor.id,
    }));
    const closed = await closeEscalations(tx, orgOf(items), resolved, now);
    const byId = new Map(closed.map((one) => [one.id, one]));
    return resolved.map(({ id }) => byId.get(id) ?? null);
  },
  record_defect: async (tx, items, now) => {
    const defects = items.map(({ task, actor, effect }) => {
      const [of, fix_task_id] = [effect.of as string, effect.fixed_here ? task.id : null];
      const links = { project_id: task.project_id, task_id: of, fix_task_id };
      return newDefect(effect.defect as DefectInput, links, actor, now);
    });
    await recordDefects(tx, orgOf(items), defects, now);
    return defects;
  },
  take_defect_in_hand: async (tx, items) => {
    const fixes = items.map(({ task, effect }) => ({ id: effect.defect_id as string, fix_task_id: task.id }));
    await assignFixTasks(tx, orgOf(items), fixes);
    const ids = fixes.map(({ id }) => id);
    const rows = await listDefects(tx, orgOf(items), { projects: null, ids, limit: ids.length });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id.toLowerCase()) ?? null);
  },
  // The rejected task is still submitted in the database: its move is written after all effects.
  create_fix: async (_tx, items, _now, makeTasks) => {
    const fixes: JsonObject[] = [];
    for (const { task, actor, effect } of items) {
      const { project_id, id: fix_of_task_id } = task;
      const fix = { lifecycle: "planner", project_id, fix_of_task_id, defect: effect.defect };
      const { tasks, made } = await makeTasks(actor, [fix]);
      fixes.push({ fix_task: tasks[0], defect: made[0]?.record_defect });
    }
    return fixes;
  },
  close_defect: (tx, items, now) =>
    closeDefects(
      tx,
      orgOf(items),
      items.map(({ task, effect }) => ({
        fix_task_id: task.id,
        how_fixed: effect.how_fixed as string | null,
        fixed_by: effect.fixed_by as string | null,
      })),
      now,
    ),
  add_dependency: async (tx, items) => {
    const edges = items.map(({ task, effect }) => ({
      task_id: task.id,
      blocker_id: String(effect.blocker_id),
      on_failure: "wait" as const,
      resolved: false,
    }));
    const { text, params } = saveDependencies(orgOf(items), edges);
    await query(tx, text, params);
  },
  forget_task: (tx, items) =>
    unlinkTasks(
      tx,
      orgOf(items),
      items.map(({ task }) => task.id),
    ),
};

/** The production planner. */
const plugin = definePlugin({
  lifecycle: planner,
  problems: PLANNER_PROBLEMS,
  migrations: new URL("./migrations/", import.meta.url),
  facts: plannerFactLoaders,
  creationFacts: plannerCreationFacts,
  effects,
  sweep: { run: sweepShifts },
  prune: { keep: findUnderRepair, removeOfTasks: deleteRecordsOf },
  routes: plannerRoutes,
  commands: addPlannerCommands,
  ui: {
    module: new URL("./ui/index.js", import.meta.url),
    tabs: {
      attention: { en: "Attention", ru: "Внимание" },
      pool: { en: "Pool", ru: "Пул" },
      review: { en: "Review", ru: "Проверка" },
      shifts: { en: "Shifts", ru: "Смены" },
      week: { en: "Week", ru: "Неделя" },
      quality: { en: "Quality", ru: "Качество" },
      stats: { en: "Statistics", ru: "Статистика" },
      work: { en: "My work", ru: "Моя работа", first_for: ["executor"] },
      graph: { en: "Graph", ru: "Граф" },
    },
    texts: PLANNER_TEXTS,
    fields: PLANNER_FIELDS,
  },
  demo: () => import("./demo/scene.ts"),
});

// The compiler does not rewrite `import()` inside of `export default`.
export default plugin;

/** Returns the links that an effect sets or clears; it leaves others unchanged. */
function linksOf({ task, effect }: EffectItem): Link[] {
  return (["deliverable", "parent", "fix"] as const)
    .filter((kind) => effect[kind] !== undefined)
    .map((kind) => ({ task_id: task.id, kind, target: effect[kind] as string | null }));
}

/** Returns the deliverable that an effect adds a task to. Only unfinished tasks are added. */
function addedWorkOf({ task, actor, effect }: EffectItem): AddedWork[] {
  const target = effect.deliverable as string | null | undefined;
  return target == null ? [] : [{ target, task_id: task.id, actor_id: actor.id }];
}

function orgOf(items: readonly EffectItem[]): string {
  return items[0]?.org_id ?? "";
}
