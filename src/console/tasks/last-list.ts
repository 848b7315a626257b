/** The list that the member opened a task from, for the buttons to the previous and next task. */
type LastList = { ids: readonly string[]; href: string };

let lastList: LastList = { ids: [], href: "" };

/** Call when a list is used: its tasks are those that the member may open next. */
export function rememberList(tasks: readonly { id: string }[]): void {
  lastList = { ids: tasks.map(({ id }) => id), href: location.pathname + location.search };
}

export type Neighbours = {
  previous: string | null;
  next: string | null;
  index: number;
  count: number;
  href: string;
};

/** The neighbours of a task in the list that it was opened from; null if it is in none. */
export function neighboursOf(id: string): Neighbours | null {
  const { ids, href } = lastList;
  const index = ids.indexOf(id);
  if (index === -1) return null;
  return { previous: ids[index - 1] ?? null, next: ids[index + 1] ?? null, index, count: ids.length, href };
}
