import type { SomeLifecycle, TaskOf, TaskQueryOf } from "../client/lifecycle.ts";
import { useLive } from "./provider.ts";
import type { Live } from "./provider.ts";

/** A live list of tasks. */
export type LiveTasks<L extends SomeLifecycle> = Omit<Live<unknown>, "data"> & {
  tasks: readonly TaskOf<L>[];
  /** Cursor of the next page; null on the last one. */
  cursor: string | null;
};

/** Returns the matching tasks, oldest first, kept up to date: `useTasks<typeof ticket>({ lifecycle: "ticket", status: ["open"] })`. */
export function useTasks<L extends SomeLifecycle = SomeLifecycle>(
  query: TaskQueryOf<L> & { lifecycle?: L["name"] } = {},
): LiveTasks<L> {
  const { status, ...rest } = query;
  const sent = { ...rest, ...(status ? { status: [...status] } : {}) };
  const { data, ...known } = useLive(`tasks ${JSON.stringify(sent)}`, (client) => ({
    ask: (signal) => client.listTasks(sent, { signal }),
    // Any event may add a task to the list or remove it, except those of other lifecycles and projects.
    concerns: ({ lifecycle, project_id }) =>
      (sent.lifecycle ?? lifecycle) === lifecycle && (sent.project_id ?? project_id) === project_id,
  }));
  return { ...known, tasks: data?.tasks ?? NONE, cursor: data?.cursor ?? null };
}

/** Always the same array, so that comparisons by reference see no change. */
const NONE: readonly never[] = [];
