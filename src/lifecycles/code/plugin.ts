import type { Task } from "../../core/index.ts";
import { definePlugin, lockBlockers, namedBlockers, query, saveDependencies } from "../../plugin/index.ts";
import type { EffectItem, CreateTasks, NewTask, Tx } from "../../plugin/index.ts";
import { findClearingTasks } from "./sql/find-clearing-tasks.ts";
import { addCodeCommands } from "./cli/commands.ts";
import { code } from "./lifecycle.ts";
import { CODE_PROBLEMS } from "./problems.ts";
import { codeRoutes } from "./routes.ts";
import { CODE_SETTINGS } from "./settings.ts";
import { deleteDiffs } from "./sql/diff.ts";
import { deleteOutput } from "./sql/output.ts";
import { replaceBlockers } from "./sql/replace-blockers.ts";
import { deleteUsage } from "./sql/usage.ts";
import { CODE_TEXTS } from "./texts.ts";
import { saveReportedUsage, spentToday } from "./usage-service.ts";

/** The queue for coding agents in git worktrees. */
const plugin = definePlugin({
  lifecycle: code,
  problems: CODE_PROBLEMS,
  settings: CODE_SETTINGS,
  migrations: new URL("./migrations/", import.meta.url),
  facts: {
    named_blocker: namedBlockers,
    spent_today: spentToday,
  },
  effects: {
    add_blocker: async (tx, items, _now, makeTasks) => {
      const [{ org_id } = { org_id: "" }] = items;
      const clearing = await clearingTasks(tx, org_id, items, makeTasks);
      const { text, params } = saveDependencies(
        org_id,
        items.map((item) => ({
          task_id: item.task.id,
          blocker_id: textOf(item.effect.blocker_id).toLowerCase() || clearing(item),
          on_failure: "wait",
          resolved: false,
        })),
      );
      await query(tx, text, params);
    },
    save_usage: (tx, items, now) => saveReportedUsage(tx, items, now),
    replace_blocker: async (tx, items) => {
      const edges = items.map(({ task, effect }) => ({
        task_id: task.id,
        blocker_id: String(effect.blocker_id),
        replacement_id: String(effect.replacement_id),
      }));
      await replaceBlockers(tx, items[0]?.org_id ?? "", edges);
    },
  },
  prune: {
    removeOfTasks: async (tx, org_id, ids) => {
      await deleteOutput(tx, org_id, ids);
      await deleteDiffs(tx, org_id, ids);
      await deleteUsage(tx, org_id, ids);
    },
  },
  routes: codeRoutes,
  commands: addCodeCommands,
  ui: {
    module: new URL("./ui/index.js", import.meta.url),
    tabs: {
      workers: { en: "Workers", ru: "Воркеры" },
      merges: { en: "Merges", ru: "Слияния" },
      usage: { en: "Usage", ru: "Расход" },
      graph: { en: "Graph", ru: "Граф" },
    },
    panel: "attempts",
    texts: CODE_TEXTS,
  },
  demo: () => import("./demo/scene.ts"),
});

// The compiler does not rewrite `import()` inside of `export default`.
export default plugin;

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Finds the task that clears each described obstacle, or creates one. */
async function clearingTasks(
  tx: Tx,
  org_id: string,
  items: readonly EffectItem[],
  makeTasks: CreateTasks,
): Promise<(item: EffectItem) => string> {
  const described = items.filter(({ effect }) => effect.blocker_id === null);
  if (described.length === 0) return () => "";
  const keyOf = (project_id: string, description: unknown) => `${project_id}\u0000${textOf(description)}`;
  const existing = await findClearingTasks(
    tx,
    org_id,
    [...new Set(described.map(({ task }) => task.project_id))],
    described.map(({ effect }) => textOf(effect.description)),
  );
  await lockBlockers(
    tx,
    org_id,
    existing.map(({ id }) => id),
  );
  const ids = new Map(existing.map((row) => [keyOf(row.project_id, row.description), row.id]));
  for (const { task, actor, effect } of described) {
    const key = keyOf(task.project_id, effect.description);
    if (ids.has(key)) continue;
    const { tasks } = await makeTasks(actor, [clearingTask(task, textOf(effect.description))]);
    ids.set(key, tasks[0]?.id ?? "");
  }
  return ({ task, effect }) => ids.get(keyOf(task.project_id, effect.description)) ?? "";
}

/** Has the priority, the repository and the review of the task that waits for it. */
function clearingTask({ id, project_id, priority, data }: Task, description: string): NewTask {
  const title = `Clear the way: ${description.split("\n", 1)[0] ?? ""}`.slice(0, 200);
  const { repository = null, review = null } = data;
  return { lifecycle: "code", project_id, priority, title, description, clears: id, repository, review };
}
