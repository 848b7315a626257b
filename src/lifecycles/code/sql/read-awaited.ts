import { query } from "../../../plugin/index.ts";
import type { Tx } from "../../../plugin/index.ts";

const READ_AWAITED = `
  select d.task_id, d.blocker_id, d.on_failure, d.resolved, b.project_id, b.title, b.status, b.private, b.created_by,
    b.assigned_to
  from pawl.dependency d
  join pawl.task b on b.org_id = d.org_id and b.id = d.blocker_id
  where d.org_id = $1 and d.task_id = any($2::uuid[])
  order by d.task_id, d.blocker_id`;

export type AwaitedRow = {
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

/** What tasks wait for, or have waited for. */
export function readAwaited(tx: Tx, org_id: string, ids: readonly string[]): Promise<AwaitedRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : query<AwaitedRow>(tx, READ_AWAITED, [org_id, ids]);
}
