import type { SomeLifecycle, TaskOf, TaskQueryOf } from "../client/lifecycle.ts";
import { useLive } from "./provider.ts";
import type { Live } from "./provider.ts";

export type LiveTasks<L extends SomeLifecycle> = Omit<Live<unknown>, "data"> & {
  tasks: readonly TaskOf<L>[];
  /** Where the next page begins; null: there is none. */
  cursor: string | null;
};

/** The tasks that fit, oldest first, kept up to date: `useTasks<typeof ticket>({ lifecycle: "ticket", status: ["open"] })`. */
export function useTasks<L extends SomeLifecycle = SomeLifecycle>(
  query: TaskQueryOf<L> & { lifecycle?: L["name"] } = {},
): LiveTasks<L> {
  const { status, ...rest } = query;
  const sent = { ...rest, ...(status ? { status: [...status] } : {}) };
  const { data, ...known } = useLive(`tasks ${JSON.stringify(sent)}`, (client) => ({
    ask: (signal) => client.listTasks(sent, { signal }),
    // Any change may bring a task into the list or take it out; only where it cannot be one of it, it concerns us not.
    concerns: ({ lifecycle, project_id }) =>
      (sent.lifecycle ?? lifecycle) === lifecycle && (sent.project_id ?? project_id) === project_id,
  }));
  return { ...known, tasks: data?.tasks ?? NONE, cursor: data?.cursor ?? null };
}

/** The same one each time: who compares sees no change. */
const NONE: readonly never[] = [];
