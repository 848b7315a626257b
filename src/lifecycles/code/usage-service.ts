import type { JsonObject } from "../../core/index.ts";
import type { Caller, EffectItem, Engine, Tx } from "../../plugin/index.ts";
import { readSpentToday, saveUsage, sumUsage } from "./sql/usage.ts";
import type { UsageRow } from "./sql/usage.ts";
import type { Usage } from "./usage.ts";

/** Loads the usage of each task's project on the current day. */
export async function spentToday(
  tx: Tx,
  org_id: string,
  requests: readonly { task: { project_id: string } }[],
): Promise<{ cost_usd: number; tokens: number }[]> {
  const spent = await readSpentToday(tx, org_id, [...new Set(requests.map(({ task }) => task.project_id))]);
  return requests.map(({ task }) => spent.get(task.project_id) ?? { cost_usd: 0, tokens: 0 });
}

/** Saves the usage that `record_usage` reports. */
export async function saveReportedUsage(tx: Tx, items: readonly EffectItem[], now: number): Promise<void> {
  // The last report of an attempt replaces those before it.
  const rows = new Map(
    items.map(({ task, effect }) => [`${task.id} ${String(effect.run)}`, rowOf(task, effect)]),
  );
  await saveUsage(tx, items[0]?.org_id ?? "", [...rows.values()], now);
}

function rowOf({ id, project_id }: { id: string; project_id: string }, effect: JsonObject): UsageRow {
  const { run, agent, model, input_tokens, cached_tokens, output_tokens, cost_usd } = effect as Usage & {
    run: number;
    agent: string;
    model?: string | null;
  };
  return {
    ...{ task_id: id, project_id, run, agent, model: model ?? null },
    ...{ input_tokens, cached_tokens, output_tokens, cost_usd: cost_usd ?? null },
  };
}

/** Sums the usage of a project, with its total and the spending of the current day. */
export async function usageReport(
  engine: Engine,
  { org_id, actor }: Caller,
  filter: { project_id: string; by: "day" | "agent" | "task"; days: number; limit: number },
) {
  return engine.transaction(async (tx) => {
    const [rows, today] = await Promise.all([
      sumUsage(tx, org_id, { ...filter, reader: actor.id }),
      readSpentToday(tx, org_id, [filter.project_id]),
    ]);
    const { by, project_id } = filter;
    return {
      by,
      rows: rows.map(({ title, ...row }) => ({ ...row, title: by === "task" ? title : null })),
      today: today.get(project_id) ?? { cost_usd: 0, tokens: 0 },
    };
  });
}
