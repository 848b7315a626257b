import { useEffect, useSyncExternalStore } from "react";
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { FeedEvent } from "../../client/index.ts";
import { client, PawlProblem } from "./client.ts";
import type { Links, Task } from "./client.ts";
import { ALL_LIFECYCLES, keys } from "./keys.ts";
import { labelsOf } from "./labels-of.ts";
import type { ListQuery } from "./list-query.ts";

/** State of the event stream; `since` is the time at which it was lost. */
export type Connection = { state: "connecting" } | { state: "live" } | { state: "lost"; since: number };

/** Events within this time are handled as one batch. */
const BATCH_MS = 250;
const OVERVIEW_INTERVAL_MS = 2_500;
/** If more tasks than this change at once, the first pages of the lists are fetched again instead of each task. */
const MAX_SINGLE_FETCHES = 40;
const MAX_KEPT_PAGES = 3;
const MAX_WAITING = 20;
/** Data that rarely changes while the server runs. */
const RARELY_CHANGING: ReadonlySet<unknown> = new Set(["lifecycles", "lifecycle", "check", "title"]);
/** Events kept for the live events page. */
const MAX_EVENTS = 2_000;

type Pages = InfiniteData<{ tasks: Task[]; cursor: string | null }, string | null>;

/** The event stream of this tab: each event marks cached data as stale, and stale data is fetched again. */
class Live {
  connection: Connection = { state: "connecting" };
  events: readonly FeedEvent[] = [];
  private readonly listeners = new Set<() => void>();
  private queryClient: QueryClient | undefined;
  private stop: AbortController | undefined;
  private pending: FeedEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private overviewAt = 0;
  private overviewTimer: ReturnType<typeof setTimeout> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  start(queryClient: QueryClient): () => void {
    this.queryClient = queryClient;
    const stop = (this.stop = new AbortController());
    void this.run(stop.signal);
    return () => {
      stop.abort();
      clearTimeout(this.timer);
      clearTimeout(this.overviewTimer);
      this.timer = this.overviewTimer = undefined;
      this.pending = [];
      this.events = [];
      if (this.stop === stop) this.set({ state: "connecting" });
    };
  }

  clear(): void {
    this.events = [];
    this.notify();
  }

  private async run(signal: AbortSignal): Promise<void> {
    const onConnection = (state: "open" | "lost") => {
      const previous = this.connection.state;
      if (state === "open") {
        this.set({ state: "live" });
        if (previous !== "live") void this.refetchAll();
      } else if (previous !== "lost") this.set({ state: "lost", since: Date.now() });
    };
    try {
      for await (const event of client.events({ signal, onConnection })) this.enqueue(event);
    } catch {
      // The session is over; the next request reports it.
      if (!signal.aborted) this.set({ state: "lost", since: Date.now() });
    }
  }

  /** Data fetched before the stream opened may have changed since, so it is fetched again. */
  private async refetchAll(): Promise<void> {
    const queryClient = this.queryClient;
    if (!queryClient) return;
    // Nothing is shown yet: whatever is fetched from now on is current.
    if (
      queryClient
        .getQueryCache()
        .getAll()
        .every((query) => !query.isActive())
    )
      return;
    const fetching = queryClient.getQueryCache().findAll({ queryKey: keys.all, fetchStatus: "fetching" });
    await Promise.allSettled(fetching.flatMap(({ promise }) => promise ?? []));
    const rarelyChanges = ([, what]: readonly unknown[]) => RARELY_CHANGING.has(what);
    await queryClient.invalidateQueries({
      queryKey: keys.all,
      predicate: ({ queryKey }) => !rarelyChanges(queryKey),
    });
  }

