import { useState } from "react";
import type { Task } from "../../data/client.ts";
import type { ListQuery } from "../../data/list-query.ts";
import { loadMatching } from "./load-matching.ts";

/** Maximum number of tasks that are selected at once. Actions are sent in batches from the browser. */
export const MAX_SELECTED = 2_000;

export type Selection = {
  ids: ReadonlySet<string>;
  select: (ids: ReadonlySet<string>) => void;
  /** The selected tasks, as they are now; one that left the list is no longer selected. */
  tasks: readonly Task[];
  /** Selects all tasks of the list, also those that are not loaded. */
  selectMatching: () => Promise<void>;
};

/** The selected rows of a list. */
export function useSelection(query: ListQuery, loaded: readonly Task[]): Selection {
  const [ids, select] = useState<ReadonlySet<string>>(new Set());
  const list = JSON.stringify(query);
  /** Tasks of the list that were loaded for the selection alone. */
  const [matching, setMatching] = useState<{ list: string; tasks: readonly Task[] }>({ list, tasks: [] });
  const isLoaded = new Set(loaded.map(({ id }) => id));
  const further = matching.list === list ? matching.tasks.filter(({ id }) => !isLoaded.has(id)) : [];
  return {
    ids,
    select,
    tasks: [...loaded, ...further].filter(({ id }) => ids.has(id)),
    selectMatching: async () => {
      const tasks = await loadMatching(query, MAX_SELECTED);
      setMatching({ list, tasks: tasks.filter(({ id }) => !isLoaded.has(id)) });
      select(new Set(tasks.map(({ id }) => id)));
    },
  };
}
