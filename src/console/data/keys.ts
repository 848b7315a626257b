import type { ListQuery } from "./list-query.ts";

/** In the key of a list of all lifecycles, this is in place of the name. */
export const ALL_LIFECYCLES = "";

/** Query keys; events invalidate cached data by them. */
export const keys = {
  all: ["pawl"] as const,
  me: ["pawl", "me"] as const,
  session: ["pawl", "session"] as const,
  demo: ["pawl", "demo"] as const,
  plugins: ["pawl", "plugins"] as const,
  lifecycles: ["pawl", "lifecycles"] as const,
  lifecycle: (name: string) => ["pawl", "lifecycle", name] as const,
  check: (name: string) => ["pawl", "check", name] as const,
  members: ["pawl", "members"] as const,
  tokens: (member: string) => ["pawl", "tokens", member] as const,
  projects: ["pawl", "projects"] as const,
  inbox: ["pawl", "inbox"] as const,
  overviews: ["pawl", "overview"] as const,
  overview: (query: object) => ["pawl", "overview", query] as const,
  insights: (query: object) => ["pawl", "insights", query] as const,
  lists: ["pawl", "list"] as const,
  listsOf: (lifecycle: string) => ["pawl", "list", lifecycle] as const,
  list: (query: ListQuery) => ["pawl", "list", query.lifecycle ?? ALL_LIFECYCLES, query] as const,
  totals: ["pawl", "total"] as const,
  total: (query: ListQuery) => ["pawl", "total", query] as const,
  found: (text: string) => ["pawl", "found", text] as const,
  title: (id: string) => ["pawl", "title", id] as const,
  task: (id: string) => ["pawl", "task", id] as const,
  taskItself: (id: string) => ["pawl", "task", id, "itself"] as const,
  journal: (id: string) => ["pawl", "task", id, "journal"] as const,
  actions: (id: string) => ["pawl", "task", id, "actions"] as const,
  links: (id: string) => ["pawl", "task", id, "links"] as const,
};
