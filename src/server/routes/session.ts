import type { IncomingHttpHeaders } from "node:http";
import { SESSION_ROUTES } from "../../api/index.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import type { Directory } from "../../engine/index.ts";
import { answer, serve } from "../routing/route-set.ts";
import type { RouteSet } from "../routing/route-set.ts";
import {
  crossSiteRefusal,
  csrfTokenOf,
  clearCookie,
  setCookie,
  missingToken,
  tokenInCookie,
  tokenOf,
} from "../auth/session.ts";

/** Sign-in and sign-out of browsers. */
export function serveSession(directory: Directory): RouteSet {
  return serve(SESSION_ROUTES, {
    signIn: async ({ headers, body: { token, remember, over } }) => {
      const forged = crossSiteRefusal(headers);
      if (forged) return forged;
      const known = await directory.authenticate(token);
      if (isRefusal(known)) return known;
      if (known.confined_to)
        return refuse("TOKEN_CONFINED", "This token is only for programs. Sign in with a token of your own.");
      // Signing in to the demo from within the demo keeps the session from before the demo.
      const present = tokenInCookie("home", headers) ?? tokenInCookie("session", headers);
      const home = over ? present : null;
      return answer(
        200,
        { csrf_token: csrfTokenOf(token), can_go_back: home !== null },
        {
          headers: {
            "set-cookie": [
              setCookie("session", headers, token, remember),
              ...(home === null ? clearHome(headers) : [setCookie("home", headers, home)]),
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
    // Open, because the current session's token may be invalid by now, as after the demo was removed.
    goBack: ({ headers }) => {
      const home = tokenInCookie("home", headers);
      if (home === null) return crossSiteRefusal(headers) ?? missingToken();
      return (
        crossSiteRefusal(headers) ??
        answer(
          200,
          { csrf_token: csrfTokenOf(home), can_go_back: false },
          { headers: { "set-cookie": [setCookie("session", headers, home), clearCookie("home", headers)] } },
        )
      );
    },
    signOut: ({ headers }) =>
      crossSiteRefusal(headers) ??
      answer(204, undefined, {
        headers: { "set-cookie": [clearCookie("session", headers), ...clearHome(headers)] },
      }),
  });
}

function clearHome(headers: IncomingHttpHeaders): string[] {
  return tokenInCookie("home", headers) === null ? [] : [clearCookie("home", headers)];
}
