import { SESSION_ROUTES } from "../../contract/index.ts";
import { refuse } from "../../core/index.ts";
import type { Directory } from "../../engine/directory.ts";
import { answer, serve } from "../route-set.ts";
import type { RouteSet } from "../route-set.ts";
import { crossSiteRefusal, csrfTokenOf, endedCookie, sessionCookie, tokenOf } from "../session.ts";

/** Browsers sign in and out. */
export function serveSession(directory: Directory): RouteSet {
  return serve(SESSION_ROUTES, {
    signIn: async ({ headers, body: { token, remember } }) => {
      const forged = crossSiteRefusal(headers);
      if (forged) return forged;
      const known = await directory.authenticate(token);
      if (known.kind === "refused") return known;
      if (known.confined_to)
        return refuse("TOKEN_CONFINED", "This token is for programs: sign in with a token of your own.");
      const cookie = { "set-cookie": sessionCookie(headers, token, remember) };
      return answer(200, { csrf_token: csrfTokenOf(token) }, { headers: cookie });
    },
    getSession: ({ headers }) => {
      const token = tokenOf({ method: "GET", headers });
      return typeof token === "string" ? answer(200, { csrf_token: csrfTokenOf(token) }) : token;
    },
    signOut: ({ headers }) =>
      crossSiteRefusal(headers) ??
      answer(204, undefined, { headers: { "set-cookie": endedCookie(headers) } }),
  });
}
