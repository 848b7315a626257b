const part = encodeURIComponent;

/** Paths of the console's pages. */
export const addresses = {
  overview: "/",
  board: (lifecycle: string) => `/lifecycles/${part(lifecycle)}/board`,
  /** With filters, the table of these tasks. */
  table: (lifecycle: string, filters: Record<string, string> = {}) =>
    `/lifecycles/${part(lifecycle)}/table${queryOf(filters)}`,
  rules: (lifecycle: string) => `/lifecycles/${part(lifecycle)}/rules`,
  screen: (lifecycle: string, screen: string) => `/lifecycles/${part(lifecycle)}/${part(screen)}`,
  task: (id: string) => `/tasks/${part(id)}`,
  tasks: "/tasks",
  tasksBy: (filters: Record<string, string>) => `/tasks${queryOf(filters)}`,
  insights: "/insights",
  events: "/events",
  members: "/members",
  settings: "/settings",
} as const;

function queryOf(filters: Record<string, string>): string {
  const text = new URLSearchParams(filters).toString();
  return text === "" ? "" : `?${text}`;
}
