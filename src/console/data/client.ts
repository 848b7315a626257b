import { createClient, PawlProblem } from "../../client/index.ts";
import { forgetDrafts } from "./drafts.ts";
import type { Me } from "./told.ts";

export { PawlProblem };
export type * from "./told.ts";

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
  forgetDrafts();
  csrfToken = null;
  onSignedOut(null);
}
