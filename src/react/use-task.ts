import type { SomeLifecycle, TaskOf } from "../client/lifecycle.ts";
import { useLive } from "./provider.ts";
import type { Live } from "./provider.ts";

/** A live task. */
export type LiveTask<L extends SomeLifecycle> = Omit<Live<unknown>, "data"> & { task: TaskOf<L> | undefined };

/** Returns a task, kept up to date. */
export function useTask<L extends SomeLifecycle = SomeLifecycle>(id: string): LiveTask<L> {
  const { data, ...known } = useLive(`task ${id}`, (client) => ({
    ask: (signal) => client.getTask({ id }, { signal }),
    concerns: ({ task_id }) => task_id === id,
  }));
  return { ...known, task: data };
}
