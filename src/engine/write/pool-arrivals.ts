import type { Instant, Lifecycle, Task } from "../../core/index.ts";

/** Tasks that can be claimed from a pool: now, or from `available_at` on. */
export type PoolArrival = {
  lifecycle: string;
  project_id: string;
  available_at: Instant | null;
  tasks: number;
};

/** Tasks that entered pools; claims waiting there are notified after the commit. Only a hint: it may count too many. */
export class PoolArrivals {
  private readonly arrivals = new Map<string, PoolArrival>();

  add({ lifecycle, project_id, available_at, tasks }: PoolArrival): void {
    const key = `${lifecycle} ${available_at ?? ""} ${project_id}`;
    const known = this.arrivals.get(key);
    if (known) known.tasks += tasks;
    else this.arrivals.set(key, { lifecycle, project_id, available_at, tasks });
  }

  /** Adds a task if it is in its pool now. */
  addPooled({ pool }: Lifecycle, { status, lifecycle, project_id, available_at }: Task): void {
    if (pool?.from === status) this.add({ lifecycle, project_id, available_at, tasks: 1 });
  }

  list(): PoolArrival[] {
    return [...this.arrivals.values()];
  }
}
