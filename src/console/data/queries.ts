import { infiniteQueryOptions, queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "./client.ts";
import type { JournalEntry, Lifecycle, Me, Member, Project } from "./client.ts";
import { keys } from "./keys.ts";
import type { ListQuery } from "./list-query.ts";

export type Window = "hour" | "day" | "week";
/** Definitions change only when the server restarts. */
const DEFINITION_STALE_MS = 300_000;
/** Maximum pages of members or projects to load for a picker. */
const MAX_PAGES = 10;

/** @internal Needs the console's query library, which only the built-in screens share. */
export const queries = {
  me: () => queryOptions({ queryKey: keys.me, queryFn: () => client.getMe() }),
  lifecycles: () =>
    queryOptions({
      queryKey: keys.lifecycles,
      queryFn: async () => (await client.listLifecycles()).lifecycles,
      staleTime: DEFINITION_STALE_MS,
    }),
  plugins: () =>
    queryOptions({
      queryKey: keys.plugins,
      queryFn: async () => (await client.listConsolePlugins()).plugins,
      staleTime: Infinity,
    }),
  lifecycle: (name: string) =>
    queryOptions({
      queryKey: keys.lifecycle(name),
      // The API schema leaves the definition open; these fields are always present.
      queryFn: async () => (await client.describeLifecycle({ name })) as Lifecycle,
      staleTime: DEFINITION_STALE_MS,
    }),
  check: (name: string) =>
    queryOptions({
      queryKey: keys.check(name),
      queryFn: () => client.checkLifecycle({ name }),
      staleTime: DEFINITION_STALE_MS,
    }),
  overview: (query: { window: Window; lifecycle?: string; project_id?: string }) =>
    queryOptions({
      queryKey: keys.overview(query),
      queryFn: ({ signal }) => client.getOverview(query, { signal }),
      refetchInterval: 30_000,
      placeholderData: (before) => before,
    }),
  insights: (query: {
    lifecycle: string;
    window: "hour" | "day" | "week" | "month" | "quarter" | "year";
    project_id?: string | undefined;
    member_id?: string | undefined;
  }) =>
    queryOptions({
      queryKey: keys.insights(query),
      queryFn: ({ signal }) => client.getInsights(query, { signal }),
      // The figures follow the events by some seconds.
      refetchInterval: 15_000,
      placeholderData: (before) => before,
    }),
  inbox: () =>
    queryOptions({
      queryKey: keys.inbox,
      queryFn: ({ signal }) => client.listInbox({ state: "refused", limit: 20 }, { signal }),
      // Requests cause no events.
      refetchInterval: 15_000,
    }),
  members: () => queryOptions({ queryKey: keys.members, queryFn: allMembers, staleTime: 60_000 }),
  tokens: (id: string) =>
    queryOptions({
      queryKey: keys.tokens(id),
      queryFn: async () => (await client.listTokens({ id })).tokens,
    }),
  projects: () => queryOptions({ queryKey: keys.projects, queryFn: allProjects, staleTime: 60_000 }),
  list: (query: ListQuery) =>
    infiniteQueryOptions({
      queryKey: keys.list(query),
      queryFn: ({ pageParam, signal }) =>
        client.listTasks({ ...query, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
      initialPageParam: null as string | null,
      getNextPageParam: ({ cursor }) => cursor,
      // Comparing old and new data task by task is noticeably slow in lists of thousands.
      structuralSharing: false,
      staleTime: 30_000,
    }),
  /** The number of all tasks of a list. */
  total: (query: ListQuery) =>
    queryOptions({
      queryKey: keys.total(query),
      queryFn: async ({ signal }) =>
        (await client.listTasks({ ...query, limit: 1, total: true }, { signal })).total,
      placeholderData: (before) => before,
    }),
  found: (q: string) =>
    queryOptions({
      queryKey: keys.found(q),
      queryFn: async ({ signal }) => (await client.listTasks({ q, limit: 8 }, { signal })).tasks,
      enabled: q.length > 1,
    }),
  /** The title alone, for links to a task. */
  title: (id: string) =>
    queryOptions({
      queryKey: keys.title(id),
      queryFn: async ({ signal }) => (await client.getTask({ id }, { signal })).title,
      staleTime: Infinity,
    }),
  task: (id: string) =>
    queryOptions({
      queryKey: keys.taskItself(id),
      queryFn: ({ signal }) => client.getTask({ id }, { signal }),
    }),
  journal: (id: string) => queryOptions({ queryKey: keys.journal(id), queryFn: () => loadJournal(id) }),
  actions: (id: string) =>
    queryOptions({
      queryKey: keys.actions(id),
      queryFn: async ({ signal }) => (await client.explainTask({ id }, { signal })).actions,
    }),
  links: (id: string) =>
    queryOptions({
      queryKey: keys.links(id),
      queryFn: ({ signal }) => client.getTaskLinks({ id }, { signal }),
    }),
};

/** The signed-in member. */
export function useMe(): Me {
  const { data } = useQuery(queries.me());
  if (!data) throw new Error("useMe needs a signed-in member");
  return data;
}

async function allMembers(): Promise<Member[]> {
  return allPages(async (cursor) => {
    const page = await client.listMembers({ limit: 200, ...(cursor === null ? {} : { cursor }) });
    return { items: page.members, cursor: page.cursor };
  });
}

async function allProjects(): Promise<Project[]> {
  return allPages(async (cursor) => {
    const page = await client.listProjects({ limit: 200, ...(cursor === null ? {} : { cursor }) });
    return { items: page.projects, cursor: page.cursor };
  });
}

/** The journal, cut off after the first MAX_PAGES pages. */
async function loadJournal(id: string): Promise<JournalEntry[]> {
  return allPages(async (cursor) => {
    const { events } = await client.listTaskEvents({ id, after: Number(cursor ?? 0) });
    const last = events.at(-1);
    return { items: events, cursor: events.length < 200 || !last ? null : String(last.row_version) };
  });
}

async function allPages<T>(
  page: (cursor: string | null) => Promise<{ items: T[]; cursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  for (let read = 0; read < MAX_PAGES; read++) {
    const next: { items: T[]; cursor: string | null } = await page(cursor);
    all.push(...next.items);
    cursor = next.cursor;
    if (cursor === null) break;
  }
  return all;
}
