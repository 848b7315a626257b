import { createClient, PawlProblem } from "../../client/index.ts";
import { forgetDrafts } from "./drafts.ts";
import type { Me } from "./api-types.ts";

export { PawlProblem };
export type * from "./api-types.ts";

export type Session = Awaited<ReturnType<typeof client.getSession>>;

/** Sent with every request to prove that it comes from this page; issued with the session. */
let csrfToken: string | null = null;
let onSignedOut: (problem: PawlProblem | null) => void = () => undefined;

/** Sets the function to call when the session ends. */
export function whenSignedOut(listener: typeof onSignedOut): void {
  onSignedOut = listener;
}

/**
 * The client of the signed-in member. `client.calls` makes functions for a plugin's routes:
 *
 *     const shop = client.calls<Pick<typeof SHOP_ROUTES, "readStock">>({
 *       readStock: { method: "GET", path: "/api/shop/stock/{item}" },
 *     });
 */
export const client = createClient({ url: location.origin, retries: 2, fetch: fetchInSession });

/** The same without retries, for the outbox, which retries itself. */
export const clientWithoutRetries = createClient({
  url: location.origin,
  retries: 0,
  timeoutMs: 15_000,
  fetch: fetchInSession,
});

async function fetchInSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  if (csrfToken !== null) headers.set("x-csrf-token", csrfToken);
  const response = await fetch(input, { ...init, headers });
  // A refused link or token does not end the current session.
  const signsIn =
    init?.method === "POST" &&
    /\/api\/session(\/code)?$/.test(input instanceof Request ? input.url : input.toString());
  if (response.status === 401 && csrfToken !== null && !signsIn) {
    csrfToken = null;
    onSignedOut(null);
  }
  return response;
}

/** Resumes the session of the browser's cookie; null if there is none. */
export async function resumeSession(): Promise<{ me: Me; session: Session } | null> {
  try {
    const session = await client.getSession();
    csrfToken = session.csrf_token;
    return { me: await client.getMe(), session };
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

/** Signs in with the one-time code of a link. */
export async function signInWithCode(code: string): Promise<Me> {
  const { csrf_token } = await client.signInWithCode({ code });
  forgetDrafts();
  csrfToken = csrf_token;
  return client.getMe();
}

/** Returns to the session from which this one was started. */
export async function goBack(): Promise<void> {
  const { csrf_token } = await client.goBack();
  csrfToken = csrf_token;
}

export async function signOut(): Promise<void> {
  await client.signOut();
  forgetDrafts();
  csrfToken = null;
  onSignedOut(null);
}
