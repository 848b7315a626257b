import type { Instant, Lifecycle, Task } from "../core/index.ts";
import { outermost } from "./transaction.ts";
import type { Tx } from "./transaction.ts";

/** Tasks that somebody may take from a pool: now, or from a moment on. */
export type Freed = { lifecycle: string; project_id: string; available_at: Instant | null; tasks: number };

const NOTED = new WeakMap<Tx, FreedTasks>();

/** What came into pools, to be told to those who wait there once it is committed. Only a hint: it may be too much. */
export class FreedTasks {
  private readonly found = new Map<string, Freed>();

  /** The same work, whose transaction notes here what it sets free. */
  noting<Rest extends unknown[], Done>(work: (tx: Tx, ...rest: Rest) => Done) {
    return (tx: Tx, ...rest: Rest): Done => {
      NOTED.set(tx, this);
      return work(tx, ...rest);
    };
  }

  add({ lifecycle, project_id, available_at, tasks }: Freed): void {
    const key = `${lifecycle} ${available_at ?? ""} ${project_id}`;
    const known = this.found.get(key);
    if (known) known.tasks += tasks;
    else this.found.set(key, { lifecycle, project_id, available_at, tasks });
  }

  list(): Freed[] {
    return [...this.found.values()];
  }
}

/** Takes a task down that lies in its pool now. */
export function noteFreed(tx: Tx, { pool }: Lifecycle, task: Task): void {
  if (pool?.from !== task.status) return;
  const { lifecycle, project_id, available_at } = task;
  NOTED.get(outermost(tx))?.add({ lifecycle, project_id, available_at, tasks: 1 });
}
