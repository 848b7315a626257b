import type { Write } from "./statement.ts";

// Runs after the journal row is written: a trigger refuses to delete an unfinished task whose removal is not in the journal.
const REMOVE_TASKS = `
  with removed as (
    delete from pawl.task t where t.org_id = $1 and t.id = any($2::uuid[]) returning t.id
  ), dependencies as (
    delete from pawl.dependency d using removed where d.org_id = $1 and d.task_id = removed.id
  ), holds as (
    delete from pawl.hold h using removed where h.org_id = $1 and h.task_id = removed.id
  )
  delete from pawl.heartbeat b using removed where b.org_id = $1 and b.task_id = removed.id`;

/** Deletes tasks with their dependencies, holds and heartbeats; their journals and requests stay. */
export function removeTasks(org_id: string, ids: readonly string[]): Write {
  return { text: REMOVE_TASKS, params: [org_id, ids] };
}
