import { infiniteQueryOptions, queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "./client.ts";
import type { JournalEntry, Lifecycle, Me, Member, Project } from "./client.ts";
import { keys } from "./keys.ts";
import type { ListQuery } from "./list-query.ts";

export type Window = "hour" | "day" | "week";
/** Definitions change only when the server is started anew. */
const LASTING_MS = 300_000;
/** Most pages that a list of members or projects is read to: pickers are no directories. */
const MOST_PAGES = 10;

/** @internal Needs the console's query library, which only the built-in screens share. */
export const queries = {
  me: () => queryOptions({ queryKey: keys.me, queryFn: () => client.getMe() }),
  lifecycles: () =>
    queryOptions({
      queryKey: keys.lifecycles,
      queryFn: async () => (await client.listLifecycles()).lifecycles,
      staleTime: LASTING_MS,
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
      // The contract leaves a definition open; these parts of it are always there.
      queryFn: async () => (await client.describeLifecycle({ name })) as Lifecycle,
      staleTime: LASTING_MS,
    }),
  check: (name: string) =>
    queryOptions({
      queryKey: keys.check(name),
      queryFn: () => client.checkLifecycle({ name }),
      staleTime: LASTING_MS,
    }),
  overview: (query: { window: Window; lifecycle?: string; project_id?: string }) =>
    queryOptions({
      queryKey: keys.overview(query),
      queryFn: ({ signal }) => client.getOverview(query, { signal }),
      refetchInterval: 30_000,
      placeholderData: (before) => before,
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
      // Comparing what is loaded with what comes, task by task, would be felt in a list of thousands.
      structuralSharing: false,
      staleTime: 30_000,
    }),
  found: (q: string) =>
    queryOptions({
      queryKey: keys.found(q),
      queryFn: async ({ signal }) => (await client.listTasks({ q, limit: 8 }, { signal })).tasks,
      enabled: q.length > 1,
    }),
  /** What a task is called, for those who show nothing else of it. */
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
  journal: (id: string) => queryOptions({ queryKey: keys.journal(id), queryFn: () => wholeJournal(id) }),
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

/** Who is signed in; known wherever anything is shown. */
export function useMe(): Me {
  const { data } = useQuery(queries.me());
  if (!data) throw new Error("nobody is signed in");
  return data;
}

async function allMembers(): Promise<Member[]> {
  return pages(async (cursor) => {
    const page = await client.listMembers({ limit: 200, ...(cursor === null ? {} : { cursor }) });
    return { items: page.members, cursor: page.cursor };
  });
}

async function allProjects(): Promise<Project[]> {
  return pages(async (cursor) => {
    const page = await client.listProjects({ limit: 200, ...(cursor === null ? {} : { cursor }) });
    return { items: page.projects, cursor: page.cursor };
  });
}

/** Of a very long journal the first thousands of entries. */
async function wholeJournal(id: string): Promise<JournalEntry[]> {
  return pages(async (cursor) => {
    const { events } = await client.listTaskEvents({ id, after: Number(cursor ?? 0) });
    const last = events.at(-1);
    return { items: events, cursor: events.length < 200 || !last ? null : String(last.row_version) };
  });
}

async function pages<T>(
  page: (cursor: string | null) => Promise<{ items: T[]; cursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  for (let read = 0; read < MOST_PAGES; read++) {
    const next: { items: T[]; cursor: string | null } = await page(cursor);
    all.push(...next.items);
    cursor = next.cursor;
    if (cursor === null) break;
  }
  return all;
}
