import type { IncomingHttpHeaders } from "node:http";
import { SESSION_ROUTES } from "../../api/index.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Directory } from "../../engine/index.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";
import {
  crossSiteRefusal,
  csrfTokenOf,
  endedCookie,
  keptCookie,
  nobody,
  tokenInCookie,
  tokenOf,
} from "../auth/session.ts";

/** Browsers sign in and out. */
export function serveSession(directory: Directory): RouteSet {
  return serve(SESSION_ROUTES, {
    signIn: async ({ headers, body: { token, remember, over } }) => {
      const forged = crossSiteRefusal(headers);
      if (forged) return forged;
      const known = await directory.authenticate(token);
      if (isRefusal(known)) return known;
      if (known.confined_to)
        return refuse("TOKEN_CONFINED", "This token is for programs: sign in with a token of your own.");
      // From the demo's own page into the demo once more: home is where it was.
      const present = tokenInCookie("home", headers) ?? tokenInCookie("session", headers);
      const home = over ? present : null;
      return answer(
        200,
        { csrf_token: csrfTokenOf(token), can_go_back: home !== null },
        {
          headers: {
            "set-cookie": [
              keptCookie("session", headers, token, remember),
              ...(home === null ? forgetsHome(headers) : [keptCookie("home", headers, home)]),
            ],
          },
        },
      );
    },
    getSession: ({ headers }) => {
      const token = tokenOf({ method: "GET", headers });
      if (typeof token !== "string") return token;
      const can_go_back = tokenInCookie("home", headers) !== null;
      return answer(200, { csrf_token: csrfTokenOf(token), can_go_back });
    },
    // Open, since what this session was signed in with may be gone by now, as when the demo was removed.
    goBack: ({ headers }) => {
      const home = tokenInCookie("home", headers);
      if (home === null) return crossSiteRefusal(headers) ?? nobody();
      return (
        crossSiteRefusal(headers) ??
        answer(
          200,
          { csrf_token: csrfTokenOf(home), can_go_back: false },
          { headers: { "set-cookie": [keptCookie("session", headers, home), endedCookie("home", headers)] } },
        )
      );
    },
    signOut: ({ headers }) =>
      crossSiteRefusal(headers) ??
      answer(204, undefined, {
        headers: { "set-cookie": [endedCookie("session", headers), ...forgetsHome(headers)] },
      }),
  });
}

function forgetsHome(headers: IncomingHttpHeaders): string[] {
  return tokenInCookie("home", headers) === null ? [] : [endedCookie("home", headers)];
}
