import type { Instant } from "../../core/index.ts";
import type { LifecycleRegistry } from "../lifecycle-registry.ts";
import { readTaskSnapshot } from "../sql/read-task-snapshot.ts";
import { taskOfCells } from "../sql/task-columns.ts";
import type { Queryable } from "../transaction.ts";
import type { LoadedTask } from "./work.ts";

type Snapshot = {
  now: Instant;
  tasks: Map<string, LoadedTask>;
  /** The version of the org's settings. */
  settings_version: number;
  /** The settings of the tasks' projects, as text. */
  settings: Map<string, string>;
  /** The given keys that were used before. */
  used: ReadonlySet<string>;
};

/** Reads tasks, heartbeats, settings and the clock in one snapshot, without locks. Leaves out tasks of unknown lifecycles. */
export async function readSnapshot(
  registry: LifecycleRegistry,
  tx: Queryable,
  org_id: string,
  ids: readonly string[],
  keys: readonly string[] = [],
): Promise<Snapshot> {
  const rows = await readTaskSnapshot(tx, org_id, ids, keys);
  const used = new Set(rows[0]?.[37]);
  const snapshot: Snapshot = { now: 0, tasks: new Map(), settings_version: 0, settings: new Map(), used };
  for (const cells of rows) {
    const [id, ctid, xmin, name] = cells;
    const [token, beat_at, until, stored, settings_version, now] = [
      cells[31],
      cells[32] ?? 0,
      cells[33] ?? 0,
      cells[34] ?? "{}",
      cells[35],
      cells[36],
    ];
    const lifecycle = registry.lifecycles.get(name);
    Object.assign(snapshot, { now, settings_version });
    if (!lifecycle) continue;
    const task = taskOfCells(org_id, cells, token === null ? undefined : { token, beat_at, until });
    snapshot.settings.set(task.project_id, stored);
    const settings = registry.settingsFor(lifecycle, stored);
    snapshot.tasks.set(id, { lifecycle, task, ctid, xmin, settings, awaited: cells[29] ?? false });
  }
  return snapshot;
}
