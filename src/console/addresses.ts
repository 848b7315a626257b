const part = encodeURIComponent;

/** Paths of the console's pages. */
export const addresses = {
  overview: "/",
  board: (lifecycle: string) => `/lifecycles/${part(lifecycle)}/board`,
  table: (lifecycle: string) => `/lifecycles/${part(lifecycle)}/table`,
  rules: (lifecycle: string) => `/lifecycles/${part(lifecycle)}/rules`,
  screen: (lifecycle: string, screen: string) => `/lifecycles/${part(lifecycle)}/${part(screen)}`,
  task: (id: string) => `/tasks/${part(id)}`,
  insights: "/insights",
  events: "/events",
  members: "/members",
  settings: "/settings",
} as const;
