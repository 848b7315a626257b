import { createClient, PawlProblem } from "../../client/index.ts";
import type { ROUTES, ReplyOf } from "../../contract/index.ts";

export { PawlProblem };
export type Task = ReplyOf<typeof ROUTES.getTask>;
export type JournalEntry = ReplyOf<typeof ROUTES.listTaskEvents>["events"][number];
export type Explanation = ReplyOf<typeof ROUTES.explainTask>["actions"][number];
export type Overview = ReplyOf<typeof ROUTES.getOverview>;
export type LifecycleFigures = Overview["lifecycles"][number];
export type LifecycleBrief = ReplyOf<typeof ROUTES.listLifecycles>["lifecycles"][number];
export type Member = ReplyOf<typeof ROUTES.getMember>;
export type Me = ReplyOf<typeof ROUTES.getMe>;
export type Project = ReplyOf<typeof ROUTES.getProject>;
export type Links = ReplyOf<typeof ROUTES.getTaskLinks>;
export type CheckReport = ReplyOf<typeof ROUTES.checkLifecycle>;
export type Schema = Record<string, unknown>;

type Described = Shut<ReplyOf<typeof ROUTES.describeLifecycle>>;
/** Without what the contract leaves open: only the fields that have names. */
type Shut<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** A lifecycle's definition: what the contract names, and more of it that is always there. */
export type Lifecycle = Omit<Described, "statuses" | "actions" | "rules" | "creation"> & {
  statuses: (Shut<Described["statuses"][number]> & { timers?: Timer[] })[];
  actions: (Shut<Described["actions"][number]> & { summary?: string | null })[];
  rules: Shut<Described["rules"][number]>[];
  creation: Shut<Described["creation"]> & { to?: { status: string }[] };
  who?: { name: string; label: string }[];
  settings?: { schema: Schema; defaults: Schema };
  pool?: { action: string; from: string } | null;
};
export type Timer = { action: string; since: string; after: Record<string, number | string> };

/** What shows the server that our own page asks; it comes with the session. */
let csrfToken: string | null = null;
let onSignedOut: (problem: PawlProblem | null) => void = () => undefined;

/** Who hears that the session is over. */
export function whenSignedOut(listener: typeof onSignedOut): void {
  onSignedOut = listener;
}

export const client = createClient({
  url: location.origin,
  retries: 2,
  fetch: async (input, init) => {
    const headers = new Headers(init?.headers);
    if (csrfToken !== null) headers.set("x-csrf-token", csrfToken);
    const response = await fetch(input, { ...init, headers });
    if (response.status === 401 && csrfToken !== null) {
      csrfToken = null;
      onSignedOut(null);
    }
    return response;
  },
});

/** The session that the browser still has a cookie of; null where there is none. */
export async function resumeSession(): Promise<Me | null> {
  try {
    const { csrf_token } = await client.getSession();
    csrfToken = csrf_token;
    return await client.getMe();
  } catch (error) {
    if (error instanceof PawlProblem && error.status === 401) return null;
    throw error;
  }
}

export async function signIn(token: string, remember: boolean): Promise<Me> {
  const { csrf_token } = await client.signIn({ token, remember });
  csrfToken = csrf_token;
  return client.getMe();
}

/** Back to the session that this one was begun over. */
export async function goBack(): Promise<void> {
  const { csrf_token } = await client.goBack();
  csrfToken = csrf_token;
}

export async function signOut(): Promise<void> {
  await client.signOut();
  csrfToken = null;
  onSignedOut(null);
}