  private enqueue(event: FeedEvent): void {
    this.pending.push(event);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const events = this.pending;
      this.pending = [];
      this.events = [...this.events, ...events].slice(-MAX_EVENTS);
      this.notify();
      void this.invalidate(events);
    }, BATCH_MS);
  }

  private async invalidate(events: readonly FeedEvent[]): Promise<void> {
    const queryClient = this.queryClient;
    if (!queryClient) return;
    this.scheduleOverview();
    const changed = new Set(events.map(({ task_id }) => task_id));
    const lifecycles = new Set([ALL_LIFECYCLES, ...events.map(({ lifecycle }) => lifecycle)]);
    const ids = [...changed, ...(changed.size > MAX_SINGLE_FETCHES ? [] : waitingFor(queryClient, changed))];
    for (const id of ids) void queryClient.invalidateQueries({ queryKey: keys.task(id) });
    if (changed.size > MAX_SINGLE_FETCHES || !isShown(queryClient, lifecycles)) {
      for (const name of lifecycles) refetchLists(queryClient, name);
      return;
    }
    await Promise.all(
      ids.map(async (id) => {
        const task = await findTask(id);
        if (task !== undefined) placeTask(queryClient, id, task);
      }),
    );
  }

  /** The overview and totals cost more than a task, so they are fetched less often. */
  private scheduleOverview(): void {
    this.overviewTimer ??= setTimeout(
      () => {
        this.overviewTimer = undefined;
        this.overviewAt = Date.now();
        void this.queryClient?.invalidateQueries({ queryKey: keys.overviews });
        void this.queryClient?.invalidateQueries({ queryKey: keys.totals });
      },
      Math.max(0, this.overviewAt + OVERVIEW_INTERVAL_MS - Date.now()),
    );
  }

  private set(connection: Connection): void {
    this.connection = connection;
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

export const live = new Live();

export function useConnection(): Connection {
  return useSyncExternalStore(live.subscribe, () => live.connection);
}

export function useRecentEvents(): readonly FeedEvent[] {
  return useSyncExternalStore(live.subscribe, () => live.events);
}

/** Receives events while the component is mounted. */
export function useLiveFeed(queryClient: QueryClient): void {
  useEffect(() => live.start(queryClient), [queryClient]);
}

/** null if the task is missing or not visible; undefined if the request failed. */
async function findTask(id: string): Promise<Task | null | undefined> {
  try {
    return await client.getTask({ id });
  } catch (error) {
    return error instanceof PawlProblem && error.status === 404 ? null : undefined;
  }
}

function isShown(queryClient: QueryClient, lifecycles: ReadonlySet<string>): boolean {
  const cache = queryClient.getQueryCache();
  return [...lifecycles].some(
    (name) => cache.findAll({ queryKey: keys.listsOf(name), type: "active" }).length > 0,
  );
}

/**
 * Shown tasks that may wait for one of the changed ones: the number of open blockers changes without an event on the waiting
 * task.
 */
function waitingFor(queryClient: QueryClient, changed: ReadonlySet<string>): string[] {
  const linked = queryClient
    .getQueriesData<Links>({ predicate: ({ queryKey }) => queryKey.at(-1) === "links" })
    .flatMap(([key, links]) => (links?.tasks.some(({ id }) => changed.has(id)) ? [String(key.at(-2))] : []));
  const listed = queryClient
    .getQueriesData<Pages>({ queryKey: keys.lists })
    .flatMap(([, list]) => list?.pages.flatMap(({ tasks }) => tasks) ?? [])
    .filter(({ open_blockers }) => open_blockers > 0)
    .slice(0, MAX_WAITING)
    .map(({ id }) => id);
  return [...new Set([...linked, ...listed])].filter((id) => !changed.has(id));
}

/** Updates a task in every cached list: adds it where the list's filters match, and removes it elsewhere. */
export function placeTask(queryClient: QueryClient, id: string, task: Task | null): void {
  if (task) queryClient.setQueryData(keys.taskItself(id), task);
  for (const [key, list] of queryClient.getQueriesData<Pages>({ queryKey: keys.lists })) {
    const query = key.at(-1) as ListQuery;
    if (!list) continue;
    const placed = withTask(list, id, task, query);
    // In lists with another sort order, only the server knows the position of a new task.
    if (placed === "unknown") void queryClient.invalidateQueries({ queryKey: key });
    else queryClient.setQueryData<Pages>(key, placed);
  }
}

/** Refetches lists. A long list is cut to its first pages: each page is one request, too many during a burst of events. */
function refetchLists(queryClient: QueryClient, lifecycle: string): void {
  const queryKey = keys.listsOf(lifecycle);
  queryClient.setQueriesData<Pages>({ queryKey }, (list) =>
    list && list.pages.length > MAX_KEPT_PAGES
      ? { pages: list.pages.slice(0, MAX_KEPT_PAGES), pageParams: list.pageParams.slice(0, MAX_KEPT_PAGES) }
      : list,
  );
  void queryClient.invalidateQueries({ queryKey });
}

function withTask(list: Pages, id: string, task: Task | null, query: ListQuery): Pages | "unknown" {
  // Only the server knows which tasks need attention, and who holds unfinished ones.
  if (query.attention === true || query.held_by !== undefined) return "unknown";
  const belongs = task !== null && matchesQuery(task, query);
  const isListed = list.pages.some(({ tasks }) => tasks.some((one) => one.id === id));
  if (isListed) {
    const changed = (tasks: Task[]) =>
      belongs ? tasks.map((one) => (one.id === id ? task : one)) : tasks.filter((one) => one.id !== id);
    return { ...list, pages: list.pages.map((page) => ({ ...page, tasks: changed(page.tasks) })) };
  }
  const last = list.pages.at(-1);
  if (!belongs || !last) return list;
  if ((query.sort ?? "created") !== "created") return "unknown";
  // A new task is added at the top of a newest-first list, or at the end of a fully loaded one. Otherwise scrolling loads it.
  const newestFirst = query.order === "desc";
  if (!newestFirst && last.cursor !== null) return list;
  const at = newestFirst ? 0 : list.pages.length - 1;
  const put = (tasks: Task[]) => (newestFirst ? [task, ...tasks] : [...tasks, task]);
  return {
    ...list,
    pages: list.pages.map((page, index) => (index === at ? { ...page, tasks: put(page.tasks) } : page)),
  };
}

/** Applies the server's filter rules, including its search rule. */
function matchesQuery(
  task: Task,
  { lifecycle, status, project_id, assigned_to, q, label = [] }: ListQuery,
): boolean {
  return (
    (lifecycle ?? task.lifecycle) === task.lifecycle &&
    (status?.includes(task.status) ?? true) &&
    (project_id ?? task.project_id) === task.project_id &&
    (assigned_to ?? task.assigned_to) === task.assigned_to &&
    label.every((one) => labelsOf(task).includes(one)) &&
    (q === undefined || task.title.toLowerCase().includes(q.toLowerCase()))
  );
}
