import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { refuse } from "../../core/index.ts";
import type { Refusal } from "../../core/index.ts";

/** The method and headers of a request. */
export type RequestHead = { method: string; headers: IncomingHttpHeaders };

const SAFE_METHODS = new Set(["GET", "HEAD"]);

/** Returns the token of a request: from `Authorization` or, for pages of this server, from the session cookie. */
export function tokenOf({ method, headers }: RequestHead): string | Refusal {
  if (headers.authorization !== undefined) return bearerOf(headers);
  const token = tokenInCookie("session", headers);
  if (token === null) return missingToken();
  if (SAFE_METHODS.has(method)) return crossSiteRefusal(headers) ?? token;
  // A page of another site can make a browser send the cookie, but it cannot know this token.
  return headers["x-csrf-token"] === csrfTokenOf(token) ? (crossSiteRefusal(headers) ?? token) : crossSite();
}

/** Returns the token in `Authorization`, as programs send it. */
export function bearerOf({ authorization = "" }: IncomingHttpHeaders): string | Refusal {
  const [, token] = /^Bearer +(\S{1,500}) *$/i.exec(authorization) ?? [];
  return token ?? missingToken();
}

/** Derives the CSRF token from the token, so that nothing has to be stored. */
export function csrfTokenOf(token: string): string {
  return createHash("sha256").update(`pawl csrf\n${token}`).digest("base64url");
}

/**
 * Refuses a request that a page of another site made, according to the browser's `Sec-Fetch-Site`. Browsers leave that header
 * out without TLS; then the host of `Origin` must be that of the request.
 */
export function crossSiteRefusal(headers: IncomingHttpHeaders): Refusal | null {
  const { origin, host = "" } = headers;
  const site = headers["sec-fetch-site"];
  const isOurs =
    site === undefined
      ? origin === undefined || hostOf(origin) === host
      : site === "same-origin" || site === "none";
  return isOurs ? null : crossSite();
}

/** The current session, and the one to return to, which browsers send to the session routes only. */
const COOKIES = {
  session: { name: "pawl_session", path: "/" },
  home: { name: "pawl_home", path: "/api/session" },
} as const;
type Cookie = keyof typeof COOKIES;

/** Returns the Set-Cookie header that stores a token where scripts cannot read it, until the browser is closed or for `maxAgeMs`. */
export function setCookie(
  cookie: Cookie,
  headers: IncomingHttpHeaders,
  token: string,
  maxAgeMs: number | null = null,
): string {
  const lasting = maxAgeMs === null ? [] : [`Max-Age=${Math.floor(maxAgeMs / 1_000)}`];
  return cookieOf(cookie, headers, encodeURIComponent(token), lasting);
}

/** Returns the Set-Cookie header that deletes the cookie. */
export function clearCookie(cookie: Cookie, headers: IncomingHttpHeaders): string {
  return cookieOf(cookie, headers, "", ["Max-Age=0"]);
}

/** `Secure` depends on the browser's `Origin`, because a proxy may have terminated TLS. */
function cookieOf(
  cookie: Cookie,
  headers: IncomingHttpHeaders,
  value: string,
  more: readonly string[],
): string {
  const secure = headers.origin?.startsWith("https:") ? ["Secure"] : [];
  return [
    `${cookieName(cookie, headers)}=${value}`,
    `Path=${COOKIES[cookie].path}`,
    "HttpOnly",
    "SameSite=Strict",
    ...secure,
    ...more,
  ].join("; ");
}

// Parsed by hand: the cookie plugin would process every request and answer.
export function tokenInCookie(which: Cookie, headers: IncomingHttpHeaders): string | null {
  const name = `${cookieName(which, headers)}=`;
  const cookie = headers.cookie?.split(/; */).find((part) => part.startsWith(name));
  const value = cookie?.slice(name.length) ?? "";
  return /^(?:[\w.~!*'()-]|%[0-7][0-9A-F]){1,1500}$/i.test(value) ? decodeURIComponent(value) : null;
}

/** Includes the port: cookies ignore ports, so two servers on one machine would overwrite each other's. */
function cookieName(cookie: Cookie, { host = "" }: IncomingHttpHeaders): string {
  const { name } = COOKIES[cookie];
  const [, port] = /:(\d+)$/.exec(host) ?? [];
  return port === undefined ? name : `${name}_${port}`;
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

export function missingToken(): Refusal {
  return refuse("INVALID_TOKEN", "The request has no token. Send Authorization: Bearer <token>.");
}

function crossSite(): Refusal {
  return refuse(
    "CROSS_SITE_REQUEST",
    "Requests with a session cookie must come from a page of this server and carry the session's csrf_token.",
  );
}
