import { useEffect, useSyncExternalStore } from "react";
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { FeedEvent } from "../../client/index.ts";
import { client, PawlProblem } from "./client.ts";
import type { Links, Task } from "./client.ts";
import { keys } from "./keys.ts";
import type { ListQuery } from "./list-query.ts";

/** Whether what is shown follows the server: since when it does not, where it does not. */
export type Connection = { state: "connecting" } | { state: "live" } | { state: "lost"; since: number };

/** A burst of events is one reason to look again, not many. */
const GATHER_MS = 250;
const OVERVIEW_EVERY_MS = 2_500;
/** Of more tasks than these at once, the lists are asked for anew, and no further than their first pages. */
const MOST_ONE_BY_ONE = 40;
const KEPT_PAGES = 3;
const MOST_WAITING = 20;
/** What hardly ever changes while the server runs. */
const LASTING: ReadonlySet<unknown> = new Set(["lifecycles", "lifecycle", "check", "title"]);
/** How many events are kept for the page that tails them. */
const KEPT = 2_000;

type Pages = InfiniteData<{ tasks: Task[]; cursor: string | null }, string | null>;

/** The one stream of this tab: an event says what is stale, and what is stale is asked for anew. */
class Live {
  connection: Connection = { state: "connecting" };
  events: readonly FeedEvent[] = [];
  private readonly listeners = new Set<() => void>();
  private queryClient: QueryClient | undefined;
  private stop: AbortController | undefined;
  private gathered: FeedEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private overviewAt = 0;
  private overviewTimer: ReturnType<typeof setTimeout> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  begin(queryClient: QueryClient): () => void {
    this.queryClient = queryClient;
    const stop = (this.stop = new AbortController());
    void this.run(stop.signal);
    return () => {
      stop.abort();
      clearTimeout(this.timer);
      clearTimeout(this.overviewTimer);
      this.timer = this.overviewTimer = undefined;
      this.gathered = [];
      this.events = [];
      if (this.stop === stop) this.set({ state: "connecting" });
    };
  }

  clear(): void {
    this.events = [];
    this.tell();
  }

  private async run(signal: AbortSignal): Promise<void> {
    const onConnection = (state: "open" | "lost") => {
      const known = this.connection.state;
      if (state === "open") {
        this.set({ state: "live" });
        if (known !== "live") void this.lookAgain();
      } else if (known !== "lost") this.set({ state: "lost", since: Date.now() });
    };
    try {
      for await (const event of client.events({ signal, onConnection })) this.gather(event);
    } catch {
      // A refusal: the session is over, and whoever asks next is told so.
      if (!signal.aborted) this.set({ state: "lost", since: Date.now() });
    }
  }

  /** What was asked for before the connection stood may have changed before it did. */
  private async lookAgain(): Promise<void> {
    const queryClient = this.queryClient;
    if (!queryClient) return;
    const underWay = queryClient.getQueryCache().findAll({ queryKey: keys.all, fetchStatus: "fetching" });
    await Promise.allSettled(underWay.flatMap(({ promise }) => promise ?? []));
    const isLasting = ([, what]: readonly unknown[]) => LASTING.has(what);
    await queryClient.invalidateQueries({
      queryKey: keys.all,
      predicate: ({ queryKey }) => !isLasting(queryKey),
    });
  }

