import type { IncomingHttpHeaders } from "node:http";
import { onWire, SESSION_ROUTES } from "../../api/index.ts";
import { isRefusal, refuse } from "../../core/index.ts";
import { loginLinkPath } from "../../engine/index.ts";
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

type SessionDeps = {
  directory: Directory;
  /** The origin under which browsers reach this server; null if it is not known. */
  publicUrl: string | null;
};

/** Sign-in and sign-out of browsers. */
export function serveSession({ directory, publicUrl }: SessionDeps): RouteSet {
  const { sessions } = directory;
  /** Answers a sign-in: stores the secret, and the session to return to. The session before is over, unless it is that one. */
  const signedIn = async (
    headers: IncomingHttpHeaders,
    secret: string,
    { remember, home }: { remember: boolean; home: string | null },
  ) => {
    for (const old of secretsIn(headers)) if (old !== home) await sessions.end(old);
    const maxAgeMs = remember ? sessions.times.lifetimeMs : null;
    return answer(
      200,
      { csrf_token: csrfTokenOf(secret), can_go_back: home !== null },
      {
        headers: {
          "set-cookie": [
            setCookie("session", headers, secret, maxAgeMs),
            ...(home === null ? clearHome(headers) : [setCookie("home", headers, home)]),
          ],
        },
      },
    );
  };
  return serve(SESSION_ROUTES, {
    signIn: async ({ headers, body: { token, remember, over } }) => {
      const forged = crossSiteRefusal(headers);
      if (forged) return forged;
      const known = await directory.authenticate(token);
      if (isRefusal(known)) return known;
      // A session that starts another one would outlive its sign-out and its lifetime.
      if (known.token_kind === "session")
        return refuse("INVALID_TOKEN", "This is the secret of a session. Sign in with a token.");
      if (known.confined_to)
        return refuse("TOKEN_CONFINED", "This token is only for programs. Sign in with a token of your own.");
      const secret = await sessions.start(known, browserOf(headers));
      // Signing in to the demo from within the demo keeps the session from before the demo.
      const present = tokenInCookie("home", headers) ?? tokenInCookie("session", headers);
      return signedIn(headers, secret, { remember, home: over ? present : null });
    },
    signInWithCode: async ({ headers, body: { code, remember } }) => {
      const forged = crossSiteRefusal(headers);
      if (forged) return forged;
      const started = await sessions.redeemLoginCode(code, browserOf(headers));
      return isRefusal(started) ? started : signedIn(headers, started.secret, { remember, home: null });
    },
    createLoginLink: async ({ caller, params }) => {
      const issued = await sessions.createLoginCode(caller, params.id);
      if (isRefusal(issued)) return issued;
      const path = loginLinkPath(issued.code);
      const url = publicUrl === null ? null : publicUrl + path;
      return answer(201, { path, url, expires_at: onWire(issued.expires_at) });
    },
    getSession: ({ headers }) => {
      const token = tokenOf({ method: "GET", headers });
      if (typeof token !== "string") return token;
      const can_go_back = tokenInCookie("home", headers) !== null;
      return answer(200, { csrf_token: csrfTokenOf(token), can_go_back });
    },
    // Open, because the current session's token may be invalid by now, as after the demo was removed.
    goBack: async ({ headers }) => {
      const home = tokenInCookie("home", headers);
      if (home === null) return crossSiteRefusal(headers) ?? missingToken();
      const forged = crossSiteRefusal(headers);
      if (forged) return forged;
      for (const old of secretsIn(headers)) if (old !== home) await sessions.end(old);
      return answer(
        200,
        { csrf_token: csrfTokenOf(home), can_go_back: false },
        { headers: { "set-cookie": [setCookie("session", headers, home), clearCookie("home", headers)] } },
      );
    },
    signOut: async ({ headers }) => {
      const forged = crossSiteRefusal(headers);
      if (forged) return forged;
      for (const old of secretsIn(headers)) await sessions.end(old);
      return answer(204, undefined, {
        headers: { "set-cookie": [clearCookie("session", headers), ...clearHome(headers)] },
      });
    },
  });
}

/** The secrets in the cookies of a request: of the current session, and of the one to return to. */
function secretsIn(headers: IncomingHttpHeaders): Set<string> {
  const secrets = [tokenInCookie("session", headers), tokenInCookie("home", headers)];
  return new Set(secrets.filter((secret) => secret !== null));
}

function browserOf(headers: IncomingHttpHeaders) {
  return { user_agent: headers["user-agent"] };
}

function clearHome(headers: IncomingHttpHeaders): string[] {
  return tokenInCookie("home", headers) === null ? [] : [clearCookie("home", headers)];
}
