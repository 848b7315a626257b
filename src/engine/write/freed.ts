import type { Instant, Lifecycle, Task } from "../../core/index.ts";

/** Tasks that somebody may take from a pool: now, or from a moment on. */
export type Freed = { lifecycle: string; project_id: string; available_at: Instant | null; tasks: number };

/** What came into pools, to be told to those who wait there once it is committed. Only a hint: it may be too much. */
export class FreedTasks {
  private readonly found = new Map<string, Freed>();

  add({ lifecycle, project_id, available_at, tasks }: Freed): void {
    const key = `${lifecycle} ${available_at ?? ""} ${project_id}`;
    const known = this.found.get(key);
    if (known) known.tasks += tasks;
    else this.found.set(key, { lifecycle, project_id, available_at, tasks });
  }

  /** Adds a task if it lies in its pool now. */
  addPooled({ pool }: Lifecycle, { status, lifecycle, project_id, available_at }: Task): void {
    if (pool?.from === status) this.add({ lifecycle, project_id, available_at, tasks: 1 });
  }

  list(): Freed[] {
    return [...this.found.values()];
  }
}