  private gather(event: FeedEvent): void {
    this.gathered.push(event);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const events = this.gathered;
      this.gathered = [];
      this.events = [...this.events, ...events].slice(-KEPT);
      this.tell();
      void this.makeStale(events);
    }, GATHER_MS);
  }

  private async makeStale(events: readonly FeedEvent[]): Promise<void> {
    const queryClient = this.queryClient;
    if (!queryClient) return;
    this.overviewSoon();
    const changed = new Set(events.map(({ task_id }) => task_id));
    const lifecycles = new Set(events.map(({ lifecycle }) => lifecycle));
    const ids = [...changed, ...(changed.size > MOST_ONE_BY_ONE ? [] : waitingFor(queryClient, changed))];
    for (const id of ids) void queryClient.invalidateQueries({ queryKey: keys.task(id) });
    if (changed.size > MOST_ONE_BY_ONE || !isShown(queryClient, lifecycles)) {
      for (const name of lifecycles) askAnew(queryClient, name);
      return;
    }
    await Promise.all(
      ids.map(async (id) => {
        const task = await findTask(id);
        if (task !== undefined) placeTask(queryClient, id, task);
      }),
    );
  }

  /** Figures cost more than a task does. */
  private overviewSoon(): void {
    this.overviewTimer ??= setTimeout(
      () => {
        this.overviewTimer = undefined;
        this.overviewAt = Date.now();
        void this.queryClient?.invalidateQueries({ queryKey: keys.overviews });
      },
      Math.max(0, this.overviewAt + OVERVIEW_EVERY_MS - Date.now()),
    );
  }

  private set(connection: Connection): void {
    this.connection = connection;
    this.tell();
  }

  private tell(): void {
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

/** Listens while it is shown. */
export function useLiveFeed(queryClient: QueryClient): void {
  useEffect(() => live.begin(queryClient), [queryClient]);
}

/** null: it is not there, or not for us; undefined: there is no knowing at the moment. */
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
 * Those that are shown as waiting, perhaps for one of these: how much a task still waits for is counted without an event of
 * its own.
 */
function waitingFor(queryClient: QueryClient, changed: ReadonlySet<string>): string[] {
  const linked = queryClient
    .getQueriesData<Links>({ predicate: ({ queryKey }) => queryKey.at(-1) === "links" })
    .flatMap(([key, links]) => (links?.tasks.some(({ id }) => changed.has(id)) ? [String(key.at(-2))] : []));
  const listed = queryClient
    .getQueriesData<Pages>({ queryKey: keys.lists })
    .flatMap(([, known]) => known?.pages.flatMap(({ tasks }) => tasks) ?? [])
    .filter(({ open_blockers }) => open_blockers > 0)
    .slice(0, MOST_WAITING)
    .map(({ id }) => id);
  return [...new Set([...linked, ...listed])].filter((id) => !changed.has(id));
}

/** Puts a task as it is now where it belongs in the lists that are shown, and takes it from where it does not. */
export function placeTask(queryClient: QueryClient, id: string, task: Task | null): void {
  if (task) queryClient.setQueryData(keys.taskItself(id), task);
  for (const [key, pages] of queryClient.getQueriesData<Pages>({ queryKey: keys.lists })) {
    const query = key.at(-1) as ListQuery;
    if (!pages) continue;
    const placed = withTask(pages, id, task, query);
    // Where a list is in an order of its own, only the server knows the place of a task that comes in.
    if (placed === "unknown") void queryClient.invalidateQueries({ queryKey: key });
    else queryClient.setQueryData<Pages>(key, placed);
  }
}

/** A list that was scrolled far is asked for page by page: in a storm of events only its beginning is. */
function askAnew(queryClient: QueryClient, lifecycle: string): void {
  const queryKey = keys.listsOf(lifecycle);
  queryClient.setQueriesData<Pages>({ queryKey }, (known) =>
    known && known.pages.length > KEPT_PAGES
      ? { pages: known.pages.slice(0, KEPT_PAGES), pageParams: known.pageParams.slice(0, KEPT_PAGES) }
      : known,
  );
  void queryClient.invalidateQueries({ queryKey });
}

function withTask(known: Pages, id: string, task: Task | null, query: ListQuery): Pages | "unknown" {
  const belongs = task !== null && fits(task, query);
  const here = known.pages.some(({ tasks }) => tasks.some((one) => one.id === id));
  if (here) {
    const changed = (tasks: Task[]) =>
      belongs ? tasks.map((one) => (one.id === id ? task : one)) : tasks.filter((one) => one.id !== id);
    return { ...known, pages: known.pages.map((page) => ({ ...page, tasks: changed(page.tasks) })) };
  }
  const last = known.pages.at(-1);
  if (!belongs || !last) return known;
  if ((query.sort ?? "created") !== "created") return "unknown";
  // At the end where the newest come last and all is loaded; at the top where they come first. Else it is met in time.
  const newestFirst = query.order === "desc";
  if (!newestFirst && last.cursor !== null) return known;
  const at = newestFirst ? 0 : known.pages.length - 1;
  const put = (tasks: Task[]) => (newestFirst ? [task, ...tasks] : [...tasks, task]);
  return {
    ...known,
    pages: known.pages.map((page, index) => (index === at ? { ...page, tasks: put(page.tasks) } : page)),
  };
}

/** What the server would say; a search it alone can judge by its own rules, so what is said here is the same rule. */
function fits(task: Task, { lifecycle, status, project_id, assigned_to, q }: ListQuery): boolean {
  return (
    task.lifecycle === lifecycle &&
    (status?.includes(task.status) ?? true) &&
    (project_id ?? task.project_id) === task.project_id &&
    (assigned_to ?? task.assigned_to) === task.assigned_to &&
    (q === undefined || task.title.toLowerCase().includes(q.toLowerCase()))
  );
}
