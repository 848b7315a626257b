import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const READ_TASK_BLOCKERS = `
  select d.task_id, d.blocker_id, d.on_failure, d.resolved, b.project_id, b.title, b.status, b.private, b.readers, b.created_by,
    b.assigned_to
  from pawl.dependency d
  join pawl.task b on b.org_id = d.org_id and b.id = d.blocker_id
  where d.org_id = $1 and d.task_id = any($2::uuid[])
  order by d.task_id, d.blocker_id`;

export type BlockerRow = {
  task_id: string;
  blocker_id: string;
  on_failure: "wait" | "proceed" | "fail";
  resolved: boolean;
  project_id: string;
  title: string;
  status: string;
  private: boolean;
  created_by: string | null;
  assigned_to: string | null;
};

/** Reads the blockers of tasks, resolved ones too. */
export function readTaskBlockers(tx: Tx, org_id: string, ids: readonly string[]): Promise<BlockerRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : query<BlockerRow>(tx, READ_TASK_BLOCKERS, [org_id, ids]);
}
