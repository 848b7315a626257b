import type { Instant } from "../../core/index.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { lookAtTasks } from "../sql/look-at-tasks.ts";
import { taskOfCells } from "../sql/task-columns.ts";
import type { Runs } from "../transaction.ts";
import type { LoadedTask } from "./work.ts";

type Looked = {
  now: Instant;
  tasks: Map<string, LoadedTask>;
  /** The version of the org's settings, and those of each project that was seen, as text. */
  settings_version: number;
  settings: Map<string, string>;
  /** The given keys that were used before. */
  used: ReadonlySet<string>;
};

/** Tasks and what lies beside them as of one moment, without a lock; tasks of unknown lifecycles are left out. */
export async function look(
  registry: LifecycleRegistry,
  tx: Runs,
  org_id: string,
  ids: readonly string[],
  keys: readonly string[] = [],
): Promise<Looked> {
  const rows = await lookAtTasks(tx, org_id, ids, keys);
  const used = new Set(rows[0]?.[36]);
  const looked: Looked = { now: 0, tasks: new Map(), settings_version: 0, settings: new Map(), used };
  for (const cells of rows) {
    const [id, place, writer, name] = cells;
    const [token, beat_at, until, stored, settings_version, now] = [
      cells[30],
      cells[31] ?? 0,
      cells[32] ?? 0,
      cells[33] ?? "{}",
      cells[34],
      cells[35],
    ];
    const lifecycle = registry.lifecycles.get(name);
    Object.assign(looked, { now, settings_version });
    if (!lifecycle) continue;
    const task = taskOfCells(org_id, cells, token === null ? undefined : { token, beat_at, until });
    looked.settings.set(task.project_id, stored);
    const settings = registry.settingsFor(lifecycle, stored);
    looked.tasks.set(id, { lifecycle, task, place, writer, settings, awaited: cells[29] ?? false });
  }
  return looked;
}
